#if os(Linux)
import AlcedoTestSupport
import Foundation
import Testing

@testable import AlcedoTool

/// Runs the program where no file may have more than a block, as on a full disk.
@Suite(.timeLimit(.minutes(1))) struct UnfinishedFileTests {
    @Test(arguments: [false, true]) func failedWrite_leavesTheOldFileOrNone(isForced: Bool) async throws {
        let temporary = try TemporaryDirectory()
        try Pictures.png().write(to: temporary.url.appending(path: "a.png"))
        if isForced { try Data("mine".utf8).write(to: temporary.url.appending(path: "a.svg")) }
        let tool = try ToolProcess(
            ["load", "a.png", "--timeline", "a.svg"] + (isForced ? ["--force"] : []), screen: TestScreen.pipe,
            isTerminal: false, in: temporary, script: #"trap '' XFSZ; ulimit -f 1; exec "$0" "$@""#)
        #expect(try await tool.untilExit() == 1)
        #expect(tool.screen.lines.last == "a.svg: \(ErrorText.of(systemCode: EFBIG))")
        let names = try temporary.names().filter { !["a.png", "caches", "pid"].contains($0) }
        #expect(names == (isForced ? ["a.svg"] : []))
        #expect(FileManager.default.contents(atPath: temporary.file("a.svg")) == (isForced ? Data("mine".utf8) : nil))
    }
}
#endif
