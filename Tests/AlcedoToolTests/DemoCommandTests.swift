import Alcedo
import AlcedoTestSupport
import Foundation
import Testing

@testable import AlcedoTool

@Suite(.timeLimit(.minutes(1))) struct DemoCommandTests {
    private func demo(_ console: Console, in directory: URL) -> DemoCommand {
        DemoCommand(console: console, pictures: DemoPictures(reduction: 16), directory: DemoDirectory(directory))
    }

    @Test func demo_reportsTransports_caches_cancellations_andASheet() async throws {
        let temporary = try TemporaryDirectory()
        let directory = temporary.url.appendingPathComponent("demo")
        let console = Console(capturing: ())
        #expect(await demo(console, in: directory).run() == 0)
        let lines = console.output.split(separator: "\n").map(String.init)
        let table = lines.map { $0.split(separator: " ").map(String.init) }
        let transports = DemoTransport.all().map(\.name)
        #expect(transports.count == (hasCurl ? 2 : 1))
        let passes = transports.map { ["network", $0] } + [["memory", "-"], ["disk", "-"]]
        let rows = passes.map { pass in table.first { $0.prefix(2) == pass[...] } ?? [] }
        // Source, transport, count, bytes with unit, requests, and two times with units.
        #expect(rows.map(\.count) == passes.map { _ in 10 })
        #expect(rows.map { $0.dropFirst(2).first } == passes.map { _ in "60" })
        #expect(rows.map { $0.dropFirst(5).first } == passes.map { $0[0] == "network" ? "60" : "0" })
        #expect(lines.first?.hasPrefix("60 images, ") == true)
        for transport in transports { #expect(lines.contains("Over \(transport):")) }
        let progress = console.errors.split(separator: "\n")
        #expect(progress.filter { $0.hasPrefix("  landscape-") }.count == 48 * transports.count)
        #expect(progress.filter { $0.hasPrefix("  badge-") }.count == 12 * transports.count)
        #expect(progress.count == 60 * transports.count)
        let closes = lines.filter { $0.hasPrefix("and the server saw the connection close after ") }
        #expect(closes.count == transports.count)
        #expect(!console.output.contains("\u{1B}") && !console.errors.contains("\u{1B}"))

        let sheet = directory.appendingPathComponent("contact-sheet.png")
        #expect(lines.last == "Contact sheet: \(sheet.path)")
        let size = try ImageDecoders.builtIn.decode(Data(contentsOf: sheet)).size
        #expect(size == PixelSize(width: 1688, height: 776))
        #expect(try temporary.names(in: "demo") == ["contact-sheet.png"])
    }

    @Test func existingTimeline_isAnError_beforeAnythingIsLoaded() async throws {
        let temporary = try TemporaryDirectory()
        let file = temporary.file("a.svg")
        try Data("mine".utf8).write(to: URL(fileURLWithPath: file))
        let console = Console(capturing: ())
        var demo = demo(console, in: temporary.url.appendingPathComponent("demo"))
        demo.timeline = try TimelineFile(Arguments(CommandTable.demo, ["--timeline", file]))
        #expect(await demo.run() == 1)
        #expect(console.errors == "\(file): \(ErrorText.of(systemCode: EEXIST)); --force overwrites it\n")
        #expect(console.output.isEmpty && FileManager.default.contents(atPath: file) == Data("mine".utf8))
    }

    @Test func directoryFailure_isOneLine() async throws {
        let temporary = try TemporaryDirectory()
        try Data("x".utf8).write(to: temporary.url.appendingPathComponent("file"))
        let directory = temporary.url.appendingPathComponent("file/demo")
        let console = Console(capturing: ())
        #expect(await demo(console, in: directory).run() == 1)
        #expect(console.errors == "alcedo demo: \(directory.path): \(ErrorText.of(systemCode: ENOTDIR))\n")
        #expect(console.output.isEmpty)
    }

    @Test func cachesOfKilledDemos_areRemoved_andNoOthers() throws {
        let temporary = try TemporaryDirectory()
        let directory = DemoDirectory(temporary.url)
        // No system assigns this process ID.
        let names = ["cache-\(pid_t.max)", "cache-\(getppid())", "cache-", "cache-x", "cache--1", "other"]
        for name in names {
            try FileManager.default.createDirectory(
                atPath: temporary.file(name), withIntermediateDirectories: false)
        }
        try directory.prepare()
        #expect(try temporary.names() == names.dropFirst().sorted())
        #expect(directory.cache.lastPathComponent == "cache-\(getpid())")
        try directory.removeCache()
    }

    @Test func defaultDirectory_isPerUser_inTheTemporaryDirectory() {
        let path = DemoDirectory().url.path
        #expect(path.hasPrefix(FileManager.default.temporaryDirectory.path))
        #expect(path.hasSuffix("alcedo-demo-\(getuid())"))
    }

    @Test func quantiles_areTheNearestRank() {
        let times = (1...60).map { Duration.milliseconds($0) }
        #expect(DemoTable.quantile(0.5, of: times) == .milliseconds(30))
        #expect(DemoTable.quantile(0.95, of: times) == .milliseconds(57))
        #expect(DemoTable.quantile(1, of: times) == .milliseconds(60))
        #expect(DemoTable.quantile(0, of: times) == .milliseconds(1))
        #expect(DemoTable.quantile(0.95, of: [.seconds(1)]) == .seconds(1))
        #expect(DemoTable.quantile(0.5, of: []) == .zero)
    }

    @Test func table_isAligned() {
        var table = DemoTable()
        table.add([], requests: 12_345_678)
        #expect(table.lines.count == 2)
        #expect(Set(table.lines.map(\.count)).count == 1)
    }

    @Test(arguments: [
        (0, "0 B"), (999, "999 B"), (1_000, "1 KB"), (1_500_000, "1.5 MB"), (2_250_000_000, "2.25 GB"),
    ])
    func byteText_hasADecimalUnit(_ count: Int, _ text: String) { #expect(ByteText.of(count) == text) }

    @Test func progress_isOneLinePerDownload_withoutATerminal() throws {
        let console = Console(capturing: ())
        let demo = DemoCommand(console: console)
        let (one, two) = (try #require(URL(string: "http://h/one.png")), try #require(URL(string: "http://h/two.png")))
        demo.printEnd(of: .downloadStarted(one))
        demo.printEnd(of: .downloadProgress(one, received: 10, expected: 20))
        demo.printEnd(of: .downloadEnded(two, bytes: 0, error: .badStatus(404)))
        demo.printEnd(of: .downloadEnded(one, bytes: 2_000, error: nil))
        demo.printEnd(of: .downloadEnded(one, bytes: 2_000, error: .cancelled))
        #expect(console.output.isEmpty)
        #expect(console.errors == "  two.png  the server answered with status 404\n  one.png  2 KB\n")
    }
}

#if os(Linux) && Curl
private let hasCurl = true
#else
private let hasCurl = false
#endif
