import Foundation
import Synchronization
import Testing

@testable import AlcedoTool

/// The question before `alcedo cache` removes entries.
@Suite(.timeLimit(.minutes(1))) struct RemovalConfirmationTests {
    @Test(
        arguments: [
            ([], true, true), ([], false, false), (["--yes"], true, false), (["--yes"], false, false),
            (["-n"], true, false), (["-n", "-y"], true, false), (["--json"], true, true), (["--quiet"], true, true),
        ] as [([String], Bool, Bool)])
    func question_isAskedOnATerminalOnly(_ options: [String], _ isInteractive: Bool, _ isNeeded: Bool) throws {
        for command in [["clear"], ["trim", "--to", "5"], ["remove", "--expired"]] {
            let options = try CacheOptions(command + options)
            #expect(RemovalConfirmation.isNeeded(options, isInteractive: isInteractive) == isNeeded)
        }
    }

    @Test(
        arguments: [
            (1, 4_096, "Remove 1 entry (4 KB) from /x? [y/N]"), (2, 0, "Remove 2 entries (0 B) from /x? [y/N]"),
            (1_234, 56_000_000, "Remove 1,234 entries (56.0 MB) from /x? [y/N]"),
            (1_234_567, .max, "Remove 1,234,567 entries (9223372036.85 GB) from /x? [y/N]"),
        ])
    func question_namesWhatIsLost(_ entries: Int, _ bytes: Int, _ question: String) {
        #expect(RemovalConfirmation.question(entries: entries, bytes: bytes, directory: "/x") == question)
    }

    @Test(arguments: ["y", "Y", "yes", "YES", " y ", "yes\r"]) func yes_permits(_ answer: String) {
        #expect(RemovalConfirmation.isYes(answer))
    }

    @Test(arguments: ["", "n", "no", "ye", "yy", "y n", "sure", nil]) func othersForbid(_ answer: String?) {
        #expect(!RemovalConfirmation.isYes(answer))
    }

    // MARK: The command

    @Test(
        arguments: [
            ["clear"], ["trim", "--to", "0"], ["remove", "--prefix", "http://h/"],
            ["remove", "http://h/a.png", "http://h/b.png"],
        ])
    func removal_waitsForAYes(_ arguments: [String]) async throws {
        let fixture = try CacheFixture()
        try await fixture.fill("http://h/a.png", "http://h/b.png")
        let question = "Remove 2 entries (8 KB) from \(fixture.path)? [y/N] "
        #expect(try await fixture.run(arguments) { "n" } == 1)
        #expect(fixture.console.output == question)
        #expect(fixture.console.errors == "alcedo cache: nothing was removed\n")
        #expect(try fixture.entries().count == 2)
        #expect(try await fixture.run(arguments) { "y" } == 0)
        #expect(fixture.console.output.hasPrefix(question + question + "removed  "))
        #expect(fixture.outputLines.last == "2 entries removed, 8192 bytes")
        #expect(try fixture.entries() == [])
    }

    @Test func nothing_isAsked_ifThereIsNothingToRemove() async throws {
        let fixture = try CacheFixture()
        try await fixture.fill("http://h/a.png")
        let asked = Atomic(0)
        let answer = { @Sendable () async -> String? in
            asked.add(1, ordering: .relaxed)
            return "y"
        }
        #expect(try await fixture.run(["remove", "--tag", "t"], answer: answer) == 0)
        #expect(try await fixture.run(["remove", "http://h/no.png"], answer: answer) == 1)
        #expect(try await fixture.run(["clear", "--dry-run"], answer: answer) == 0)
        #expect(asked.load(ordering: .relaxed) == 0 && fixture.errorLines == ["http://h/no.png: not in the cache"])
        #expect(try await fixture.run(["clear", "--yes"], answer: answer) == 0)
        #expect(try asked.load(ordering: .relaxed) == 0 && fixture.entries() == [])
    }

    /// Problems are reported once, although the entries are looked up twice.
    @Test func missingURL_isReportedOnce() async throws {
        let fixture = try CacheFixture()
        try await fixture.fill("http://h/a.png")
        #expect(try await fixture.run(["remove", "http://h/a.png", "http://h/no.png"]) { "yes" } == 1)
        #expect(fixture.errorLines == ["http://h/no.png: not in the cache"])
        #expect(try fixture.entries() == [])
    }

    @Test func endOfInput_isANo_onALineOfItsOwn() async throws {
        let fixture = try CacheFixture()
        try await fixture.fill("http://h/a.png")
        #expect(try await fixture.run(["clear"]) { nil } == 1)
        #expect(fixture.console.output == "Remove 1 entry (4 KB) from \(fixture.path)? [y/N] \n")
        #expect(try fixture.entries().count == 1)
    }
}
