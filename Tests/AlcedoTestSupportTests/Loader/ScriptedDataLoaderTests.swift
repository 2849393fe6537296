import Alcedo
import AlcedoTestSupport
import Foundation
import Synchronization
import Testing

@Suite(.timeLimit(.minutes(1)))
struct ScriptedDataLoaderTests {
    private let request: DataRequest
    /// What the sink was told, in order.
    private let progress: ProgressLog
    private let sink: ResponseSink

    init() throws {
        request = DataRequest(url: try #require(URL(string: "http://example.com/a.png")))
        let progress = ProgressLog()
        self.progress = progress
        sink = ResponseSink(maximumBytes: 1000) { progress.note($0, $1) }
    }

    private func start(_ loader: ScriptedDataLoader) -> Task<Void, any Error> {
        Task { [request, sink] in try await loader.load(request, into: sink) }
    }

    // MARK: At once

    @Test func `a canned body is delivered whole, with its length`() async throws {
        let loader = ScriptedDataLoader { _ in .bytes(Data(repeating: 7, count: 10)) }
        try await loader.load(request, into: sink)
        #expect(progress.entries == [.init(0, 10), .init(10, 10)])
        #expect(loader.callCount == 1)
    }

    @Test func `the announced length can be wrong or missing`() async throws {
        let body = Data(repeating: 7, count: 10)
        for expected in [nil, 99] {
            let loader = ScriptedDataLoader { _ in
                .response(status: 200, headers: [:], body: body, expectedBytes: expected)
            }
            try await loader.load(request, into: sink)
        }
        #expect(progress.entries == [.init(0, nil), .init(10, nil), .init(0, 99), .init(10, 99)])
    }

    @Test func `the answer depends on the request`() async throws {
        let loader = ScriptedDataLoader { request throws(ImageLoaderError) in
            switch request.url.path {
            case "/lost": throw .connectionFailed(.lost, detail: "scripted")
            case "/slow": return .failure(.timedOut(.idle))
            default: return .status(404)
            }
        }
        let lost = DataRequest(url: try #require(URL(string: "http://example.com/lost")))
        let slow = DataRequest(url: try #require(URL(string: "http://example.com/slow")))
        await #expect(throws: ImageLoaderError.connectionFailed(.lost, detail: "scripted")) {
            try await loader.load(lost, into: sink)
        }
        await #expect(throws: ImageLoaderError.timedOut(.idle)) { try await loader.load(slow, into: sink) }
        await #expect(throws: ImageLoaderError.badStatus(404)) { try await loader.load(request, into: sink) }
        #expect(loader.callCount == 3)
    }

    @Test func `a cancelled Task gets no answer`() async throws {
        let loader = ScriptedDataLoader { _ in .bytes(Data([1])) }
        let clock = ManualClock()
        let task = Task { [request, sink] in
            do { try await clock.sleep(for: .seconds(1)) } catch {}
            try await loader.load(request, into: sink)
        }
        task.cancel()
        await #expect(throws: ImageLoaderError.cancelled) { try await task.value }
        #expect(progress.entries.isEmpty)
    }

    // MARK: Driven

    @Test func `a driven call delivers in order and returns at the end`() async throws {
        let loader = ScriptedDataLoader()
        let task = start(loader)
        let call = try await loader.nextCall()
        #expect(call.request.url == request.url)
        call.respond(expectedBytes: 3)
        call.send(Data([1]))
        try await call.delivered()
        #expect(progress.entries == [.init(0, 3), .init(1, 3)])
        #expect(call.end == nil)
        call.send(Data([2, 3]))
        call.finish()
        try await task.value
        #expect(progress.entries == [.init(0, 3), .init(1, 3), .init(3, 3)])
        #expect(try await call.ended() == .finished)
    }

    @Test func `a closure may leave a call to the test`() async throws {
        let loader = ScriptedDataLoader { _ in .manual }
        let task = start(loader)
        try await loader.nextCall().fail(.connectionFailed(.refused, detail: ""))
        await #expect(throws: ImageLoaderError.connectionFailed(.refused, detail: "")) { try await task.value }
    }

    @Test func `the end happens once, what follows is ignored`() async throws {
        let loader = ScriptedDataLoader()
        let task = start(loader)
        let call = try await loader.nextCall()
        call.respond()
        call.finish()
        call.finish()
        call.fail(.timedOut(.idle))
        call.send(Data([1]))
        try await task.value
        call.send(Data([1]))
        call.fail(.timedOut(.idle))
        try await call.delivered()
        #expect(call.end == .finished)
        #expect(progress.entries == [.init(0, nil)])
    }

    @Test func `a cancelled load throws without an answer, and the call sees it`() async throws {
        let loader = ScriptedDataLoader()
        let task = start(loader)
        let call = try await loader.nextCall()
        call.respond(expectedBytes: 5)
        try await call.delivered()
        task.cancel()
        await #expect(throws: ImageLoaderError.cancelled) { try await task.value }
        try await call.cancelled()
        #expect(call.isCancelled)
        call.send(Data([1]))
        call.finish()
        #expect(call.end == .cancelled)
        #expect(progress.entries == [.init(0, 5)])
    }

    @Test func `waiting for a cancellation fails when the call ends in another way`() async throws {
        let loader = ScriptedDataLoader()
        let task = start(loader)
        let call = try await loader.nextCall()
        call.finish()
        await #expect(throws: ScriptedDataLoader.Call.NotCancelled.self) { try await call.cancelled() }
        try await task.value
    }

    @Test func `the sink's error ends the call`() async throws {
        let loader = ScriptedDataLoader()
        let task = start(loader)
        let call = try await loader.nextCall()
        call.respond(expectedBytes: 2000)
        let error = ImageLoaderError.limitExceeded(.inputBytes, value: 2000, allowed: 1000)
        await #expect(throws: error) { try await task.value }
        #expect(try await call.ended() == .refused(error))
    }

    @Test func `calls are handed out in order, each once`() async throws {
        let loader = ScriptedDataLoader()
        var tasks: [Task<Void, any Error>] = []
        for number in 0..<20 {
            let url = try #require(URL(string: "http://example.com/\(number)"))
            tasks.append(Task { [sink] in try await loader.load(DataRequest(url: url), into: sink) })
            let call = try await loader.nextCall()
            #expect(call.request.url == url)
            call.finish()
        }
        for task in tasks { try await task.value }
        #expect(loader.callCount == 20)
    }

    @Test func `a call for a URL is handed out past others, which stay`() async throws {
        let loader = ScriptedDataLoader()
        let urls = try (0..<3).map { try #require(URL(string: "http://example.com/\($0)?a=\($0)")) }
        let waiting = Task { try await loader.nextCall(for: urls[2]) }
        var tasks: [Task<Void, any Error>] = []
        for url in urls { tasks.append(Task { [sink] in try await loader.load(DataRequest(url: url), into: sink) }) }
        let last = try await waiting.value
        #expect(last.request.url == urls[2])
        last.finish()
        let second = try await loader.nextCall(for: urls[1])
        #expect(second.request.url == urls[1])
        second.finish()
        let first = try await loader.nextCall()
        #expect(first.request.url == urls[0])
        first.finish()
        for task in tasks { try await task.value }
    }

    @Test func `an answer is a whole response`() async throws {
        let loader = ScriptedDataLoader()
        let task = start(loader)
        let call = try await loader.nextCall(for: request.url)
        call.answer(Data([1, 2, 3]), headers: ["ETag": "1"])
        try await task.value
        #expect(progress.entries == [.init(0, 3), .init(3, 3)])
        #expect(call.end == .finished)
        let failing = start(loader)
        try await loader.nextCall(for: request.url).answer(status: 404)
        await #expect(throws: ImageLoaderError.badStatus(404)) { try await failing.value }
    }

    @Test func `finish and cancellation race to one outcome`() async throws {
        let loader = ScriptedDataLoader()
        for _ in 0..<500 {
            let task = start(loader)
            let call = try await loader.nextCall()
            async let finished: Void = call.finish()
            task.cancel()
            await finished
            switch await task.result {
            case .success: #expect(call.end == .finished)
            case .failure(let error):
                #expect(error as? ImageLoaderError == .cancelled)
                #expect(call.end == .cancelled)
            }
        }
    }
}

private final class ProgressLog: Sendable {
    struct Entry: Equatable {
        let received: Int
        let expected: Int?
        init(_ received: Int, _ expected: Int?) {
            self.received = received
            self.expected = expected
        }
    }

    private let log = Mutex<[Entry]>([])
    var entries: [Entry] { log.withLock { $0 } }
    func note(_ received: Int, _ expected: Int?) { log.withLock { $0.append(Entry(received, expected)) } }
}
