import AlcedoTestSupport
import Foundation
import Testing

@testable import AlcedoTool

@Suite(.timeLimit(.minutes(1))) struct ConsoleTests {
    @Test func console_capturesBothStreams() {
        let console = Console(capturing: ())
        console.print("a")
        console.error("c")
        #expect(console.output == "a\n")
        #expect(console.errors == "c\n")
        #expect(console.outputFailure == nil)
        #expect(!console.isTerminal)
    }

    @Test func error_isEscapedToOneLine() {
        let console = Console(capturing: ())
        console.error("a\nb\r\u{1B}]0;title\u{7}\u{2029}é")
        #expect(console.errors == "a\\nb\\r\\u{1B}]0;title\\u{07}\\u{2029}é\n")
    }

    @Test func descriptors_receiveAllOutput() throws {
        let (output, errors) = (Pipe(), Pipe())
        let environment = TerminalEnvironment(["TERM": "xterm", "LANG": "C.UTF-8"])
        let console = Console(output: output.writing, errors: errors.writing, environment)
        console.print("é")
        console.error("b")
        #expect(!console.isTerminal)
        #expect(try output.endAndRead() == "é\n")
        #expect(try errors.endAndRead() == "b\n")
        #expect(console.outputFailure == nil)
    }

    @Test func lostOutput_isAFailure() throws {
        let errors = Pipe()
        // No descriptor has this number: the system refuses the write.
        let console = Console(output: -1, errors: errors.writing)
        console.print("lost")
        #expect(console.outputFailure == EBADF)
        console.print("not even tried")
        #expect(Main.exitCode(0, of: console) == 1)
        #expect(Main.exitCode(2, of: console) == 2)
        let line = "alcedo: the output is incomplete: \(ErrorText.of(systemCode: EBADF))\n"
        #expect(try errors.endAndRead() == line + line)
    }

    @Test func closedReader_isNoFailure() throws {
        // The tool does this when it starts. Otherwise the signal would end the test process.
        signal(SIGPIPE, SIG_IGN)
        let (output, errors) = (Pipe(), Pipe())
        try output.fileHandleForReading.close()
        let console = Console(output: output.writing, errors: errors.writing)
        console.print("lost")
        #expect(console.outputFailure == EPIPE)
        #expect(Main.exitCode(0, of: console) == 0)
        #expect(Main.exitCode(1, of: console) == 1)
        #expect(try errors.endAndRead() == "")
    }

    @Test func errorText_isTheSystemsReason() throws {
        let temporary = try TemporaryDirectory()
        let error = try #require(throws: (any Error).self) {
            try Data("a".utf8).write(to: temporary.url.appendingPathComponent("no/a"))
        }
        #expect(ErrorText.of(error) == ErrorText.of(systemCode: ENOENT))
        #expect(ErrorText.of(POSIXError(.EACCES)) == ErrorText.of(systemCode: EACCES))
        #expect(ErrorText.of(DemoFailure(what: "it failed")) == "it failed")
    }
}

extension Pipe {
    fileprivate var writing: Int32 { fileHandleForWriting.fileDescriptor }

    /// Everything that was written.
    fileprivate func endAndRead() throws -> String {
        try fileHandleForWriting.close()
        return String(decoding: try fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
    }
}
