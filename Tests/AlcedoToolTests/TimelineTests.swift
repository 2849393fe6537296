import Alcedo
import AlcedoTestSupport
import Foundation
import Testing

@testable import AlcedoTool

#if canImport(FoundationXML)
import FoundationXML
#endif

/// What a loader's events become: bars, a picture and a trace.
struct TimelineTests {
    private let one = LoadID()
    private let two = LoadID()
    private let url = URL(string: "http://host.test/pictures/a%3Cb%26.png")

    private func event(_ load: LoadID?, _ milliseconds: Int, _ kind: LoadEvent.Kind) -> LoadEvent {
        LoadEvent(load: load, url: load == nil ? nil : url, time: .milliseconds(1_000 + milliseconds), kind: kind)
    }

    private func request() throws -> ImageRequest { ImageRequest(url: try #require(url)) }

    /// A load that waits, connects and is decoded, and one that joins it and is cancelled.
    private func story() throws -> [LoadEvent] {
        let request = try request()
        let end = { (milliseconds: Int) in StageOutcome(duration: .milliseconds(milliseconds), bytes: 70) }
        return [
            event(nil, 0, .diskEvicted([])),
            event(one, 0, .requested(request)), event(one, 0, .ended(.memory, StageOutcome(duration: .zero))),
            event(one, 1, .began(.queued)), event(two, 2, .requested(request)), event(two, 3, .coalesced(with: one)),
            event(one, 10, .ended(.queued, StageOutcome(duration: .milliseconds(9)))),
            event(one, 10, .began(.download)),
            event(one, 40, .ended(.connect, StageOutcome(duration: .milliseconds(5), flags: .reusedConnection))),
            event(one, 40, .ended(.firstByte, StageOutcome(duration: .milliseconds(25)))),
            event(two, 45, .failed(request, StageOutcome(duration: .milliseconds(43), error: .cancelled))),
            event(one, 60, .ended(.download, end(50))), event(one, 60, .began(.decode)),
            event(one, 80, .ended(.decode, end(20))), event(one, 80, .loaded(request, source: .network, end(80))),
            event(one, 81, .began(.store)),
        ]
    }

    @Test func bars_tellWhatEachLoadDid() throws {
        let timeline = Timeline(try story())
        #expect(timeline.end == .milliseconds(81) && timeline.bars.map(\.load) == [one, two])
        let (first, second) = (timeline.bars[0], timeline.bars[1])
        #expect(first.start == .zero && first.end == .milliseconds(81) && first.ending == .loaded(.network))
        let stages = stages(of: first)
        // What is part of the download comes after it, and what hasn't ended lasts until the last event.
        #expect(
            stages == [
                "memory 0.0-0.0", "queued 1.0-10.0", "download 10.0-60.0", "connect 10.0-15.0", "firstByte 15.0-40.0",
                "decode 60.0-80.0", "store 81.0-81.0",
            ])
        #expect(first.segments[2].bytes == 70 && first.segments[3].flags == .reusedConnection)
        #expect(second.leader == one && second.isCancelled && second.segments.isEmpty)
        #expect(second.start == .milliseconds(2) && second.end == .milliseconds(45))
    }

    private func stages(of bar: Timeline.Bar) -> [String] {
        bar.segments.map { "\($0.stage) \($0.start / .milliseconds(1))-\($0.end / .milliseconds(1))" }
    }

    /// A transport may report the connection only with the head, or with the failure to get one.
    @Test func connection_isDrawnWhereItWasMade() {
        let connected = LoadEvent.Kind.ended(.connect, StageOutcome(duration: .milliseconds(5)))
        let head = LoadEvent.Kind.ended(.firstByte, StageOutcome(duration: .milliseconds(20)))
        func end(_ milliseconds: Int, _ error: ImageLoaderError? = nil) -> LoadEvent.Kind {
            .ended(.download, StageOutcome(duration: .milliseconds(milliseconds), error: error))
        }
        let withoutHead = [
            event(one, 0, .requested(ImageRequest(data: Data(), id: "a"))), event(one, 10, .began(.download)),
            event(one, 50, connected), event(one, 50, end(40, .timedOut(.idle))),
        ]
        #expect(stages(of: Timeline(withoutHead).bars[0]) == ["download 10.0-50.0", "connect 10.0-15.0"])
        // The last request was sent at 25 ms.
        let redirected = [
            event(one, 0, .began(.download)), event(one, 50, connected), event(one, 50, head), event(one, 60, end(60)),
        ]
        #expect(
            stages(of: Timeline(redirected).bars[0])
                == ["download 0.0-60.0", "connect 25.0-30.0", "firstByte 30.0-50.0"])
        let atOnce = [
            event(one, 0, .began(.download)), event(one, 5, connected), event(one, 25, head), event(one, 60, end(60)),
        ]
        #expect(
            stages(of: Timeline(atOnce).bars[0]) == ["download 0.0-60.0", "connect 0.0-5.0", "firstByte 5.0-25.0"])
    }

    /// Its failure is reported at once, but perhaps after redirects.
    @Test func failedConnection_lastsUntilItIsReported() {
        let error = ImageLoaderError.timedOut(.idle)
        let timeline = Timeline([
            event(one, 0, .began(.download)),
            event(one, 50, .ended(.connect, StageOutcome(duration: .milliseconds(20), error: error))),
            event(one, 50, .ended(.download, StageOutcome(duration: .milliseconds(50), error: error))),
        ])
        #expect(stages(of: timeline.bars[0]) == ["download 0.0-50.0", "connect 30.0-50.0"])
    }

    @Test func failedConnection_staysWhereItWas_whenTheNextAttemptSucceeds() {
        let error = ImageLoaderError.timedOut(.idle)
        let timeline = Timeline([
            event(one, 0, .began(.download)),
            event(one, 20, .ended(.connect, StageOutcome(duration: .milliseconds(20), error: error))),
            event(one, 20, .ended(.download, StageOutcome(duration: .milliseconds(20), error: error))),
            event(one, 40, .began(.download)),
            event(one, 50, .ended(.firstByte, StageOutcome(duration: .milliseconds(10)))),
            event(one, 60, .ended(.download, StageOutcome(duration: .milliseconds(20)))),
        ])
        #expect(
            stages(of: timeline.bars[0])
                == ["download 0.0-20.0", "connect 0.0-20.0", "download 40.0-60.0", "firstByte 40.0-50.0"])
    }

    @Test func retriedDownload_hasASegmentForEachAttempt() throws {
        let failed = StageOutcome(duration: .milliseconds(5), error: .badStatus(503))
        let timeline = Timeline([
            event(one, 0, .began(.download)), event(one, 5, .ended(.download, failed)),
            event(one, 5, .retried(attempt: 1, error: .badStatus(503), delay: .milliseconds(20))),
            event(one, 25, .began(.download)),
            event(one, 30, .ended(.download, StageOutcome(duration: .milliseconds(5)))),
        ])
        #expect(timeline.bars[0].segments.map(\.error) == [.badStatus(503), nil])
        #expect(timeline.bars[0].ending == .underWay)
    }

    @Test func nothing_isAnEmptyPicture() throws {
        let timeline = Timeline([])
        #expect(timeline.bars.isEmpty && timeline.end == .zero)
        try requireWellFormed(TimelinePicture(timeline: timeline).svg)
    }

    @Test func picture_isWellFormed_andNamesEachLoad() throws {
        let svg = TimelinePicture(timeline: Timeline(try story())).svg
        try requireWellFormed(svg)
        #expect(svg.contains(">a&lt;b&amp;.png</text>") && svg.contains(">network, 81.0 ms</text>"))
        #expect(svg.contains(">cancelled after 43.0 ms</text>") && svg.contains("<title>2 loads in 81.0 ms</title>"))
        // No number is infinite or none, however short it was.
        #expect(!svg.contains("nan") && !svg.contains("inf"))
    }

    @Test func cancelledStage_isHatched() throws {
        let timeline = Timeline([
            event(one, 0, .began(.download)),
            event(one, 5, .ended(.download, StageOutcome(duration: .milliseconds(5), error: .cancelled))),
        ])
        // The other one is in the legend.
        #expect(hatchedBoxes(in: TimelinePicture(timeline: timeline).svg) == 2)
    }

    /// Its stages are drawn with the load that it has joined.
    @Test func cancelledWait_isHatched_ifTheLoadHasJoinedAnother() throws {
        let svg = TimelinePicture(timeline: Timeline(try story())).svg
        #expect(hatchedBoxes(in: svg) == 2)
        // From 2 to 45 of 81 ms, in the second row.
        let box = "<rect x=\"185.3\" y=\"74\" width=\"329.1\" height=\"11\" fill="
        #expect(svg.contains(box + "\"#afb8c1\"/>\n" + box + "\"url(#cancelled)\"/>"))
    }

    @Test func wait_isNotHatched_ifTheLoadSucceeds() throws {
        let request = try request()
        let loaded = LoadEvent.Kind.loaded(
            request, source: .network, StageOutcome(duration: .milliseconds(43), flags: .coalesced))
        let events = try story().map { $0.load == two && $0.time == .milliseconds(1_045) ? event(two, 45, loaded) : $0 }
        #expect(Timeline(events).bars.map(\.ending) == [.loaded(.network), .loaded(.network)])
        #expect(hatchedBoxes(in: TimelinePicture(timeline: Timeline(events)).svg) == 1)
    }

    private func hatchedBoxes(in svg: String) -> Int { svg.components(separatedBy: "url(#cancelled)").count - 1 }

    @Test func trace_hasAThreadForEachLoad() throws {
        let json = try JSONText.of(TimelineTrace(Timeline(try story())))
        let object = try JSONSerialization.jsonObject(with: Data(json.utf8)) as? [String: Any]
        let events = try #require(object?["traceEvents"] as? [[String: Any]])
        #expect(Set(events.compactMap { $0["tid"] as? Int }).count == 2)
        let download = try #require(events.first { $0["name"] as? String == "download" })
        #expect(download["ts"] as? Double == 10_000 && download["dur"] as? Double == 50_000)
        #expect(download["args"] as? [String: String] == ["bytes": "70"])
        let load = try #require(events.last { $0["name"] as? String == "load" })
        #expect((load["args"] as? [String: String])?["sharedWith"] == one.description)
        #expect((load["args"] as? [String: String])?["outcome"] == "the load was cancelled")
    }

    @Test func file_hasOneOfTwoEndings() throws {
        #expect(throws: UsageError("load", "--timeline must end in .svg or .json: timeline.png")) {
            try file("timeline.png")
        }
        #expect(throws: UsageError.self) { try file("-o") }
        #expect(try LoadOptions(["http://host.test/a.png"]).timeline == nil)
        let directory = try TemporaryDirectory()
        let console = Console(capturing: ())
        for name in ["a.svg", "a.json"] {
            let path = directory.url.appendingPathComponent(name).path
            #expect(try file(path).write(story(), on: console))
            let text = try String(contentsOfFile: path, encoding: .utf8)
            #expect(text.hasPrefix(name == "a.svg" ? "<svg " : "{") && text.hasSuffix("\n"))
        }
        let missing = directory.url.appendingPathComponent("none/a.svg").path
        #expect(try !file(missing).write(story(), on: console))
        #expect(console.errors.contains("none/a.svg: "))
    }

    @Test func droppedEvents_areAWarning() async throws {
        let directory = try TemporaryDirectory()
        let console = Console(capturing: ())
        let path = directory.file("a.svg")
        let events = try story()
        let enough = LoadRecorder(capacity: events.count)
        for event in events { enough.receive(event) }
        #expect(try await file(path).write(enough, on: console, .drawing))
        #expect(console.errors.isEmpty)
        let recorder = LoadRecorder(capacity: 3)
        for event in events { recorder.receive(event) }
        #expect(try await file(path, "--force").write(recorder, on: console, .drawing))
        let warning = "warning: \(path): the timeline lacks the oldest \(events.count - 3) of \(events.count) events\n"
        #expect(console.errors == warning)
        #expect(try String(contentsOfFile: path, encoding: .utf8).contains("<title>1 loads "))
    }

    @Test func droppedEvents_areNoMatter_ifNothingIsWritten() async throws {
        let directory = try TemporaryDirectory()
        let console = Console(capturing: ())
        let recorder = LoadRecorder(capacity: 1)
        for event in try story() { recorder.receive(event) }
        #expect(try await !file(directory.file("none/a.svg")).write(recorder, on: console, .drawing))
        #expect(console.errors.split(separator: "\n").count == 1 && !console.errors.contains("warning"))
    }

    private func file(_ path: String, _ options: String...) throws -> TimelineFile {
        try #require(LoadOptions(["http://host.test/a.png", "--timeline", path] + options).timeline)
    }

    private func requireWellFormed(_ xml: String) throws {
        let parser = XMLParser(data: Data(xml.utf8))
        #expect(parser.parse(), "\(String(describing: parser.parserError))")
    }
}
