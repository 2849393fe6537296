import AlcedoTestSupport
import Foundation
import Synchronization
import Testing

@testable import Alcedo
@testable import TestFixtures

/// A prefetcher and views that load the same images, at random.
@Suite(.timeLimit(.minutes(Fuzz.isLong ? 60 : 2))) struct PrefetcherFuzzTests {
    /// A share of the usual number, because each step waits for two actors and begins several loads.
    private static let steps = Fuzz.isLong ? Fuzz.steps : min(Fuzz.steps, 1_500)
    private static let (window, width, hostWidth) = (8, 6, 4)
    /// The images that views load, too. Of the others, no download ever leaves the priorities of prefetching.
    private static let shared = 40..<60

    private let loader: ImageLoader
    private let prefetcher: ImagePrefetcher
    private let transport: ScriptedDataLoader
    private let permits = Permits()
    private let late: LateAnswers
    /// On two hosts.
    private let urls: [URL]
    private let numbers: [ImageKey: Int]

    init() throws {
        let (png, permits) = (try Pictures.png(), permits)
        late = LateAnswers(png)
        transport = ScriptedDataLoader { request in
            let number = number(of: request.url)
            permits.note(number)
            return switch number % 10 {
            case 3: .status(404)
            case 7: .status(500)
            default: number % 4 == 1 ? .manual : .bytes(png, headers: LateAnswers.headers)
            }
        }
        var configuration = try LoaderFixture(transport).configuration
        // There would be millions, and they aren't read.
        configuration.eventSinks = []
        configuration.disk = nil
        configuration.memory.maximumCount = 5
        configuration.download.retry = .atOnce()
        configuration.download.minimumRate = nil
        configuration.download.maximumConcurrentDownloads = Self.width
        configuration.download.maximumConcurrentDownloadsPerHost = Self.hostWidth
        let loader = ImageLoader(configuration)
        self.loader = loader
        prefetcher = ImagePrefetcher(loader, window: Self.window)
        urls = try (0..<60).map { try #require(URL(string: "http://\($0 % 2 == 0 ? "even" : "odd").test/\($0)")) }
        numbers = Dictionary(
            uniqueKeysWithValues: urls.enumerated().map { (loader.key(for: ImageRequest(url: $1)), $0) })
    }

    /// Under random starts, stops, pauses, loads and cancels, no unwanted image is requested, unless it was being
    /// requested when it was stopped; the slots' limits hold, progress adds up, and every slot is given back.
    @Test func randomSteps_keepTheRules() async throws {
        var random = SeededRandom(seed: Fuzz.seed)
        async let _ = late.collect(from: transport)
        var wishes = Wishes()
        for step in 0..<Self.steps {
            wishes.forgetEndedViews()
            let action = wishes.action(using: &random)
            await act(action, &wishes)
            if Bool.random(using: &random) { late.answerFirst() }
            // Other tests may leave one thread only, which the loads need, too.
            await Task.yield()
            guard permits.problems.isEmpty, !Task.isCancelled else {
                Issue.record("step \(step), \(action), seed \(Fuzz.seed): \(permits.problems)")
                return
            }
        }
        try await end(&wishes)
    }

    private func end(_ wishes: inout Wishes) async throws {
        late.answerAll()
        await act(.constrain(false), &wishes)
        await act(.resume, &wishes)
        for await progress in prefetcher.progressUpdates where progress.remaining == 0 { break }
        let progress = await prefetcher.progress
        #expect(progress.total == progress.finished + progress.skipped + progress.failed)
        #expect(progress.finished > 0 && progress.failed > 0)
        for view in wishes.views { await view.task.end() }
        while await loader.downloads.statistics.running > 0, !Task.isCancelled { await Task.yield() }
        #expect(await loader.downloads.statistics.queued == 0)
        // Images that are stopped before anything can begin are never requested.
        wishes = Wishes()
        await act(.pause, &wishes)
        await act(.start(Array(urls.indices)), &wishes)
        await act(.stopAll, &wishes)
        let count = transport.callCount
        await act(.resume, &wishes)
        #expect(await prefetcher.progress.remaining == 0)
        await loader.path.flights.ended()
        #expect(loader.path.flights.count == 0)
        #expect(transport.callCount == count)
        #expect(permits.problems.isEmpty)
        #expect(permits.mostRunning > 1)
    }

    // MARK: Steps

    private func act(_ action: Action, _ wishes: inout Wishes) async {
        wishes.note(action)
        var callers = wishes.viewed
        if case .view(let number) = action { callers.insert(number) }
        let (listed, wanted) = (wishes.listed, callers)
        permits.add(listed.union(wanted))
        if let task = perform(action), case .view(let number) = action { wishes.views.append((number, task)) }
        let (prefetched, progress) = await checkList(prefetcher, listed)
        // No download gets a slot during this turn, and no unwanted one after it.
        await loader.downloads.inOneTurn { downloads in
            permits.replace(with: prefetched.union(wanted).union(checkSlots(downloads)), progress)
        }
    }

    private func perform(_ action: Action) -> LoadTask<ImageResponse>? {
        switch action {
        case .start(let numbers): prefetcher.start(numbers.map { urls[$0] })
        case .stop(let numbers): prefetcher.stop(numbers.map { urls[$0] })
        case .update(let numbers): prefetcher.update(to: numbers.map { urls[$0] })
        case .stopAll: prefetcher.stopAll()
        case .forget: prefetcher.forgetFailures()
        case .pause: prefetcher.pause()
        case .resume: prefetcher.resume()
        case .constrain(let isConstrained): prefetcher.setConstrained(isConstrained)
        case .prioritize(let priority): prefetcher.setPriority(priority)
        case .view(let number): return loader.imageTask(for: urls[number])
        case .leave(let task): task.cancel()
        }
        return nil
    }

    // MARK: Rules

    /// Checks the slots. Returns the images whose download has one, which may be about to be sent.
    private func checkSlots(_ downloads: isolated DownloadCoordinator) -> Set<Int> {
        let queue = downloads.queue
        permits.report(queue.brokenInvariant)
        var sent: Set<Int> = []
        var inBackground = [0, 0]
        for (id, place) in queue.running {
            guard let url = downloads.downloads[id]?.url else {
                permits.report("a slot without a download")
                continue
            }
            let number = number(of: url)
            sent.insert(number)
            // A view that leaves lowers the priority of a running download, whatever else runs.
            guard !Self.shared.contains(number) else { continue }
            inBackground[number % 2] += 1
            if !place.priority.isBackground { permits.report("\(number) isn't loaded in the background") }
        }
        let hosts = queue.hosts.mapValues(\.running)
        if queue.runningCount > Self.width || hosts.values.contains(where: { $0 > Self.hostWidth }) {
            permits.report("\(queue.runningCount) run, by host \(hosts)")
        }
        if inBackground[0] + inBackground[1] > Self.width / 2
            || inBackground.contains(where: { $0 > Self.hostWidth / 2 })
        {
            permits.report("in the background run \(inBackground)")
        }
        permits.noteRunning(queue.runningCount)
        return sent
    }

    /// Checks the list. Returns the images whose loads run or may begin.
    private func checkList(
        _ prefetcher: isolated ImagePrefetcher, _ listed: Set<Int>
    ) -> (Set<Int>, ImagePrefetcher.Progress) {
        let (progress, list) = (prefetcher.progress, prefetcher.list)
        permits.report(list.brokenInvariant)
        var prefetched: Set<Int> = []
        for (key, state) in list.states {
            guard let number = numbers[key] else {
                permits.report("an image that was never started is on the list")
                continue
            }
            switch state {
            case .failed: continue
            case .running: prefetched.insert(number)
            case .waiting: if !list.isHeld { prefetched.insert(number) }
            }
            if !listed.contains(number) { permits.report("\(number) is still on the list") }
        }
        return (prefetched, progress)
    }
}

private func number(of url: URL) -> Int { Int(url.lastPathComponent) ?? -1 }

/// The steps of a run.
private enum Action: Sendable {
    case start([Int]), stop([Int]), update([Int])
    case stopAll, forget, pause, resume
    case constrain(Bool)
    case prioritize(RequestPriority)
    case view(Int)
    case leave(LoadTask<ImageResponse>)
}

/// The wanted images: those that were started and not stopped since, and those of views.
private struct Wishes {
    var listed: Set<Int> = []
    var views: [(number: Int, task: LoadTask<ImageResponse>)] = []

    var viewed: Set<Int> { Set(views.map(\.number)) }

    mutating func forgetEndedViews() { views.removeAll { $0.task.result != nil } }

    mutating func note(_ action: Action) {
        switch action {
        case .start(let numbers): listed.formUnion(numbers)
        case .stop(let numbers): listed.subtract(numbers)
        case .update(let numbers): listed = Set(numbers)
        case .stopAll: listed = []
        case .leave(let task): views.removeAll { $0.task === task }
        case .forget, .pause, .resume, .constrain, .prioritize, .view: break
        }
    }

    func action(using random: inout SeededRandom) -> Action {
        let some = (0..<Int.random(in: 1...8, using: &random)).map { _ in Int.random(in: 0..<60, using: &random) }
        switch Int.random(in: 0..<100, using: &random) {
        case 0..<30: return .start(some)
        case 30..<42: return .stop(some)
        case 42..<48: return .update(some)
        case 48: return .stopAll
        case 49..<51: return .forget
        case 51..<54: return .pause
        case 54..<63: return .resume
        case 63..<66: return .constrain(true)
        case 66..<73: return .constrain(false)
        case 73..<75: return .prioritize([.veryLow, .low, .high].randomElement(using: &random) ?? .low)
        case 75..<87: return .view(Int.random(in: 40..<60, using: &random))
        default: return views.randomElement(using: &random).map { .leave($0.task) } ?? .resume
        }
    }
}

/// The images that may be requested now, and what is wrong.
private final class Permits: Sendable {
    private struct State {
        var numbers: Set<Int> = []
        var progress = ImagePrefetcher.Progress()
        var mostRunning = 0
        var problems: [String] = []
    }

    private let state = Mutex(State())

    var mostRunning: Int { state.withLock { $0.mostRunning } }
    var problems: [String] { state.withLock { $0.problems } }

    func add(_ numbers: Set<Int>) { state.withLock { $0.numbers.formUnion(numbers) } }

    /// - Parameter progress: It only grows, except for the number of images that are wanted.
    func replace(with numbers: Set<Int>, _ progress: ImagePrefetcher.Progress) {
        state.withLock { state in
            let last = state.progress
            if progress.finished < last.finished || progress.skipped < last.skipped || progress.failed < last.failed
                || progress.receivedBytes < last.receivedBytes
            {
                state.problems.append("the progress was \(last), and is \(progress)")
            }
            state.numbers = numbers
            state.progress = progress
        }
    }

    func note(_ number: Int) {
        state.withLock { state in
            if !state.numbers.contains(number) { state.problems.append("\(number) is requested, and nobody wants it") }
        }
    }

    func noteRunning(_ count: Int) { state.withLock { $0.mostRunning = max($0.mostRunning, count) } }

    func report(_ problem: String?) {
        if let problem { state.withLock { $0.problems.append(problem) } }
    }
}

/// Calls of the transport that hold their slots until the test answers them.
private final class LateAnswers: Sendable {
    static let headers: HTTPHeaders = ["Cache-Control": "max-age=86400"]

    private let calls = Mutex<(open: [ScriptedDataLoader.Call], areAnswered: Bool)>(([], false))
    private let body: Data

    init(_ body: Data) { self.body = body }

    func collect(from transport: ScriptedDataLoader) async throws {
        while true {
            let call = try await transport.nextCall()
            let isAnswered = calls.withLock { calls in
                if !calls.areAnswered { calls.open.append(call) }
                return calls.areAnswered
            }
            if isAnswered { answer(call) }
        }
    }

    /// Answers the oldest call that hasn't been cancelled.
    func answerFirst() {
        let first = calls.withLock { calls in
            calls.open.removeAll { $0.end != nil }
            return calls.open.isEmpty ? nil : calls.open.removeFirst()
        }
        if let first { answer(first) }
    }

    /// Answers all calls, and later ones at once.
    func answerAll() {
        let all = calls.withLock { calls in
            calls.areAnswered = true
            return calls.open
        }
        all.forEach(answer)
    }

    private func answer(_ call: ScriptedDataLoader.Call) { call.answer(body, headers: Self.headers) }
}
