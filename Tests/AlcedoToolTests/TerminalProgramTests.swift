#if os(Linux)
import AlcedoTestSupport
import Foundation
import Testing

@testable import AlcedoTool

/// The real program on a pseudo-terminal and in a pipe. The server holds responses, so that loads are under way.
@Suite(.timeLimit(.minutes(2))) struct TerminalProgramTests {
    private let temporary: TemporaryDirectory
    private let server: LoopbackServer
    private let png: Data

    init() throws {
        let png = try Pictures.png()
        self.png = png
        temporary = try TemporaryDirectory()
        server = try LoopbackServer { request in
            request.path.contains("held") ? .manual : request.path.hasSuffix(".png") ? .bytes(png) : .status(404)
        }
    }

    private func url(_ path: String) -> String { server.url(path).absoluteString }

    /// Loads wait for held responses however long the tests take.
    private func run(_ arguments: [String], on screen: TestScreen? = nil) throws -> ToolProcess<TestScreen> {
        let waits = ["load", "prefetch"].contains(arguments[0]) ? ["--timeout", "3600"] : []
        return try ToolProcess(arguments + waits, on: screen, in: temporary)
    }

    /// Waits for a request and answers it in part.
    private func hold(bytes: Int = 60) async throws -> LoopbackServer.Exchange {
        let exchange = try await server.nextRequest()
        exchange.sendHead(length: png.count)
        exchange.send(png.prefix(bytes))
        return exchange
    }

    private func expectWholeCache() async throws {
        let verify = try run(["cache", "verify"])
        #expect(try await verify.untilExit() == 0)
        #expect(verify.screen.lines.last?.hasSuffix(" 0 damaged") == true)
    }

    // MARK: A terminal

    @Test(arguments: TestScreen.Kind.allCases)
    func bars_followTheWidth_andAreErasedByCtrlC(_ kind: TestScreen.Kind) async throws {
        let arguments = ["load", url("/a.png"), url("/held.png"), "-o", "out"]
        let tool = try run(arguments, on: TestScreen(kind, columns: 100))
        let exchange = try await hold()
        let total = "1 of 2 · \(ByteText.of(png.count + 60))"
        let end = "░ 60 B of \(ByteText.of(png.count))"
        let line = "\(url("/a.png")): png, 8 × 6, network in "
        let wide = try await tool.until { $0.lines.last == total && $0.lines.dropLast().last?.hasSuffix(end) == true }
        #expect(wide.lines.count == 3)
        #expect(wide.lines.first?.hasPrefix(line) == true)
        #expect(wide.lines[1].hasPrefix("  held.png "))
        #expect(wide.cursor == [1, 0])
        let length = wide.lines[1].count
        try tool.resize(columns: 50)
        let narrow = try await tool.until { screen in
            screen.lines.count == 3 && screen.lines[1].hasSuffix(end) && screen.lines[1].count < 50
        }
        #expect(narrow.lines[1].hasPrefix("  held.png "))
        #expect(narrow.lines.last == total)
        try tool.resize(columns: 20)
        try await tool.until { $0.lines == [$0.lines[0], "  held.png", String(total.prefix(19))] }
        try tool.resize(columns: 100)
        try await tool.until { $0.lines.count == 3 && $0.lines[1].count == length && $0.lines[2] == total }
        try tool.type("\u{3}")
        #expect(try await exchange.connectionClosed() == .byClient)
        #expect(try await tool.untilExit() == 130)
        #expect(tool.screen.lines.count == 1)
        #expect(tool.screen.cursor == [1, 0])
        #expect(tool.screen.unknown == [])
        #expect(try temporary.names(in: "out") == ["a.png"])
        try await expectWholeCache()
    }

    @Test func bars_areRemovedAtTheEnd() async throws {
        let arguments = ["load", url("/held.png"), url("/missing"), url("/a.png")]
        let tool = try run(arguments, on: TestScreen(columns: 120))
        let exchange = try await hold()
        let total = "2 of 3 · \(ByteText.of(png.count + 60)) · 1 failed"
        try await tool.until { $0.lines.count == 4 && $0.lines.last == total }
        exchange.send(png.dropFirst(60))
        exchange.finish()
        #expect(try await tool.untilExit() == 1)
        let lines = tool.screen.lines
        #expect(lines.count == 3)
        #expect(Set(lines.prefix(2).map { $0.prefix { $0 != " " } }) == ["\(url("/missing")):", "\(url("/a.png")):"])
        #expect(lines.last?.hasPrefix("\(url("/held.png")): png, ") == true)
        #expect(tool.screen.cursor == [3, 0])
        #expect(tool.screen.unknown == [])
    }

    @Test func json_isAloneOnTheScreen() async throws {
        let tool = try run(["load", url("/held.png"), url("/a.png"), "--json"], on: TestScreen())
        let exchange = try await hold()
        try await tool.until { $0.lines.last?.hasPrefix("1 of 2 · ") == true }
        exchange.send(png.dropFirst(60))
        exchange.finish()
        #expect(try await tool.untilExit() == 0)
        let text = tool.screen.lines.joined(separator: "\n")
        let parsed = try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [[String: Any]]
        #expect(parsed?.map { $0["url"] as? String } == [url("/held.png"), url("/a.png")])
    }

    @Test func prefetch_showsBars_andEndsByCtrlC() async throws {
        let list = (0..<20).map { url("/held\($0).png") }.joined(separator: "\n")
        try Data(list.utf8).write(to: temporary.url.appendingPathComponent("list"))
        let tool = try run(["prefetch", "list", "--jobs", "3"], on: TestScreen())
        var exchanges: [LoopbackServer.Exchange] = []
        for _ in 0..<3 { exchanges.append(try await hold(bytes: 50)) }
        try await tool.until { $0.lines.count == 4 && $0.lines.last == "0 of 20 · 150 B" }
        try tool.type("\u{3}")
        for exchange in exchanges { #expect(try await exchange.connectionClosed() == .byClient) }
        #expect(try await tool.untilExit() == 130)
        #expect(tool.screen.lines == [])
        #expect(tool.screen.cursor == [0, 0])
        #expect(server.statistics.requests == 3)
        try await expectWholeCache()
    }

    // MARK: Other terminals

    @Test(arguments: ["unset TERM", "TERM=dumb", "LC_ALL=C", "LC_ALL=; LANG=POSIX"])
    func terminalWithoutSequences_getsNone(_ setting: String) async throws {
        let tool = try ToolProcess(
            ["load", url("/a.png"), url("/missing")], screen: TestScreen(columns: 120), in: temporary,
            script: "export LANG; " + setting + #"; exec "$0" "$@""#)
        #expect(try await tool.untilExit() == 1)
        #expect(tool.screen.lines.count == 2 && !tool.screen.hasControls)
        #expect(tool.screen.lines.contains { $0.contains(": png, 8 x 6, network in ") }, "\(tool.screen.lines)")
        #expect(tool.screen.bytes.allSatisfy { $0 < 0x80 })
    }

    @Test func localeWithoutUTF8_getsASCII() async throws {
        let tool = try ToolProcess(
            ["load", url("/held-%D0%A4.png"), "--timeout", "3600"], screen: TestScreen(columns: 120), in: temporary,
            script: #"LC_ALL=de_DE.ISO-8859-1 exec "$0" "$@""#)
        let exchange = try await hold()
        let bars = try await tool.until { $0.lines.last == "0 of 1 - 60 B" && $0.lines.count == 2 }
        #expect(bars.lines.first?.hasPrefix(#"  held-\u{0424}.png  "#) == true, "\(bars.lines)")
        exchange.send(png.dropFirst(60))
        exchange.finish()
        #expect(try await tool.untilExit() == 0)
        #expect(tool.screen.bytes.allSatisfy { $0 < 0x80 })
        #expect(tool.screen.lines.first?.contains(": png, 8 x 6, network in ") == true)
    }

    // MARK: A pipe

    /// Each held response keeps a connection.
    @Test func missingDescriptors_areNamed() async throws {
        let urls = (0..<60).map { url("/held\($0).png") }
        let tool = try ToolProcess(
            ["load", "--jobs", "60", "--timeout", "3600"] + urls, screen: TestScreen.pipe, isTerminal: false,
            in: temporary, script: #"ulimit -n 40; exec "$0" "$@""#)
        let reason = ErrorText.of(systemCode: EMFILE)
        let screen = try await tool.until { $0.lines.contains { $0.hasSuffix(": \(reason)") && $0.hasPrefix("http") } }
        #expect(!screen.lines.contains { $0.contains("to connect") || $0.contains("t connect") }, "\(screen.lines)")
    }

    #if Curl
    /// Loads `url` with so few descriptors that each step of connecting is once the first one to fail. With more of
    /// them, the line has the ending.
    private func expectShortage(of url: String, upTo ending: String, _ arguments: [String] = []) async throws {
        let tool = try ToolProcess(
            ["load", url, "--retries", "0", "--revalidate"] + arguments, screen: TestScreen.pipe, isTerminal: false,
            in: temporary, script: #"for n in $(seq 9 24); do (ulimit -n $n; "$0" "$@"); done"#)
        _ = try await tool.untilExit()
        let lines = tool.screen.lines.filter { $0.hasPrefix(url) }
        let reason = ErrorText.of(systemCode: EMFILE)
        #expect(lines.first?.hasSuffix(reason) == true && lines.last?.hasSuffix(ending) == true, "\(lines)")
        #expect(lines.allSatisfy { $0.hasSuffix(reason) || $0.hasSuffix(ending) }, "\(lines)")
    }

    /// Without asking a server, the resolver refuses the name: it has a label of more than 63 characters.
    @Test func missingDescriptors_areNamed_forTheResolver() async throws {
        let host = String(repeating: "a", count: 64) + ".invalid"
        try await expectShortage(of: "http://\(host)/a.png", upTo: "Could not resolve host: \(host)")
    }

    @Test(.enabled(if: NginxServer.isInstalled)) func missingDescriptors_areNamed_forCertificates() async throws {
        let server = try NginxServer(files: ["a.png": png])
        let url = server.secureURL("/a.png").absoluteString
        try await expectShortage(of: url, upTo: " ms", ["--cacert", server.authority.path])
    }
    #endif

    @Test func pipe_getsLinesAsTheyFinish_withoutSequences() async throws {
        let tool = try run(["load", url("/held.png"), url("/a.png"), url("/missing")])
        let exchange = try await hold()
        let early = try await tool.until { $0.lines.count == 2 && $0.bytes.last == 10 }
        #expect(Set(early.lines.map { $0.prefix { $0 != " " } }) == ["\(url("/missing")):", "\(url("/a.png")):"])
        exchange.send(png.dropFirst(60))
        exchange.finish()
        #expect(try await tool.untilExit() == 1)
        #expect(tool.screen.lines.count == 3)
        #expect(tool.screen.lines.last?.hasPrefix("\(url("/held.png")): png, ") == true)
        #expect(!tool.screen.hasControls)
    }

    @Test(arguments: [(SIGINT, 130), (SIGTERM, 143), (SIGHUP, 129)] as [(Int32, Int32)])
    func signal_endsLoads_andLeavesNoFile(_ signal: Int32, _ code: Int32) async throws {
        try FileManager.default.createDirectory(atPath: temporary.file("out"), withIntermediateDirectories: true)
        let tool = try run(["load", url("/held.png"), "-o", "out", "--json"])
        let exchange = try await hold()
        try tool.send(signal)
        #expect(try await exchange.connectionClosed() == .byClient)
        #expect(try await tool.untilExit() == code)
        #expect(tool.screen.bytes == [])
        #expect(try temporary.names(in: "out") == [])
        try await expectWholeCache()
    }

    @Test(arguments: ["probe", "load"]) func waitingLoads_areNotBegunAfterASignal(_ command: String) async throws {
        let tool = try run([command] + (0..<200).map { url("/held\($0).png") })
        var exchanges: [LoopbackServer.Exchange] = []
        for _ in 0..<6 { exchanges.append(try await hold()) }
        try tool.send(SIGINT)
        for exchange in exchanges { #expect(try await exchange.connectionClosed() == .byClient) }
        #expect(try await tool.untilExit() == 130)
        #expect(tool.screen.bytes == [])
        // On a slow machine, a probe may ask again, because it has no option to wait longer.
        if command == "load" { #expect(server.statistics.requests == 6) }
    }
}
#endif
