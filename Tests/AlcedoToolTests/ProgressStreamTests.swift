#if os(Linux)
import AlcedoTestSupport
import Foundation
import Testing

@testable import AlcedoTool

/// The real program with only one of its two outputs on a pseudo-terminal: bars are for stderr, results for stdout.
@Suite(.timeLimit(.minutes(2))) struct ProgressStreamTests {
    private let temporary: TemporaryDirectory
    private let server: LoopbackServer
    private let png: Data

    init() throws {
        let png = try Pictures.png()
        self.png = png
        temporary = try TemporaryDirectory()
        server = try LoopbackServer { $0.path.contains("held") ? .manual : .bytes(png) }
    }

    private func url(_ path: String) -> String { server.url(path).absoluteString }

    private func run(_ arguments: [String], _ script: String) throws -> ToolProcess<TestScreen> {
        try ToolProcess(
            arguments + ["--timeout", "3600"], screen: TestScreen(columns: 120), in: temporary, script: script)
    }

    private func text(_ name: String) throws -> String {
        try String(contentsOfFile: temporary.file(name), encoding: .utf8)
    }

    @Test(arguments: [[], ["--json"]]) func redirectedOutput_leavesTheBars(_ options: [String]) async throws {
        let tool = try run(["load", url("/held.png"), url("/a.png")] + options, #"exec "$0" "$@" > out"#)
        let exchange = try await server.nextRequest()
        exchange.sendHead(length: png.count)
        exchange.send(png.prefix(60))
        let total = "1 of 2 · \(ByteText.of(png.count + 60))"
        let screen = try await tool.until { $0.lines.count == 2 && $0.lines.last == total }
        #expect(screen.lines.first?.hasPrefix("  held.png ") == true)
        try tool.resize(columns: 20)
        try await tool.until { $0.lines.first == "  held.png" }
        exchange.send(png.dropFirst(60))
        exchange.finish()
        #expect(try await tool.untilExit() == 0)
        #expect(tool.screen.lines == [] && tool.screen.unknown == [])
        let output = try text("out")
        #expect(!output.contains("\u{1B}"))
        if options.isEmpty {
            #expect(output.split(separator: "\n").count == 2)
        } else {
            #expect((try JSONSerialization.jsonObject(with: Data(output.utf8)) as? [Any])?.count == 2)
        }
    }

    @Test func redirectedErrors_haveNoBars() async throws {
        let tool = try run(["load", url("/held.png"), url("/a.png")], #"exec "$0" "$@" 2> errors"#)
        let exchange = try await server.nextRequest()
        try await tool.until { $0.lines.count == 1 }
        exchange.reply(.bytes(png))
        #expect(try await tool.untilExit() == 0)
        #expect(tool.screen.lines.count == 2 && !tool.screen.hasControls)
        #expect(try text("errors") == "")
    }

    @Test func prefetch_printsTheTotalsOnly() async throws {
        try Data(url("/held.png").utf8).write(to: temporary.url.appendingPathComponent("list"))
        let tool = try run(["prefetch", "list"], #"exec "$0" "$@" > out"#)
        let exchange = try await server.nextRequest()
        try await tool.until { $0.lines.last == "0 of 1 · 0 B" }
        exchange.reply(.bytes(png))
        #expect(try await tool.untilExit() == 0)
        #expect(tool.screen.lines == [])
        #expect(try text("out").hasPrefix("1 URL: 1 loaded, 0 already cached · "))
    }

    /// The reader has exited, as `head` does. The bars are still drawn, and removed at the end.
    @Test func closedPipe_isNoFailure() async throws {
        let script = #"{ "$0" "$@"; echo $? > status; } | true"#
        let tool = try run(["load", url("/a.png"), url("/held.png")], script)
        let exchange = try await server.nextRequest()
        try await tool.until { $0.lines.last?.hasPrefix("1 of 2 · ") == true }
        exchange.reply(.bytes(png))
        #expect(try await tool.untilExit() == 0)
        #expect(tool.screen.lines == [] && tool.screen.unknown == [])
        #expect(try text("status") == "0\n")
    }
}
#endif
