/// The specification of a command, for the parser, the help and the completions.
struct CommandSpec: Sendable, Equatable {
    /// The arguments that aren't options.
    enum Operands: Sendable, Equatable {
        case none
        /// URLs or files, with their name in the help.
        case files(String)
        /// URLs, with their name in the help.
        case urls(String)
        /// One of these words.
        case choice([String])

        /// The name in the help.
        var placeholder: String? {
            switch self {
            case .none: nil
            case .files(let name), .urls(let name): name
            case .choice(let words): words.joined(separator: "|")
            }
        }
    }

    /// A command line, and what it does.
    struct Example: Sendable, Equatable {
        let line: String
        let meaning: String

        init(_ line: String, _ meaning: String) {
            self.line = line
            self.meaning = meaning
        }
    }

    /// The full name, such as "cache trim".
    let name: String
    /// The description in the list of commands.
    let summary: String
    var operands = Operands.none
    /// Whether "-" is an operand that means standard input.
    var readsInput = false
    /// The command lines with which the help begins.
    var examples: [Example] = []
    /// The paragraphs of the command's help.
    var details: [String] = []
    var options: [OptionSpec] = []
    var environment: [EnvironmentVariable] = []
    var commands: [CommandSpec] = []

    /// The last word of the name.
    var word: String { name.split(separator: " ").last.map(String.init) ?? "" }

    /// All options, including the ones that every command has.
    var allOptions: [OptionSpec] { options + [.forHelp] }

    /// The command line in general, without the name of the program.
    var usage: String {
        var words = name.isEmpty ? [] : [name]
        words += options.filter(\.isRequired).map(\.form)
        if !commands.isEmpty {
            words.append("COMMAND ...")
        } else if options.contains(where: { !$0.isRequired }) {
            words.append("[OPTION...]")
        }
        if let operands = operands.placeholder { words.append(operands) }
        return words.joined(separator: " ")
    }

    func option(_ name: String) -> OptionSpec? { allOptions.first { $0.names.contains(name) } }

    func command(_ word: String) -> CommandSpec? { commands.first { $0.word == word } }

    /// The command that the first words name: the most specific one that is recognized.
    func find(_ words: some Sequence<String>) -> CommandSpec {
        var found = self
        for word in words {
            guard let next = found.command(word) else { break }
            found = next
        }
        return found
    }
}
