/// The completions for fish, with a line for each command and option.
struct FishCompletions {
    let root: CommandSpec

    var text: String {
        let lines = root.tree.flatMap { command in
            command.commands.map { self.line(of: $0, in: command) }
                + command.allOptions.map { self.line(of: $0, in: command) } + operands(command)
        }
        return """
            # Completions of alcedo for fish. Save them as ~/.config/fish/completions/alcedo.fish.

            complete -c alcedo -f
            \(lines.joined(separator: "\n"))
            """
    }

    private func line(of command: CommandSpec, in parent: CommandSpec) -> String {
        "complete -c alcedo -n \(condition(parent)) -a \(command.word) -d \(command.summary.fishQuoted)"
    }

    private func line(of option: OptionSpec, in command: CommandSpec) -> String {
        var words = ["complete -c alcedo -n \(condition(command)) -l \(option.name.dropFirst(2))"]
        if let short = option.short { words.append("-s \(short.dropFirst())") }
        switch option.value {
        case nil: break
        case .text: words.append("-x")
        case .file: words.append("-r -F")
        case .directory: words.append("-x -a '(__fish_complete_directories)'")
        case .choice(let choices): words.append("-x -a \(choices.joined(separator: " ").fishQuoted)")
        }
        return (words + ["-d \(option.help.fishQuoted)"]).joined(separator: " ")
    }

    private func operands(_ command: CommandSpec) -> [String] {
        switch command.operands {
        case .none, .urls: []
        case .files: ["complete -c alcedo -n \(condition(command)) -F"]
        case .choice(let words):
            ["complete -c alcedo -n \(condition(command)) -a \(words.joined(separator: " ").fishQuoted)"]
        }
    }

    /// The condition that the words before the cursor name this command and none below it.
    private func condition(_ command: CommandSpec) -> String {
        var conditions = command.name.split(separator: " ").map { "__fish_seen_subcommand_from \($0)" }
        if !command.commands.isEmpty {
            let words = command.commands.map(\.word).joined(separator: " ")
            conditions.append("not __fish_seen_subcommand_from \(words)")
        }
        return conditions.joined(separator: "; and ").fishQuoted
    }
}

extension String {
    fileprivate var fishQuoted: String {
        "'" + replacing(#"\"#, with: #"\\"#).replacing("'", with: #"\'"#) + "'"
    }
}
