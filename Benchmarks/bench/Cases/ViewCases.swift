import Alcedo
import AlcedoTestSupport
import Foundation
import Synchronization

/// Slots and players.
enum ViewCases {
    static let all: [BenchCase] =
        [
            // Gives a slot other images, all of which are in memory.
            .timed("view/slot-hit", target: 1_000, ours: { try await hits() }),
            // Gives each of a thousand slots an image that isn't cached. The previous load ends, another begins.
            .timed(
                "view/reuse-storm", target: 15_000, iterationsPerSample: 100_000, ours: { try await storm() }),
        ] + players

    // MARK: Slots

    @MainActor private static func hits() async throws -> Workload {
        let loader = Scripted.loader()
        let requests = try (0..<1_000).map { ImageRequest(url: try Scripted.url("photos/\($0)/large.jpg?width=1080")) }
        for request in requests { _ = try await loader.image(for: request) }
        let slot = ImageSlot(loader)
        var changes = 0
        slot.onChange = { _ in changes += 1 }
        return Workload { @MainActor count in
            let before = changes
            // The factor has no common divisor with the number of requests, so each image differs from the previous
            // one.
            for index in 0..<count { slot.load(requests[index * 617 % requests.count]) }
            guard changes - before >= count - 1 else { throw BenchError("\(changes - before) changes") }
        }
    }

    @MainActor private static func storm() throws -> Workload {
        let transport = WatchfulDataLoader()
        let loader = Scripted.loader(transport)
        let slots = (0..<1_000).map { _ in ImageSlot(loader) }
        let last = Turn()
        var requests: [ImageRequest] = []
        return Workload { @MainActor count in
            requests = try (0..<count).map { _ in ImageRequest(url: try Scripted.url("\(last.next())")) }
        } run: { @MainActor count in
            for start in stride(from: 0, to: count, by: slots.count) {
                for (slot, request) in zip(slots, requests[start...]) { slot.load(request) }
                transport.end(before: requests[start].url)
            }
            for slot in slots { slot.load(nil as URL?) }
            while await loader.downloads.statistics.running > 0 { await Task.yield() }
            guard transport.violations == 0 else {
                throw BenchError("\(transport.violations) requests for slots that had been given another picture")
            }
        }
    }

    // MARK: Players

    #if GIF
    private static let players: [BenchCase] = [
        // The processor time of sixty players for ten seconds, compared with decoding the same frames without players.
        .process(
            "view/player-60", target: 1.15, prepare: { try prepare(60, in: $0) },
            ours: { try await play(60, in: $0) }, baseline: .child("bare decoding") { try await decode(60, in: $0) }),
        .peak(
            "view/player-60-peak", target: 1, prepare: { try prepare(60, in: $0) },
            ours: { try await play(60, in: $0) },
            baseline: .child("the files, the budget and 16 MB") { folder in
                let files = try files(60, in: folder)
                blackHole([UInt8](repeating: 1, count: budgetBytes + 16_000_000))
                blackHole(files)
            }),
        // The percentage of frames that six players show more than 10 ms late, or never, in ten seconds of real time.
        .counted("view/player-late", target: 1) {
            let (late, all) = try await playInRealTime(6)
            return Measurement(ours: [100 * Double(late) / Double(max(1, all))], isCounted: true)
        },
    ]

    /// Three frames of each of sixty animations take 86 MB.
    private static let budgetBytes = 96 << 20
    private static let frames = 50
    private static let seconds = 10

    private static func file(_ number: Int) -> Data {
        NoisyGIF(width: 400, height: 300, frames: frames, seed: number).data(pictures: 4)
    }

    private static func prepare(_ count: Int, in folder: String) throws {
        for number in 0..<count {
            try file(number).write(to: URL(fileURLWithPath: folder).appendingPathComponent("\(number).gif"))
        }
    }

    private static func files(_ count: Int, in folder: String) throws -> [Data] {
        try (0..<count).map {
            try Data(contentsOf: URL(fileURLWithPath: folder).appendingPathComponent("\($0).gif"))
        }
    }

    private static func animation(
        _ data: Data, by decoder: some ImageDecoding = GIFDecoder()
    ) throws -> AnimatedImage {
        guard let animation = try decoder.decode(data, DecodeRequest()).animation else {
            throw BenchError("no animation")
        }
        return animation
    }

    /// Plays all animations for ten seconds of manual time. The clock advances when every player has its next frame.
    @MainActor private static func play(_ count: Int, in folder: String) async throws {
        let (clock, budget) = (ManualClock(), FrameBudget(bytes: budgetBytes))
        let shown = Tally()
        let decoded = (0..<count).map { _ in Tally() }
        let players = try zip(files(count, in: folder), decoded).map { file, decoded in
            let animation = try animation(file, by: CountingDecoder(tally: decoded))
            return AnimationPlayer(animation, budget: budget, clock: clock) { frame in
                blackHole(frame.bitmap)
                shown.add()
            }
        }
        let delay = Duration.milliseconds(50)
        for round in 1...seconds * 20 {
            await shown.reach(count * round)
            // The budget is too small to keep a whole animation, so each frame is decoded once per loop. The last
            // player comes first: its frame is the last to be decoded, so this Task waits only once.
            for decoded in decoded.reversed() { await decoded.reach(round + 1) }
            guard budget.reservedBytes <= budget.bytes else { throw BenchError("the budget is exceeded") }
            clock.advance(by: delay)
        }
        await shown.reach(count * (seconds * 20 + 1))
        guard players.allSatisfy({ $0.statistics.droppedFrames == 0 }) else { throw BenchError("frames were dropped") }
    }

    /// Decodes the frames that are shown, and the one that would be next. This uses all cores, as players do: cores
    /// that decode simultaneously share caches and memory, and take more processor time for the same frames than one
    /// alone.
    private static func decode(_ count: Int, in folder: String) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            for file in try files(count, in: folder) { group.addTask { try decode(file) } }
            try await group.waitForAll()
        }
    }

    private static func decode(_ file: Data) throws {
        let decoder = GIFDecoder()
        let header = try decoder.header(of: file, limits: DecodeLimits())
        let stored = try decoder.decodeStored(file, header, atLeast: nil, DecodeRequest())
        guard let animation = stored.animation else { throw BenchError("no animation") }
        var rest = seconds * 20 + 2
        while rest > 0 {
            var reader = try animation.makeFrames()
            for _ in 0..<min(rest, frames) { blackHole(try reader.next()) }
            rest -= frames
        }
    }

    @MainActor private static func playInRealTime(_ count: Int) async throws -> (late: Int, all: Int) {
        var (late, shown) = (0, 0)
        let players = try (0..<count).map { number in
            AnimationPlayer(try animation(file(number))) { frame in
                blackHole(frame.bitmap)
                shown += 1
                if frame.lateness > .milliseconds(10) { late += 1 }
            }
        }
        try await Task.sleep(for: .seconds(seconds))
        let dropped = players.reduce(0) { $0 + $1.statistics.droppedFrames }
        guard shown + dropped >= count * (seconds * 20 - 1) else { throw BenchError("\(shown) frames were shown") }
        return (late + dropped, shown + dropped)
    }
    #else
    private static let players: [BenchCase] = []
    #endif
}

#if GIF
/// A count that a Task can wait for.
private final class Tally: Sendable {
    private struct State {
        var count = 0
        var awaited = Int.max
        var waiter: CheckedContinuation<Void, Never>?
    }

    private let state = Mutex(State())

    func add() {
        let waiter = state.withLock { state in
            state.count += 1
            return state.count >= state.awaited ? state.waiter.take() : nil
        }
        waiter?.resume()
    }

    @MainActor func reach(_ count: Int) async {
        await withCheckedContinuation { waiter in
            let isReached = state.withLock { state in
                if state.count >= count { return true }
                (state.awaited, state.waiter) = (count, waiter)
                return false
            }
            if isReached { waiter.resume() }
        }
    }
}

/// A decoder of GIFs that counts the frames of animations.
private struct CountingDecoder: StoredImageDecoding {
    let tally: Tally
    var format: ImageFormat { .gif }

    func header(of data: Data, limits: DecodeLimits) throws(ImageLoaderError) -> ImageHeader {
        try GIFDecoder().header(of: data, limits: limits)
    }

    func decodeStored(
        _ data: Data, _ header: ImageHeader, atLeast least: PixelSize?, _ request: DecodeRequest
    ) throws(ImageLoaderError) -> StoredImage {
        var image = try GIFDecoder().decodeStored(data, header, atLeast: least, request)
        image.animation = image.animation.map { CountedAnimation(animation: $0, tally: tally) }
        return image
    }
}

private struct CountedAnimation: AnimationReading {
    let animation: any AnimationReading
    let tally: Tally
    var size: PixelSize { animation.size }
    var delays: [Duration] { animation.delays }
    var loopCount: LoopCount { animation.loopCount }
    var file: Data? { animation.file }

    func makeFrames() throws(ImageLoaderError) -> sending any FrameReading {
        CountedFrames(frames: try animation.makeFrames(), tally: tally)
    }
}

private struct CountedFrames: FrameReading {
    var frames: any FrameReading
    let tally: Tally

    mutating func next() throws(ImageLoaderError) -> Bitmap {
        defer { tally.add() }
        return try frames.next()
    }
}
#endif

/// A transport that never answers, and counts requests for slots that had already been given another image.
private final class WatchfulDataLoader: DataLoading {
    /// No slot wants a request with a number below this one anymore.
    private let ended = Atomic(0)
    private let count = Atomic(0)

    var violations: Int { count.load(ordering: .relaxed) }

    func end(before url: URL?) {
        guard let number = url.flatMap({ Int($0.lastPathComponent) }) else { return }
        ended.store(number, ordering: .sequentiallyConsistent)
    }

    func load(_ request: DataRequest, into sink: ResponseSink) async throws(ImageLoaderError) {
        let number = Int(request.url.lastPathComponent) ?? 0
        if number < ended.load(ordering: .sequentiallyConsistent) { count.add(1, ordering: .relaxed) }
        let gate = Gate()
        await withTaskCancellationHandler {
            await gate.wait()
        } onCancel: {
            gate.open()
        }
        throw .cancelled
    }
}
