import AlcedoTestSupport
import Foundation
import Testing

@testable import AlcedoTool

@Suite(.timeLimit(.minutes(1))) struct MainTests {
    @Test(arguments: [
        ["help"], ["--help"], ["-h"], ["load", "--help"], ["load", "http://h", "-h"], ["demo", "--help"],
        ["cache", "--help"], ["cache", "clear", "-h"], ["probe", "--help"],
    ])
    func help_isPrinted(_ arguments: [String]) async {
        let console = Console(capturing: ())
        #expect(await Main.run(arguments, on: console) == 0)
        #expect(console.output == Main.usage + "\n")
        #expect(console.errors.isEmpty)
    }

    @Test(
        arguments: [
            ([], nil), (["frob"], "alcedo: unknown command: frob"), ([""], "alcedo: unknown command: "),
            (["--json", "a"], "alcedo: unknown command: --json"), (["demo", "x"], "alcedo demo: unknown argument: x"),
            (["load"], "alcedo load: no URL"), (["load", "-x", "a"], "alcedo load: unknown option: -x"),
            (["load", "a", "-o"], "alcedo load: -o needs a value"), (["cache"], "alcedo cache: no command"),
            (["probe"], "alcedo probe: no URL"), (["probe", "-x", "a"], "alcedo probe: unknown option: -x"),
            (["probe", "a", "--cache"], "alcedo probe: --cache needs a value"),
            (["cache", "frob"], "alcedo cache: unknown command: frob"),
            (["a\nb"], #"alcedo: unknown command: a\nb"#),
        ] as [([String], String?)])
    func invalidArguments_printTheReasonAndTheUsage(_ arguments: [String], _ reason: String?) async {
        let console = Console(capturing: ())
        #expect(await Main.run(arguments, on: console) == 2)
        #expect(console.errors == (reason.map { $0 + "\n" } ?? "") + Main.usage + "\n")
        #expect(console.output.isEmpty)
    }

    @Test func load_runs() async throws {
        let temporary = try TemporaryDirectory()
        let url = temporary.url.appendingPathComponent("a.png")
        try Pictures.png().write(to: url)
        let console = Console(capturing: ())
        #expect(await Main.run(["load", url.absoluteString], on: console) == 0)
        #expect(console.output.hasPrefix("\(url.absoluteString): png, 8 × 6, local in "))
        #expect(await Main.run(["load", "--", "-h"], on: console) == 1)
    }

    @Test func probe_runs() async throws {
        let temporary = try TemporaryDirectory()
        let url = temporary.url.appendingPathComponent("a.png")
        try Pictures.png().write(to: url)
        let console = Console(capturing: ())
        #expect(await Main.run(["probe", url.absoluteString], on: console) == 0)
        #expect(console.output.hasPrefix("\(url.absoluteString)\n  source       local\n"))
        #expect(await Main.run(["probe", "--", "-h"], on: console) == 1)
    }

    @Test func cache_runs() async throws {
        let temporary = try TemporaryDirectory()
        let console = Console(capturing: ())
        #expect(await Main.run(["cache", "stats", "--directory", temporary.path], on: console) == 1)
        #expect(console.errors == "alcedo cache: \(temporary.path): not a cache\n")
    }
}
