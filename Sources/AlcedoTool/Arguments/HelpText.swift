/// The help, generated from the specifications of the commands.
struct HelpText {
    var width = 80

    /// The help of a command: examples first, then the list of its subcommands if it has any, otherwise its options.
    func of(_ command: CommandSpec) -> String {
        var parts = ["usage: \(Self.usage(command))"]
        if !command.summary.isEmpty { parts.append(wrapped(command.summary.sentence, indentation: 0)) }
        if !command.examples.isEmpty { parts.append(examples(of: command)) }
        parts += command.details.map { wrapped($0, indentation: 0) }
        if !command.commands.isEmpty {
            parts.append(table(command.commands.map { ($0.word, $0.summary) }))
        }
        parts.append(table(command.allOptions.map { (Self.form($0), $0.help) }))
        if !command.environment.isEmpty {
            parts.append("Environment:\n" + table(command.environment.map { ($0.title, $0.meaning) }))
        }
        if !command.commands.isEmpty {
            let name = command.name.isEmpty ? "" : " \(command.name)"
            parts.append(#"Run "alcedo\#(name) COMMAND --help" for the options of a command."#)
        }
        return parts.joined(separator: "\n\n")
    }

    /// The help of a command that was given without the name of one of its subcommands.
    func short(of command: CommandSpec) -> String {
        let name = command.name.isEmpty ? "" : " \(command.name)"
        return [
            "usage: \(Self.usage(command))", wrapped(command.summary.sentence, indentation: 0),
            examples(of: command), table(command.commands.map { ($0.word, $0.summary) }),
            #"Run "alcedo\#(name) --help" for more."#,
        ].joined(separator: "\n\n")
    }

    private static func usage(_ command: CommandSpec) -> String { "alcedo \(command.usage)" }

    private func examples(of command: CommandSpec) -> String {
        let lines = command.examples.map { "  \($0.line)\n" + wrapped($0.meaning.sentence, indentation: 6) }
        return (["Examples:"] + lines).joined(separator: "\n")
    }

    private static func form(_ option: OptionSpec) -> String {
        let names = option.short.map { "\($0), \(option.name)" } ?? "    \(option.name)"
        return option.value.map { "\(names) \($0.placeholder)" } ?? names
    }

    /// Formats two columns. A first cell that is too wide gets its own line.
    private func table(_ rows: [(String, String)]) -> String {
        let limit = 26
        let column = min(limit, rows.map(\.0.count).max() ?? 0) + 4
        return rows.map { first, second in
            let text = wrapped(second, indentation: column)
            if first.count + 4 > column { return "  \(first)\n\(text)" }
            return "  \(first)" + text.dropFirst(2 + first.count)
        }.joined(separator: "\n")
    }

    private func wrapped(_ text: String, indentation: Int) -> String {
        let margin = String(repeating: " ", count: indentation)
        var lines: [String] = []
        var line = margin
        for word in text.split(separator: " ") {
            if line.count > indentation, line.count + 1 + word.count > width {
                lines.append(line)
                line = margin
            }
            line += (line.count > indentation ? " " : "") + word
        }
        return (lines + [line]).joined(separator: "\n")
    }
}

extension String {
    /// The text with a capital letter and a period.
    fileprivate var sentence: String { prefix(1).uppercased() + dropFirst() + "." }
}
