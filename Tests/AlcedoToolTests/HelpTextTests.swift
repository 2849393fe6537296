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
