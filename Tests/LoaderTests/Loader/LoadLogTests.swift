import AlcedoTestSupport
import Foundation
import Testing

@testable import Alcedo
@testable import TestFixtures

/// Events as lines.
@Suite(.timeLimit(.minutes(1))) struct LoadLogTests {
    private func lines(_ events: [LoadEvent], _ format: LoadLog.Format, _ level: LoadLog.Level) -> [String] {
        let lines = Recorder<String>()
        let log = LoadLog(format, level: level) { lines.record($0) }
        for event in events { log.receive(event) }
        return lines.values
    }

    private func event(_ kind: LoadEvent.Kind) throws -> LoadEvent {
        let url = try #require(URL(string: "https://user:secret@host.test/a%20b.png?sig=secret#secret"))
        return LoadEvent(load: LoadID(number: 7), url: url, kind: kind)
    }

    private func events() throws -> [LoadEvent] {
        let request = ImageRequest(url: try .test())
        let done = StageOutcome(duration: .microseconds(1_500), bytes: 9, flags: [.cached, .stale])
        let failed = StageOutcome(duration: .milliseconds(2), error: .malformedResponse("a \"b\"\nevent=loaded"))
        return try [
            .requested(request), .began(.download), .progress(received: 1, expected: nil), .ended(.download, done),
            .coalesced(with: LoadID(number: 3)), .resumed(from: 5), .loaded(request, source: .disk, done),
            .failed(request, failed), .failed(request, StageOutcome(duration: .zero, error: .cancelled)),
            .retried(attempt: 1, error: .timedOut(.idle), delay: .milliseconds(250)),
            .revalidated(request, isChanged: true), .misconfigured(.unsupportedConfiguration("x")),
            .cacheFailed(CacheFailure(operation: .write, path: "p", reason: "full")), .diskEvicted([]),
            .diskExpired([]),
        ].map { try event($0) }
    }

    @Test func levels_addEvents() throws {
        #expect(try lines(events(), .text, .failures).count == 4)
        #expect(try lines(events(), .text, .loads).count == 9)
        #expect(try lines(events(), .text, .stages).count == 14)
    }

    @Test func text_isOneLine_withoutSecrets() throws {
        let all = try lines(events(), .text, .stages)
        #expect(all.allSatisfy { !$0.contains("\n") && !$0.contains("secret") })
        let shown = "load=7 url=https://host.test/a%20b.png"
        #expect(all[1] == "event=began \(shown) stage=download")
        #expect(all[5] == "event=loaded \(shown) source=disk milliseconds=1.5 bytes=9 cached stale")
        let error = "the response is malformed: a \\\"b\\\"\\nevent=loaded"
        #expect(all[6] == "event=failed \(shown) milliseconds=2.0 error=\"\(error)\"")
    }

    @Test func json_isAnObjectPerLine() throws {
        let objects = try lines(events(), .json, .stages).map { line in
            #expect(!line.contains("\n"))
            return try #require(JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
        }
        #expect(objects.count == 14 && objects.allSatisfy { $0["load"] as? Int == 7 })
        #expect(objects[5]["milliseconds"] as? Double == 1.5 && objects[5]["cached"] as? Bool == true)
        #expect(objects[6]["error"] as? String == "the response is malformed: a \"b\"\nevent=loaded")
    }

    @Test func line_hasFields() throws {
        #expect(try LoadLog.Line(events()[6], at: .failures) == nil)
        let line = try #require(LoadLog.Line(try events()[6]))
        #expect(line.event == "loaded" && line.level == .loads)
        let fields = line.fields.map { "\($0.name): \($0.value)" }
        #expect(
            fields == [
                "load: 7", "url: https://host.test/a%20b.png", "source: disk", "milliseconds: 1.5", "bytes: 9",
                "cached: true", "stale: true",
            ])
        #expect(LoadLog.Line(try events()[2]) == nil)
    }

    @Test func errors_showNoSecrets() throws {
        let error = ImageLoaderError.redirectRefused(location: "http://host.test/a?sig=secret", reason: "insecure")
        let request = ImageRequest(url: try .test())
        let failed = try event(.failed(request, StageOutcome(duration: .zero, error: error)))
        #expect(lines([failed], .text, .failures)[0].contains("secret") == false)
        #expect(lines([failed], .text, .failures)[0].contains("http://host.test/a"))
    }

    @Test func loader_writesItsFailures() async throws {
        let lines = Recorder<String>()
        var fixture = try LoaderFixture(ScriptedDataLoader { _ in .status(404) })
        fixture.configuration.eventSinks = [LoadLog { lines.record($0) }]
        await #expect(throws: ImageLoaderError.badStatus(404)) { try await fixture.makeLoader().image(for: .test()) }
        #expect(lines.values.count == 1 && lines.values.first?.contains("event=failed") == true)
    }
}
