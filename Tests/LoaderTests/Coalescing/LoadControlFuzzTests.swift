import AlcedoTestSupport
import Foundation
import Testing

@testable import Alcedo
@testable import TestFixtures

/// The progress of downloads on its way to those who follow them, against a model that is made of lists.
@Suite(.timeLimit(.minutes(Fuzz.isLong ? 60 : 2))) struct LoadControlFuzzTests {
    @Test func randomHistories_agreeWithModel() async {
        var random = SeededRandom(seed: Fuzz.seed)
        var step = 0
        while step < Fuzz.steps {
            var trial = LoadControlTrial(readers: Int.random(in: 1...8, using: &random))
            let end = min(Fuzz.steps, step + Int.random(in: 1...500, using: &random))
            while step < end {
                if let problem = await trial.step(using: &random) { return report(problem, step) }
                step += 1
            }
            if let problem = await trial.windUp() { return report(problem, step) }
        }
    }

    private func report(_ problem: String, _ step: Int) {
        Issue.record("ALCEDO_FUZZ_SEED=\(Fuzz.seed), step \(step): \(problem)")
    }
}

/// A few controls and those who read them, each beside its model.
private struct LoadControlTrial {
    private typealias Waiting = Task<(DownloadEvent?, DownloadProgress.Cursor), Never>

    private struct Reader {
        let control: Int
        var cursor = DownloadProgress.Cursor()
        var model = LoadControlModel.Reader()
        /// Set while it waits for what comes next.
        var waiting: Waiting?
    }

    /// Of these the first have downloads of their own, and each of the others may follow those before it.
    private static let count = 7
    private static let sources = 3

    private let controls = (0..<count).map { _ in LoadControl() }
    private var model = LoadControlModel(count: count)
    private var readers: [Reader]

    init(readers: Int) {
        self.readers = (0..<readers).map { Reader(control: Self.count - 1 - $0 % Self.count) }
    }

    /// Does something, and returns what went wrong.
    mutating func step(using random: inout SeededRandom) async -> String? {
        let source = Int.random(in: 0..<Self.sources, using: &random)
        let follower = Int.random(in: Self.sources..<Self.count, using: &random)
        let followed = Int.random(in: 0..<follower, using: &random)
        let reader = readers.indices.randomElement(using: &random) ?? 0
        switch Int.random(in: 0..<100, using: &random) {
        case 0..<45: happen(source, using: &random)
        case 45..<53:
            controls[followed].share(with: controls[follower]).forEach { $0() }
            model.add(follower, to: followed)
        case 53..<58:
            controls[followed].remove(controls[follower])
            model.remove(follower, from: followed)
        case 58..<90: if let problem = read(reader) { return problem }
        case 90..<93: if readers[reader].waiting == nil { readers[reader] = Reader(control: readers[reader].control) }
        case 93..<99: await wait(reader, yields: Bool.random(using: &random))
        default:
            controls[follower].finish()
            model.finish(follower)
        }
        return await settle()
    }

    /// The next thing of a download's life, in order but for what comes after its end.
    private mutating func happen(_ source: Int, using random: inout SeededRandom) {
        let story = model.stories[source]
        let control = controls[source]
        switch Int.random(in: 0..<10, using: &random) {
        case 0, 1:
            let attempt = Int.random(in: 1...3, using: &random)
            control.advance { $0.start(attempt: attempt) }
            model.start(source, attempt: attempt)
        case 2:
            let error: ImageLoaderError? = Bool.random(using: &random) ? nil : .badStatus(story.number)
            control.advance { $0.end(error) }
            model.append(.ended(error: error), to: source)
        case _ where story.events.isEmpty: break
        case _ where !story.hasHead:
            let head = ResponseHead(status: story.number, url: URL(filePath: "/"))
            control.advance { $0.respond(head) }
            model.append(.response(head), to: source)
        default:
            let received = story.received + Int.random(in: 0...2, using: &random)
            let expected = story.number.isMultiple(of: 2) ? nil : 1_000
            control.advance { $0.receive(received, of: expected) }
            model.append(.progress(received: received, expected: expected), to: source)
        }
    }

    // MARK: Reading

    private mutating func read(_ at: Int) -> String? {
        guard readers[at].waiting == nil else { return nil }
        let control = readers[at].control
        let expected = model.reading(control, &readers[at].model)
        let reading = controls[control].read(after: &readers[at].cursor)
        return reading == expected ? nil : "reader \(at) of \(control) got \(reading) and not \(expected)"
    }

    /// Has a reader wait for what is not there yet.
    private mutating func wait(_ at: Int, yields: Bool) async {
        var probe = readers[at].model
        guard readers[at].waiting == nil, model.reading(readers[at].control, &probe) == .nothingYet else { return }
        readers[at].waiting = Task { [control = controls[readers[at].control], cursor = readers[at].cursor] in
            var cursor = cursor
            return (await control.next(after: &cursor), cursor)
        }
        // At times it waits before what comes next, at times it finds that.
        if yields { await Task.yield() }
    }

    /// Those who wait and for whom there is something now have it.
    private mutating func settle() async -> String? {
        for at in readers.indices {
            guard let waiting = readers[at].waiting else { continue }
            let expected = model.reading(readers[at].control, &readers[at].model)
            guard expected != .nothingYet else { continue }
            let (event, cursor) = await withTaskCancellationHandler {
                await waiting.value
            } onCancel: {
                waiting.cancel()
            }
            (readers[at].waiting, readers[at].cursor) = (nil, cursor)
            let reading = event.map { LoadControl.Reading.event($0) } ?? .over
            if reading != expected { return "reader \(at), which waited, got \(reading) and not \(expected)" }
        }
        return nil
    }

    /// Everything is over, and everybody reads to the end.
    mutating func windUp() async -> String? {
        for (number, control) in controls.enumerated() {
            control.finish()
            model.finish(number)
        }
        if let problem = await settle() { return problem }
        for at in readers.indices {
            for _ in 0..<5 { if let problem = read(at) { return problem } }
            if controls[readers[at].control].read(after: &readers[at].cursor) != .over { return "reader \(at) goes on" }
        }
        return nil
    }
}
