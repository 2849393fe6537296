import Foundation
import Testing

@testable import AlcedoTestSupport
@testable import AlcedoTool

@Suite(.timeLimit(.minutes(1))) struct CompletionsTests {
    @Test(arguments: Completions.shells) func completions_areTheOutputOfTheCommand(_ shell: String) async throws {
        let console = Console(capturing: ())
        #expect(await Main.run(["completions", shell], on: console) == 0)
        #expect(console.output == (Completions.text(for: shell, of: CommandTable.alcedo) ?? "") + "\n")
    }

    @Test(arguments: Completions.shells) func completions_haveAllCommandsAndOptions(_ shell: String) throws {
        let text = try #require(Completions.text(for: shell, of: CommandTable.alcedo))
        for command in CommandTable.alcedo.tree {
            #expect(command == CommandTable.alcedo || text.contains(command.word), "\(command.name)")
            for option in command.allOptions {
                let name = shell == "fish" ? "-l \(option.name.dropFirst(2)) " : option.name
                #expect(text.contains(name), "\(command.name) \(option.name)")
            }
        }
    }

    @Test func texts_areQuoted() throws {
        let command = CommandSpec(
            name: "frob", summary: "it's [a]: \\", options: [OptionSpec("--x", takes: .text("A:B"), "don't [x]: \\")])
        let root = CommandSpec(name: "", summary: "", commands: [command])
        let zsh = try #require(Completions.text(for: "zsh", of: root))
        #expect(zsh.contains(#"'frob:it'\''s \[a\]\: \\'"#))
        #expect(zsh.contains(#"'--x=[don'\''t \[x\]\: \\]:A\:B: '"#))
        let fish = try #require(Completions.text(for: "fish", of: root))
        #expect(fish.contains(#"-a frob -d 'it\'s [a]: \\'"#))
        #expect(fish.contains(#"-l x -x -d 'don\'t [x]: \\'"#))
    }

    @Test func unknownShell_hasNone() {
        #expect(Completions.text(for: "tcsh", of: CommandTable.alcedo) == nil)
    }
}

/// What bash makes of the completions.
@Suite(.timeLimit(.minutes(1)), .enabled(if: ServerProcess.find("bash") != nil)) struct BashCompletionsTests {
    private let temporary: TemporaryDirectory

    init() throws {
        temporary = try TemporaryDirectory()
        for name in ["list.txt", "pic one.png"] {
            try Data().write(to: temporary.url.appendingPathComponent(name))
        }
        try FileManager.default.createDirectory(
            atPath: temporary.file("lib"), withIntermediateDirectories: false)
        let text = try #require(Completions.text(for: "bash", of: CommandTable.alcedo))
        try Data((text + "\n").utf8).write(to: temporary.url.appendingPathComponent(".completions"))
    }

    private func bash(_ script: String) async throws -> [String] {
        let bash = try #require(ServerProcess.find("bash"))
        let process = try LineProcess(
            [bash, "--norc", "--noprofile", "-c", "source .completions\n" + script], in: temporary.path)
        var lines: [String] = []
        while let line = try await process.nextLine() { lines.append(line) }
        #expect(try await process.end() == 0)
        return lines
    }

    /// The completions of the last word.
    private func completions(_ words: String...) async throws -> [String] {
        let list = (["alcedo"] + words).map(\.shellQuoted).joined(separator: " ")
        let print = #"for reply in "${COMPREPLY[@]}"; do echo "$reply"; done"#
        return try await bash("COMP_WORDS=(\(list)); COMP_CWORD=\(words.count); _alcedo; \(print)").sorted()
    }

    @Test func bash_knowsTheFunction() async throws {
        #expect(try await bash("complete -p alcedo") == ["complete -F _alcedo alcedo"])
    }

    @Test func commands_areCompleted() async throws {
        let all = CommandTable.alcedo.commands.map(\.word) + ["--version", "-V", "--help", "-h"]
        #expect(try await completions("") == all.sorted())
        #expect(try await completions("pr") == ["prefetch", "probe"])
        #expect(
            try await completions("cache", "") == [
                "--help", "-h", "clear", "list", "remove", "stats", "trim", "verify",
            ])
        #expect(try await completions("cache", "tr") == ["trim"])
        #expect(try await completions("help", "pro") == ["probe"])
        #expect(try await completions("completions", "b") == ["bash"])
    }

    @Test func options_areThoseOfTheCommand() async throws {
        #expect(
            try await completions("load", "--re") == [
                "--region", "--remote-names", "--resize", "--retries", "--revalidate",
            ])
        #expect(try await completions("load", "http://h/a", "--f") == ["--force", "--format"])
        #expect(try await completions("probe", "--re") == ["--retries", "--revalidate"])
        #expect(try await completions("probe", "--t") == ["--timeout"])
        #expect(try await completions("cache", "trim", "--t") == ["--to"])
        #expect(try await completions("cache", "list", "--t") == ["--tag"])
        #expect(try await completions("cache", "--t") == [])
        #expect(try await completions("demo", "--") == ["--force", "--help", "--timeline"])
    }

    @Test func values_areCompleted() async throws {
        #expect(try await completions("load", "--format", "") == PictureFormat.names.sorted())
        #expect(try await completions("load", "--format", "p") == ["png"])
        #expect(try await completions("load", "--format", "=", "p") == ["png"])
        #expect(try await completions("load", "--format", "=") == PictureFormat.names.sorted())
        #expect(try await completions("load", "--jobs", "") == [])
        #expect(try await completions("load", "-o", "l") == ["lib"])
        #expect(try await completions("load", "--sheet", "l") == ["lib", "list.txt"])
        // The value of an option is no command.
        #expect(try await completions("load", "--user-agent", "cache", "--res") == ["--resize"])
    }

    @Test func files_areCompleted() async throws {
        #expect(try await completions("load", "p") == ["pic one.png"])
        #expect(try await completions("prefetch", "l") == ["lib", "list.txt"])
    }
}
