#if os(Linux)
import AlcedoTestSupport
import Foundation
import Testing

@testable import AlcedoTool

/// The real program asking a user on a pseudo-terminal before it removes entries.
@Suite(.timeLimit(.minutes(1))) struct RemovalProgramTests {
    private let fixture: CacheFixture

    init() async throws {
        fixture = try CacheFixture()
        try await fixture.fill("http://h/a.png")
    }

    private func run(_ arguments: String..., script: String = #"exec "$0" "$@""#) throws -> ToolProcess<TestScreen> {
        try ToolProcess(
            ["cache", "clear", "--cache", fixture.path] + arguments, screen: TestScreen(columns: 200),
            in: fixture.temporary, script: script)
    }

    private var question: String { "Remove 1 entry (4 KB) from \(fixture.path)? [y/N]" }

    @Test func yes_removes() async throws {
        let tool = try run()
        try await tool.until { [question] in $0.lines == [question] }
        try tool.type("y\n")
        #expect(try await tool.untilExit() == 0)
        #expect(tool.screen.lines.first == question + " y" && tool.screen.lines.last == "1 entry removed, 4096 bytes")
        #expect(try fixture.entries() == [])
    }

    /// An empty line, the end of the input, and Ctrl-C.
    @Test(arguments: [("\n", 1), ("\u{4}", 1), ("\u{3}", 130)] as [(String, Int32)])
    func others_removeNothing(_ answer: String, _ code: Int32) async throws {
        let tool = try run()
        try await tool.until { [question] in $0.lines == [question] }
        try tool.type(answer)
        #expect(try await tool.untilExit() == code)
        #expect(tool.screen.lines.dropFirst() == (code == 1 ? ["alcedo cache: nothing was removed"] : []))
        #expect(try fixture.entries().count == 1)
    }

    @Test(arguments: [#""$0" "$@" < /dev/null"#, #""$0" "$@" > out"#, #""$0" "$@" --yes"#])
    func nothing_isAskedOtherwise(_ script: String) async throws {
        let tool = try run(script: script)
        #expect(try await tool.untilExit() == 0)
        #expect(!tool.screen.lines.contains { $0.contains("[y/N]") })
        #expect(try fixture.entries() == [])
    }
}
#endif
