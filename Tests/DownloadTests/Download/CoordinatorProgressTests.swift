import Alcedo
import AlcedoTestSupport
import Foundation
import Testing

@testable import TestFixtures

/// The events that readers of a download's control receive.
@Suite(.timeLimit(.minutes(1))) struct CoordinatorProgressTests {
    private let control = LoadControl()

    /// All events up to the end.
    private func readAll(_ control: LoadControl) async -> [DownloadEvent] {
        var cursor = DownloadProgress.Cursor()
        var events: [DownloadEvent] = []
        while let event = await control.next(after: &cursor) {
            events.append(event)
            if case .ended = event { break }
        }
        return events
    }

    private func head(_ fixture: CoordinatorFixture) throws -> ResponseHead {
        ResponseHead(status: 200, url: try .test(), expectedBytes: fixture.body.count)
    }

    @Test func fastReader_receivesEachEvent_inOrder() async throws {
        let fixture = CoordinatorFixture()
        let caller = try fixture.download(control: control)
        let call = try await fixture.nextCall()
        var cursor = DownloadProgress.Cursor()
        #expect(await control.next(after: &cursor) == .started(attempt: 1))
        call.respond(expectedBytes: 100)
        #expect(await control.next(after: &cursor) == .response(try head(fixture)))
        for end in [10, 100] {
            call.send(fixture.body[(end == 10 ? 0 : 10)..<end])
            #expect(await control.next(after: &cursor) == .progress(received: end, expected: 100))
        }
        call.finish()
        #expect(await control.next(after: &cursor) == .ended(error: nil))
        control.finish()
        #expect(await control.next(after: &cursor) == nil)
        _ = try await caller.value
    }

    @Test func slowReader_receivesOnlyTheLatestProgressAndTheEnd() async throws {
        let fixture = CoordinatorFixture()
        let caller = try fixture.download(control: control)
        let call = try await fixture.nextCall()
        call.respond(expectedBytes: 100)
        for byte in fixture.body { call.send(Data([byte])) }
        call.finish()
        _ = try await caller.value
        #expect(
            await readAll(control) == [
                .started(attempt: 1), .response(try head(fixture)), .progress(received: 100, expected: 100),
                .ended(error: nil),
            ])
    }

    @Test func lateJoiner_receivesTheCurrentProgressAtOnce() async throws {
        let fixture = CoordinatorFixture()
        let first = try fixture.download()
        let call = try await fixture.nextCall()
        call.respond(expectedBytes: 100)
        call.send(fixture.body.prefix(30))
        try await call.delivered()
        let second = try fixture.download(control: control)
        var cursor = DownloadProgress.Cursor()
        #expect(await control.next(after: &cursor) == .started(attempt: 1))
        #expect(await control.next(after: &cursor) == .response(try head(fixture)))
        #expect(await control.next(after: &cursor) == .progress(received: 30, expected: 100))
        call.send(fixture.body.dropFirst(30))
        #expect(await control.next(after: &cursor) == .progress(received: 100, expected: 100))
        call.finish()
        _ = (try await first.value, try await second.value)
    }

    @Test func cancelledCaller_receivesNothingMore() async throws {
        let fixture = CoordinatorFixture()
        let first = try fixture.download()
        let call = try await fixture.nextCall()
        let second = try fixture.download(control: control)
        var cursor = DownloadProgress.Cursor()
        #expect(await control.next(after: &cursor) == .started(attempt: 1))
        second.cancel()
        _ = await second.result
        fixture.complete(call)
        _ = try await first.value
        control.finish()
        #expect(await control.next(after: &cursor) == nil)
    }

    @Test func retry_reportsANewAttempt() async throws {
        let fixture = CoordinatorFixture { $0.retry = .atOnce() }
        let caller = try fixture.download(control: control)
        let call = try await fixture.nextCall()
        call.respond(expectedBytes: 100)
        call.send(fixture.body.prefix(30))
        var cursor = DownloadProgress.Cursor()
        #expect(await control.next(after: &cursor) == .started(attempt: 1))
        #expect(await control.next(after: &cursor) == .response(try head(fixture)))
        #expect(await control.next(after: &cursor) == .progress(received: 30, expected: 100))
        call.fail(.timedOut(.idle))
        #expect(await control.next(after: &cursor) == .started(attempt: 2))
        fixture.complete(try await fixture.nextCall())
        _ = try await caller.value
        #expect(await control.next(after: &cursor) == .response(try head(fixture)))
        #expect(await control.next(after: &cursor) == .progress(received: 100, expected: 100))
        #expect(await control.next(after: &cursor) == .ended(error: nil))
    }

    @Test func failure_isTheLastEvent() async throws {
        let fixture = CoordinatorFixture(ScriptedDataLoader { _ in .status(404) })
        _ = await fixture.download(try .test(), control: control).result
        #expect(await readAll(control) == [.started(attempt: 1), .ended(error: .badStatus(404))])
    }

    @Test func cancelledReader_returnsAtOnce() async throws {
        let fixture = CoordinatorFixture()
        let caller = try fixture.download(control: control)
        let call = try await fixture.nextCall()
        let received = Recorder<DownloadEvent>()
        let reader = Task { [control] in
            var cursor = DownloadProgress.Cursor()
            while let event = await control.next(after: &cursor) { received.record(event) }
        }
        await received.wait { $0.count == 1 }
        reader.cancel()
        await reader.value
        fixture.complete(call)
        _ = try await caller.value
        #expect(received.values == [.started(attempt: 1)])
    }

    @Test func eventsOfADownload_arriveInOrder() async throws {
        let fixture = CoordinatorFixture { $0.retry = .atOnce() }
        let caller = try fixture.download()
        (try await fixture.nextCall()).respond(status: 503)
        fixture.complete(try await fixture.nextCall())
        _ = try await caller.value
        let events = fixture.events.values.map { event in
            switch event {
            case .began(.download): "started"
            case .retried(let attempt, _, _): "retried \(attempt)"
            case .progress(let received, let expected): "\(received) of \(expected ?? -1)"
            case .ended(.download, let end): "ended \(end.bytes ?? -1) \(end.error == nil)"
            case .ended(.firstByte, _): "responded"
            default: "another"
            }
        }
        #expect(
            events == [
                "started", "responded", "ended 0 false", "retried 1", "started", "responded", "0 of 100", "100 of 100",
                "ended 100 true",
            ])
    }
}
