/// The parsed options of `alcedo cache`.
struct CacheOptions: Equatable {
    enum Action: Equatable {
        case stats
        case list(prefix: String?, tag: String?)
        case verify
        case trim(bytes: Int)
        case clear
        case remove(Selection)
    }

    /// The entries to remove.
    enum Selection: Equatable {
        case urls([String])
        case prefix(String)
        case tag(String)
        case expired
        case unused(days: Int)
    }

    enum Place: Equatable {
        /// A cache of this program, or of another one.
        case named(String = "default", program: String? = nil)
        case directory(String)
    }

    var action: Action
    var place = Place.named()
    var printsJSON = false

    init(_ arguments: [String]) throws(UsageError) {
        guard let name = arguments.first else { throw UsageError(message: "alcedo cache: no command") }
        guard let command = CacheArguments.Command(rawValue: name) else {
            throw UsageError(message: "alcedo cache: unknown command: \(name)")
        }
        let given = try CacheArguments(command, arguments.dropFirst())
        action = try given.action()
        place = try given.place()
        printsJSON = given.flags.contains("--json")
    }
}

/// The arguments of `alcedo cache`, split but not yet interpreted.
struct CacheArguments {
    enum Command: String {
        case stats, list, verify, trim, clear, remove

        /// The options that take a value.
        var valued: Set<String> {
            let all: Set = ["--directory", "--name", "--program"]
            return switch self {
            case .list: all.union(["--prefix", "--tag"])
            case .trim: all.union(["--to"])
            case .remove: all.union(["--prefix", "--tag", "--unused-for"])
            default: all
            }
        }

        /// The options that take no value.
        var plain: Set<String> { self == .remove ? ["--json", "--expired"] : ["--json"] }
    }

    let command: Command
    private(set) var values: [String: String] = [:]
    private(set) var flags: Set<String> = []
    private var texts: [String] = []

    init(_ command: Command, _ arguments: ArraySlice<String>) throws(UsageError) {
        self.command = command
        var rest = arguments
        var onlyTexts = false
        while let argument = rest.popFirst() {
            switch argument {
            case _ where onlyTexts: texts.append(argument)
            case "--": onlyTexts = true
            case _ where command.plain.contains(argument): flags.insert(argument)
            case _ where command.valued.contains(argument): try take(argument, from: &rest)
            case _ where argument.hasPrefix("-"): throw refusal("unknown option: \(argument)")
            default: texts.append(argument)
            }
        }
        if command != .remove, let text = texts.first { throw refusal("unknown argument: \(text)") }
    }

    private mutating func take(_ option: String, from rest: inout ArraySlice<String>) throws(UsageError) {
        let value = try rest.takeValue(of: option, in: "cache \(command.rawValue)")
        // It is unclear which of the two is meant, and mistaken removals can't be undone.
        if values.updateValue(value, forKey: option) != nil { throw refusal("\(option) is there twice") }
    }

    func place() throws(UsageError) -> CacheOptions.Place {
        guard let directory = values["--directory"] else {
            return .named(values["--name"] ?? "default", program: values["--program"])
        }
        for option in ["--name", "--program"] where values[option] != nil {
            throw refusal("--directory and \(option) exclude each other")
        }
        return .directory(directory)
    }

    func action() throws(UsageError) -> CacheOptions.Action {
        switch command {
        case .stats: return .stats
        case .list: return .list(prefix: values["--prefix"], tag: values["--tag"])
        case .verify: return .verify
        case .trim:
            guard let text = values["--to"] else { throw refusal("--to is missing") }
            guard let bytes = ByteText.count(text) else { throw refusal("not a number of bytes: \(text)") }
            return .trim(bytes: bytes)
        case .clear: return .clear
        case .remove: return .remove(try selection())
        }
    }

    private func selection() throws(UsageError) -> CacheOptions.Selection {
        var selections: [CacheOptions.Selection] = []
        if !texts.isEmpty { selections.append(.urls(texts)) }
        if let prefix = values["--prefix"] { selections.append(.prefix(prefix)) }
        if let tag = values["--tag"] { selections.append(.tag(tag)) }
        if flags.contains("--expired") { selections.append(.expired) }
        if let text = values["--unused-for"] {
            let isNumber = text.allSatisfy { $0.isASCII && $0.isNumber }
            guard isNumber, let days = Int(text), days > 0 else { throw refusal("not a number of days: \(text)") }
            selections.append(.unused(days: days))
        }
        guard let selection = selections.first else { throw refusal("no URL") }
        // It is unclear whether both or either are meant, and mistaken removals can't be undone.
        if selections.count > 1 { throw refusal("URLs and the options that choose entries exclude each other") }
        return selection
    }

    private func refusal(_ reason: String) -> UsageError {
        UsageError(message: "alcedo cache \(command.rawValue): \(reason)")
    }
}

extension ByteText {
    /// The number of bytes in a text such as 500, 500K, 20M, 1G or 1GiB, in units of 1024; nil if it isn't one.
    static func count(_ text: String) -> Int? {
        let digits = text.prefix { $0.isASCII && $0.isNumber }
        let unit: Int
        switch text.dropFirst(digits.count).lowercased() {
        case "": unit = 1
        case "k", "kib": unit = 1 << 10
        case "m", "mib": unit = 1 << 20
        case "g", "gib": unit = 1 << 30
        case "t", "tib": unit = 1 << 40
        default: return nil
        }
        guard let number = Int(digits) else { return nil }
        let (bytes, overflows) = number.multipliedReportingOverflow(by: unit)
        return overflows ? nil : bytes
    }
}
