import Foundation
import Testing

@testable import AlcedoTestSupport

@Suite(.timeLimit(.minutes(1))) struct LineProcessTests {
    private func shell(_ script: String) throws -> LineProcess { try LineProcess(["/bin/sh", "-c", script], in: "/") }

    @Test func lines_goInAndOut_inOrder() async throws {
        let process = try LineProcess(["/bin/cat"], in: "/")
        try process.send(["one", "", "three"])
        for line in ["one", "", "three"] { #expect(try await process.nextLine() == line) }
        #expect(try await process.end() == 0)
        #expect(try await process.nextLine() == nil)
    }

    @Test func longLines_andTheLastWithoutItsEnd_areWhole() async throws {
        let long = String(repeating: "x", count: 10_000)
        let process = try shell("read line; echo $line; printf rest")
        try process.send([long])
        #expect(try await process.nextLine() == long)
        #expect(try await process.nextLine() == "rest")
        #expect(try await process.nextLine() == nil)
    }

    @Test func errorOutput_isPartOfTheOutput() async throws {
        let process = try shell("echo wrong >&2; exit 3")
        #expect(try await process.nextLine() == "wrong")
        #expect(try await process.end() == 3)
    }

    @Test func killedProcess_leavesWhatItWrote() async throws {
        let process = try shell("echo before; exec cat")
        #expect(try await process.nextLine() == "before")
        process.kill()
        #expect(try await process.nextLine() == nil)
        #expect(try await process.end() == -9)
    }
}
