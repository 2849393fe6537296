/// The arguments of a command, split according to its specification but not yet interpreted.
struct Arguments {
    let command: CommandSpec
    private(set) var operands: [String] = []
    private var values: [String: [String]] = [:]

    init(_ command: CommandSpec, _ arguments: some Sequence<String>) throws(UsageError) {
        self.command = command
        var rest = Array(arguments)[...]
        var onlyOperands = false
        while let argument = rest.popFirst() {
            if onlyOperands || !argument.hasPrefix("-") || argument == "-" && command.readsInput {
                operands.append(argument)
            } else if argument == "--" {
                onlyOperands = true
            } else {
                try takeOption(argument, from: &rest)
            }
        }
        if command.operands == .none, let operand = operands.first { throw refusal("unknown argument: \(operand)") }
    }

    func has(_ name: String) -> Bool { !all(name).isEmpty }

    /// The last value of an option; nil if the option isn't given.
    func value(_ name: String) -> String? { all(name).last }

    /// The values of an option that may be repeated.
    func all(_ name: String) -> [String] {
        assert(command.option(name)?.name == name, "\(name) is no option of \(command.name)")
        return values[name] ?? []
    }

    func refusal(_ reason: String) -> UsageError { UsageError(command.name, reason) }

    private mutating func takeOption(
        _ argument: String, from rest: inout ArraySlice<String>
    ) throws(UsageError) {
        let (name, attached) = split(argument)
        guard let option = command.option(name) else {
            throw refusal("unknown option: \(name)" + Spelling.hint(name, of: command.allOptions.map(\.name)))
        }
        var value = attached
        if option.value == nil {
            if attached != nil { throw refusal("\(name) takes no value") }
            value = ""
        } else if value == nil, let next = rest.first, !next.hasPrefix("-") || next.isNegativeNumber {
            value = rest.removeFirst()
        }
        // If the next argument looks like an option, the value was forgotten; "--name=-value" is possible.
        guard let value, option.value == nil || !value.isEmpty else { throw refusal("\(name) needs a value") }
        if case .choice(let words) = option.value, !words.contains(value) {
            throw refusal("\(name) must be one of \(words.joined(separator: ", ")): \(value)")
        }
        if option.repetition == .refused, values[option.name] != nil { throw refusal("\(name) is given twice") }
        values[option.name, default: []].append(value)
    }

    /// Splits "--name=value" and "-nvalue" into two parts.
    private func split(_ argument: String) -> (name: String, value: String?) {
        if argument.hasPrefix("--") {
            guard let equals = argument.firstIndex(of: "=") else { return (argument, nil) }
            return (String(argument[..<equals]), String(argument[argument.index(after: equals)...]))
        }
        let short = String(argument.prefix(2))
        guard argument.count > 2, command.option(short)?.value != nil else { return (argument, nil) }
        return (short, String(argument.dropFirst(2)))
    }
}

extension String {
    /// Whether the text is a negative number. It is taken as a value, so that the error is about the number.
    fileprivate var isNegativeNumber: Bool {
        hasPrefix("-") && dropFirst().first.map { $0.isASCII && $0.isNumber || $0 == "." } == true
    }
}
