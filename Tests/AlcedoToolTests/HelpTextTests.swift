import Foundation
import Testing

@testable import AlcedoTool

@Suite struct HelpTextTests {
    @Test(arguments: CommandTable.alcedo.tree.map(\.name))
    func help_namesAllCommandsAndOptions_onNarrowLines(_ name: String) {
        let command = CommandTable.alcedo.find(name.split(separator: " ").map(String.init))
        let help = HelpText().of(command)
        #expect(help.hasPrefix("usage: alcedo"))
        for line in help.split(separator: "\n") { #expect(line.count <= 80, "\(line)") }
        let words = Set(help.split { " ,\n".contains($0) }.map(String.init))
        for option in command.allOptions { #expect(words.isSuperset(of: option.names)) }
        for command in command.commands { #expect(words.contains(command.word)) }
    }

    @Test func help_isALineForEachOption() {
        let command = CommandSpec(
            name: "frob", summary: "frob things", operands: .files("FILE..."), details: ["Frobs."],
            options: [
                OptionSpec("--all", short: "-a", "everything"),
                OptionSpec(
                    "--level", takes: .choice(["low", "medium", "high"]), "one two three four five six seven eight nine"
                ),
            ])
        let expected = """
            usage: alcedo frob [OPTION...] FILE...

            Frob things.

            Frobs.

              -a, --all                   everything
                  --level low|medium|high
                                          one two three four five six seven
                                          eight nine
              -h, --help                  print this help
            """
        #expect(HelpText(width: 64).of(command) == expected)
    }

    @Test func help_beginsWithExamples_andEndsWithTheEnvironment() {
        let command = CommandSpec(
            name: "frob", summary: "frob things", examples: [.init("alcedo frob --level 2", "frob twice")],
            details: ["Frobs."],
            options: [
                OptionSpec("--level", short: "-l", takes: .text("N"), isRequired: true, "how often"),
                OptionSpec("--all", "everything"),
            ],
            environment: [EnvironmentVariable("FROB", "Frob", meaning: "where to frob")])
        let expected = """
            usage: alcedo frob --level N [OPTION...]

            Frob things.

            Examples:
              alcedo frob --level 2
                  Frob twice.

            Frobs.

              -l, --level N  how often
                  --all      everything
              -h, --help     print this help

            Environment:
              FROB, Frob  where to frob
            """
        #expect(HelpText(width: 64).of(command) == expected)
    }

    /// Examples are what users copy.
    @Test(arguments: CommandTable.alcedo.tree) func examples_areValid(_ command: CommandSpec) throws {
        #expect(!command.examples.isEmpty)
        for example in command.examples {
            let words = example.line.split { " |()".contains($0) }.map(String.init)
            let start = try #require(words.firstIndex(of: "alcedo"), "\(example.line)")
            let arguments = Array(words[(start + 1)...])
            let found = CommandTable.alcedo.find(arguments)
            #expect(found.name.hasPrefix(command.name) && found.commands.isEmpty, "\(example.line)")
            let rest = Array(arguments.dropFirst())
            switch found.name.prefix(while: { $0 != " " }) {
            case "load": _ = try LoadOptions(rest)
            case "view": _ = try ViewOptions(rest)
            case "prefetch": _ = try PrefetchOptions(rest)
            case "probe": _ = try ProbeOptions(rest)
            case "cache": _ = try CacheOptions(rest)
            default: _ = try Arguments(found, rest)
            }
        }
    }

    @Test func requiredOptions_areRequired() {
        for command in CommandTable.alcedo.tree {
            for option in command.options where option.isRequired {
                let words = command.name.split(separator: " ").dropFirst().map(String.init)
                #expect(throws: UsageError(command.name, "\(option.name) is missing")) { try CacheOptions(words) }
                #expect(HelpText().of(command).hasPrefix("usage: alcedo \(command.name) \(option.form) "))
            }
        }
    }

    /// The variables of libraries are in ``EnvironmentVariable`` only.
    @Test func environment_isWhatTheCodeReads() throws {
        let known = EnvironmentVariable.all.flatMap(\.names)
        #expect(Set(known).count == known.count)
        let sources = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../Sources/AlcedoTool")
        let files = try #require(FileManager.default.enumerator(at: sources, includingPropertiesForKeys: nil))
        var read = Set(TerminalEnvironment.names)
        for case let file as URL in files where file.pathExtension == "swift" {
            let text = try String(contentsOf: file, encoding: .utf8)
            read.formUnion(text.matches(of: /(?:ofEnvironment|getenv)\("(\w+)"\)/).map { String($0.output.1) })
        }
        #expect(read.contains("TERM") && read.contains("SSL_CERT_FILE"))
        let libraries = ["XDG_CACHE_HOME", "TMPDIR"] + known.filter { $0.lowercased().hasSuffix("_proxy") }
        #if os(Linux) && Curl
        #expect(Set(known) == read.union(libraries))
        #else
        #expect(Set(known).isSubset(of: read.union(libraries)))
        #endif
    }

    @Test func options_haveDifferentNames() {
        for command in CommandTable.alcedo.tree {
            let names = command.allOptions.flatMap(\.names)
            #expect(Set(names).count == names.count, "\(command.name)")
            for option in command.options {
                #expect(option.name.hasPrefix("--") && option.short.map { $0.count == 2 } ?? true)
            }
        }
    }

    @Test func distance_countsTheEdits() {
        func distance(_ left: String, _ right: String) -> Int { Spelling.distance(Array(left), Array(right)) }
        #expect(distance("", "") == 0)
        #expect(distance("", "ab") == 2)
        #expect(distance("load", "lod") == 1)
        #expect(distance("load", "laod") == 1)
        #expect(distance("load", "road") == 1)
        #expect(distance("abc", "xyz") == 3)
    }
}
