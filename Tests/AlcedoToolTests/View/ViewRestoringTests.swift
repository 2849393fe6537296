#if os(Linux)
import AlcedoTestSupport
import Foundation
import Testing

@testable import AlcedoTool

/// The terminal is left as it was, on every way out of `alcedo view`.
@Suite(.timeLimit(.minutes(2))) struct ViewRestoringTests {
    private func expectRestored(_ tool: ViewFixture.Process) throws {
        let screen = tool.screen
        #expect(screen.isRestored, "\(screen.unknown) \(screen.lines)")
        #expect(screen.entries > 0)
        #expect(screen.lines.filter { !$0.isEmpty } == ["before"])
        #expect(try tool.terminalSettings() == tool.formerSettings)
    }

    @Test(arguments: [false, true]) func q_restores(_ drawsImages: Bool) async throws {
        let fixture = try ViewFixture()
        let tool = try fixture.view(6, on: CellScreen(canDrawImages: drawsImages))
        try await tool.until { drawsImages ? $0.placements.count == 6 : $0.shows(0..<6) }
        #expect(try tool.terminalSettings() != tool.formerSettings)
        try tool.type("q")
        #expect(try await tool.untilExit() == 0)
        try expectRestored(tool)
    }

    @Test func ctrlC_restores_andCancels() async throws {
        let fixture = try ViewFixture { $0 == 1 ? .manual : nil }
        let tool = try fixture.view(2)
        let exchange = try await fixture.server.nextRequest()
        try await tool.until { $0.shows(0..<1) }
        try tool.type("\u{3}")
        #expect(try await exchange.connectionClosed() == .byClient)
        #expect(try await tool.untilExit() == 130)
        try expectRestored(tool)
    }

    @Test(arguments: [(SIGTERM, 143), (SIGHUP, 129), (SIGINT, 130)] as [(Int32, Int32)])
    func endingSignals_restore(_ signal: Int32, _ code: Int32) async throws {
        let fixture = try ViewFixture { $0 == 1 ? .manual : nil }
        let tool = try fixture.view(2)
        let exchange = try await fixture.server.nextRequest()
        try await tool.until { $0.shows(0..<1) }
        try tool.send(signal)
        #expect(try await exchange.connectionClosed() == .byClient)
        #expect(try await tool.untilExit() == code)
        try expectRestored(tool)
    }

    /// As a crash does, whatever the program is doing.
    @Test(arguments: [SIGQUIT, SIGABRT, SIGSEGV, SIGILL, SIGTRAP, SIGFPE, SIGBUS])
    func fatalSignals_restore(_ signal: Int32) async throws {
        let fixture = try ViewFixture()
        let tool = try fixture.view(1, script: #"ulimit -c 0; exec "$0" "$@""#)
        try await tool.until { $0.shows(0..<1) && $0.status.contains("png, 64") }
        try tool.send(signal)
        #expect(try await tool.untilExit() == -signal)
        try expectRestored(tool)
    }

    @Test func failedLoads_leaveNothing() async throws {
        let fixture = try ViewFixture { _ in .bytes(Data("no picture".utf8)) }
        let tool = try fixture.view(3)
        try await tool.until { $0.status.contains("failed: not an image") }
        try tool.type("q")
        #expect(try await tool.untilExit() == 0)
        try expectRestored(tool)
    }

    /// With a shell that has jobs, as the user's has.
    @Test func ctrlZ_restores_andForegroundDrawsAgain() async throws {
        let fixture = try ViewFixture()
        let script = #"set -m; "$0" "$@"; echo stopped; read line; fg > /dev/null"#
        let tool = try fixture.view(6, script: script)
        try await tool.until { $0.shows(0..<6) }
        try tool.type("\u{1A}")
        let stopped = try await tool.until { $0.contains("stopped") }
        #expect(stopped.isRestored, "\(stopped.unknown)")
        #expect(stopped.contains("before"))
        try tool.type("\n")
        try await tool.until { $0.entries > 1 && $0.isAlternate && $0.shows(0..<6) && $0.status.contains("1/6") }
        try tool.type("q")
        #expect(try await tool.untilExit() == 0)
        #expect(tool.screen.isRestored)
    }

    /// It has the terminal only in the foreground, wherever it starts or continues.
    @Test(arguments: [#""$0" "$@" & true"#, #""$0" "$@"; bg > /dev/null"#])
    func background_stops_andForegroundDraws(_ start: String) async throws {
        let fixture = try ViewFixture()
        let isStopped = "until jobs > jobs; grep -q Stopped jobs; do sleep 0.05; done"
        let script = "set -m; \(start); \(isStopped); echo stopped; read line; fg > /dev/null"
        let tool = try fixture.view(6, script: script)
        if start.contains("bg") {
            try await tool.until { $0.shows(0..<6) }
            try tool.type("\u{1A}")
        }
        let stopped = try await tool.until { $0.contains("stopped") }
        #expect(stopped.isRestored && stopped.contains("before"), "\(stopped.unknown)")
        try tool.type("\n")
        try await tool.until { $0.isAlternate && $0.shows(0..<6) && $0.status.contains("1/6") }
        try tool.type("q")
        #expect(try await tool.untilExit() == 0)
        #expect(tool.screen.isRestored)
    }

    /// Nobody could continue it.
    @Test func ctrlZ_withoutAShell_drawsAgain() async throws {
        let fixture = try ViewFixture()
        let tool = try fixture.view(6)
        try await tool.until { $0.shows(0..<6) }
        try tool.type("\u{1A}")
        try await tool.until { $0.entries > 1 && $0.isAlternate && $0.shows(0..<6) }
        try tool.type("q")
        #expect(try await tool.untilExit() == 0)
        try expectRestored(tool)
    }
}
#endif
