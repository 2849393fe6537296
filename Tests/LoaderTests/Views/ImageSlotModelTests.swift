import Alcedo
import AlcedoTestSupport
import Foundation
import Synchronization
import Testing

@testable import TestFixtures

/// Random loads, cancels and late results, compared with what a slot must show.
@MainActor @Suite(.timeLimit(.minutes(1))) struct ImageSlotModelTests {
    /// Each image's width is its number, so that a slot's picture says whose it is.
    private static let count = 40

    @Test(arguments: [1, 2, 3, 4] as [UInt64])
    func lateResult_neverLands(seed: UInt64) async throws {
        var random = SeededRandom(seed: seed)
        let bodies = try (0...Self.count).map { try Pictures.png(max(1, $0), 1) }
        let transport = LateDataLoader(bodies)
        var configuration = ImageLoader.Configuration()
        configuration.disk = nil
        configuration.dataLoader = transport
        configuration.memory.maximumCount = 10
        let loader = ImageLoader(configuration)
        let slots = (0..<8).map { number in
            var settings = ImageSlot.Settings()
            settings.showsStale = number % 3 == 1
            settings.showsPreviews = number % 3 == 2
            return ImageSlot(loader, settings: settings)
        }
        let wanted = Mutex([Int?](repeating: nil, count: slots.count))
        /// The slots that have reported that they load.
        let loading = Recorder<Set<Int>>()
        for (index, slot) in slots.enumerated() {
            slot.onChange = { slot in
                let others = (loading.values.last ?? []).subtracting([index])
                loading.record(slot.isLoading ? others.union([index]) : others)
                guard let width = slot.shown.picture.image?.size.width else { return }
                let number = wanted.withLock { $0[index] }
                if number != width { Issue.record("seed \(seed): slot \(index) wants \(number ?? 0), shows \(width)") }
            }
        }
        for _ in 0..<5_000 {
            let index = Int.random(in: 0..<slots.count, using: &random)
            switch Int.random(in: 0..<10, using: &random) {
            case 0:
                wanted.withLock { $0[index] = nil }
                slots[index].load(nil as URL?)
            case 1: slots[index].cancel()
            case 2: slots[index].reload()
            case 3: await Task.yield()
            case 4: transport.answerAll()
            default:
                let number = Int.random(in: 1...Self.count, using: &random)
                wanted.withLock { $0[index] = number }
                slots[index].load(try .test("\(number)"))
            }
        }
        // In the end, each slot shows what it was asked for last.
        for (index, slot) in slots.enumerated() {
            if let number = wanted.withLock({ $0[index] }) { slot.load(try .test("\(number)")) }
        }
        transport.answerAllFromNowOn()
        await loading.wait { $0.last == [] }
        for (index, slot) in slots.enumerated() {
            #expect(slot.shown.picture.image?.size.width == wanted.withLock { $0[index] })
        }
    }
}

/// Answers every second request when the test says so, also after it was cancelled.
private final class LateDataLoader: DataLoading {
    private let bodies: [Data]
    /// Nil once nothing waits any more.
    private let late = Mutex<[CheckedContinuation<Void, Never>]?>([])

    init(_ bodies: [Data]) { self.bodies = bodies }

    func answerAll() { answer(next: []) }

    func answerAllFromNowOn() { answer(next: nil) }

    private func answer(next: [CheckedContinuation<Void, Never>]?) {
        let late = late.withLock { exchange(&$0, with: next) }
        for continuation in late ?? [] { continuation.resume() }
    }

    func load(_ request: DataRequest, into sink: ResponseSink) async throws(ImageLoaderError) {
        let number = Int(request.url.lastPathComponent) ?? 0
        if number.isMultiple(of: 2) {
            await withCheckedContinuation { continuation in
                let isLate = late.withLock { $0?.append(continuation) } != nil
                if !isLate { continuation.resume() }
            }
        }
        try sink.begin(ResponseHead(status: 200, url: request.url, headers: [:], expectedBytes: bodies[number].count))
        try sink.append(bodies[number])
    }
}
