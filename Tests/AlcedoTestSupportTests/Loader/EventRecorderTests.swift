import Alcedo
import AlcedoTestSupport
import Foundation
import Testing

@Suite(.timeLimit(.minutes(1))) struct EventRecorderTests {
    private let recorder = EventRecorder()
    private let url: URL

    init() throws { url = try #require(URL(string: "http://host.test/a.png")) }

    private func event(_ received: Int) -> LoadEvent { LoadEvent(kind: .progress(received: received, expected: nil)) }

    private func end(of url: URL) -> LoadEvent {
        let outcome = StageOutcome(duration: .seconds(1), error: .badStatus(404))
        return LoadEvent(url: url, kind: .failed(ImageRequest(url: url), outcome))
    }

    private static func number(_ event: LoadEvent) -> Int? {
        if case .progress(let received, _) = event.kind { received } else { nil }
    }

    @Test func `an event is handed out once, and others stay`() async throws {
        for number in 1...4 { recorder.receive(event(number)) }
        let even: @Sendable (LoadEvent) -> Bool = { Self.number($0)?.isMultiple(of: 2) == true }
        #expect(Self.number(try await recorder.next(where: even)) == 2)
        #expect(Self.number(try await recorder.next(where: even)) == 4)
        #expect(Self.number(try await recorder.next { _ in true }) == 1)
        #expect(Self.number(try await recorder.next { _ in true }) == 3)
        #expect(recorder.events.compactMap(Self.number) == [1, 2, 3, 4])
    }

    @Test func `a wait ends with the event that it is for`() async throws {
        let waiting = Task { [recorder] in try await recorder.next { Self.number($0) == 7 } }
        for number in 1...7 { recorder.receive(event(number)) }
        #expect(Self.number(try await waiting.value) == 7)
    }

    @Test func `a cancelled wait takes no event`() async throws {
        let waiting = Task { [recorder] in try await recorder.next { _ in true } }
        waiting.cancel()
        await #expect(throws: CancellationError.self) { try await waiting.value }
        recorder.receive(event(1))
        #expect(Self.number(try await recorder.next { _ in true }) == 1)
    }

    @Test func `each load has one end`() async throws {
        let other = try #require(URL(string: "http://host.test/other.png"))
        recorder.receive(LoadEvent(url: url, kind: .requested(ImageRequest(url: url))))
        recorder.receive(end(of: other))
        let first = Task { [recorder, url] in try await recorder.nextEnd(of: url) }
        let second = Task { [recorder, url] in try await recorder.nextEnd(of: url) }
        recorder.receive(end(of: url))
        recorder.receive(end(of: url))
        for waiting in [first, second] { #expect(try await waiting.value.url == url) }
        #expect(try await recorder.nextEnd(of: other).url == other)
    }

    @Test func `the end of a real load is awaited`() async throws {
        var configuration = ImageLoader.Configuration()
        configuration.disk = nil
        configuration.dataLoader = ScriptedDataLoader { _ in .status(404) }
        configuration.eventSinks = [recorder]
        let task = ImageLoader(configuration).imageTask(for: url)
        let end = try await recorder.nextEnd(of: url)
        #expect(end.load == task.id)
        guard case .failed(_, let outcome) = end.kind else {
            Issue.record("\(end)")
            return
        }
        #expect(outcome.error == .badStatus(404))
    }
}
