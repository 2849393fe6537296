/// Shell completions, generated from the specifications of the commands.
enum Completions {
    static let shells = ["bash", "zsh", "fish"]

    static func text(for shell: String, of root: CommandSpec) -> String? {
        switch shell {
        case "bash": BashCompletions(root: root).text
        case "zsh": ZshCompletions(root: root).text
        case "fish": FishCompletions(root: root).text
        default: nil
        }
    }
}

extension CommandSpec {
    /// This command and all commands below it.
    var tree: [CommandSpec] { [self] + commands.flatMap(\.tree) }

    /// The names of all options, including those with one hyphen.
    var optionNames: [String] { allOptions.flatMap(\.names) }
}

extension String {
    /// The text in single quotes, for bash and zsh.
    var shellQuoted: String { "'" + replacing("'", with: #"'\''"#) + "'" }
}
