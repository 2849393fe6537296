/// The specification of an option, for the parser, the help and the completions.
struct OptionSpec: Sendable, Equatable {
    /// The value that follows an option.
    enum Value: Sendable, Equatable {
        /// Free text, with its name in the help.
        case text(String)
        case file(String)
        case directory(String)
        /// One of these words.
        case choice([String])

        /// The name in the help.
        var placeholder: String {
            switch self {
            case .text(let name), .file(let name), .directory(let name): name
            case .choice(let words): words.joined(separator: "|")
            }
        }
    }

    /// The meaning of an option that is given more than once.
    enum Repetition: Sendable, Equatable {
        case lastCounts
        case allCount
        /// An error, because it is unclear which value is meant and a mistake can't be undone.
        case refused
    }

    /// The name with its two hyphens.
    let name: String
    /// The short name with one hyphen, if there is one.
    let short: String?
    /// The value; nil for an option without a value.
    let value: Value?
    let repetition: Repetition
    /// Whether the command is invalid without the option.
    let isRequired: Bool
    let help: String

    init(
        _ name: String, short: String? = nil, takes value: Value? = nil, repetition: Repetition = .lastCounts,
        isRequired: Bool = false, _ help: String
    ) {
        self.name = name
        self.short = short
        self.value = value
        self.repetition = repetition
        self.isRequired = isRequired
        self.help = help
    }

    /// The names, the short one first.
    var names: [String] { (short.map { [$0] } ?? []) + [name] }

    /// The name with its value.
    var form: String { value.map { "\(name) \($0.placeholder)" } ?? name }

    func refusingRepetition() -> OptionSpec {
        OptionSpec(name, short: short, takes: value, repetition: .refused, isRequired: isRequired, help)
    }

    static let forHelp = OptionSpec("--help", short: "-h", "print this help")
}
