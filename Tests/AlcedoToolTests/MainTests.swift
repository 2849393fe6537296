import AlcedoTestSupport
import Foundation
import Testing

@testable import AlcedoTool

@Suite(.timeLimit(.minutes(1))) struct MainTests {
    @Test(
        arguments: [
            (["help"], ""), (["--help"], ""), (["-h"], ""), (["load", "--help"], "load"),
            (["load", "http://h", "-h"], "load"), (["demo", "--help"], "demo"), (["cache", "--help"], "cache"),
            (["cache", "clear", "-h"], "cache clear"), (["probe", "--help"], "probe"), (["help", "load"], "load"),
            (["help", "cache", "trim"], "cache trim"), (["prefetch", "-h"], "prefetch"),
            (["--help", "load"], "load"), (["-h", "cache", "trim"], "cache trim"),
            (["cache", "--help", "trim"], "cache trim"),
            (["frob", "--help"], ""),
        ])
    func help_isThatOfTheCommand(_ arguments: [String], _ name: String) async {
        let console = Console(capturing: ())
        #expect(await Main.run(arguments, on: console) == 0)
        let words = name.split(separator: " ").map(String.init)
        let command = CommandTable.alcedo.find(words)
        #expect(command.name == name)
        #expect(console.output == HelpText().of(command) + "\n")
        #expect(console.errors.isEmpty)
    }

    @Test(arguments: ["--version", "-V"]) func version_isPrinted(_ option: String) async {
        let console = Console(capturing: ())
        #expect(await Main.run([option], on: console) == 0)
        #expect(console.output == "alcedo \(ToolVersion.text)\n")
    }

    @Test(arguments: [[], ["cache"]]) func missingCommand_printsTheShortHelp(_ arguments: [String]) async {
        let console = Console(capturing: ())
        #expect(await Main.run(arguments, on: console) == 2)
        let command = CommandTable.alcedo.find(arguments)
        #expect(console.errors == HelpText().short(of: command) + "\n")
        #expect(console.output.isEmpty)
        for command in command.commands { #expect(console.errors.contains("\n  \(command.word) ")) }
        #expect(console.errors.split(separator: "\n").count < 30)
    }

    @Test(
        arguments: [
            (["frob"], "alcedo: unknown command: frob"),
            ([""], "alcedo: unknown command: "),
            (["lod"], "alcedo: unknown command: lod (did you mean load?)"),
            (["--json", "a"], "alcedo: unknown option: --json"),
            (["--verson"], "alcedo: unknown option: --verson (did you mean --version?)"),
            (["--version", "-x"], "alcedo: unknown option: -x"), (["demo", "x"], "alcedo demo: unknown argument: x"),
            (["load"], "alcedo load: no URL"), (["load", "-x", "a"], "alcedo load: unknown option: -x"),
            (["load", "a", "-o"], "alcedo load: -o needs a value"), (["man", "x"], "alcedo: unknown argument: x"),
            (["load", "a", "--json=1"], "alcedo load: --json takes no value"),
            (["view"], "alcedo view: no URL"),
            (["probe"], "alcedo probe: no URL"), (["probe", "-x", "a"], "alcedo probe: unknown option: -x"),
            (["probe", "a", "--cache"], "alcedo probe: --cache needs a value"),
            (["prefetch"], "alcedo prefetch: no file"),
            (["prefetch", "a", "b"], "alcedo prefetch: unknown argument: b"),
            (["cache", "frob"], "alcedo cache: unknown command: frob"),
            (["help", "frob"], "alcedo help: unknown command: frob"),
            (["help", "load", "x"], "alcedo help: unknown command: x"),
            (["help", "lod"], "alcedo help: unknown command: lod (did you mean load?)"),
            (["help", "cache", "trm"], "alcedo help: unknown command: trm (did you mean trim?)"),
            (["completions"], "alcedo completions: no shell, which must be one of bash, zsh, fish"),
            (["completions", "bash", "zsh"], "alcedo completions: unknown argument: zsh"),
            (["completions", "tcsh"], "alcedo completions: unknown shell: tcsh; it must be one of bash, zsh, fish"),
            (["a\nb"], #"alcedo: unknown command: a\nb"#),
        ] as [([String], String)])
    func invalidArguments_printTheReasonAndAHint(_ arguments: [String], _ reason: String) async throws {
        let console = Console(capturing: ())
        #expect(await Main.run(arguments, on: console) == 2)
        let lines = console.errors.split(separator: "\n").map(String.init)
        #expect(lines.count == 2)
        #expect(lines.first == reason)
        let command = reason.prefix { $0 != ":" }
        let kind = ["alcedo", "alcedo cache"].contains(command) ? "commands" : "options"
        #expect(lines.last == #"Run "\#(command) --help" for its \#(kind)."#)
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
        #expect(await Main.run(["cache", "stats", "--cache", temporary.path], on: console) == 1)
        #expect(console.errors == "alcedo cache: \(temporary.path): not a cache\n")
    }
}
