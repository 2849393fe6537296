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
        /// A cache of this tool, whatever the name of its file, or of another program.
        case named(String = "default", program: String = "alcedo")
        case directory(String)
    }

    var action: Action
    var place = Place.named()
    var printsJSON = false
    var isQuiet = false
    /// Whether to print the entries that would be removed, and to remove none.
    var isDryRun = false
    /// Whether to remove entries without asking the user.
    var skipsConfirmation = false

    init(_ arguments: [String]) throws(UsageError) {
        guard let word = arguments.first else { throw UsageError("cache", "no command") }
        guard let command = CommandTable.cache.command(word) else {
            let hint = Spelling.hint(word, of: CommandTable.cache.commands.map(\.word))
            throw UsageError("cache", "unknown command: \(word)\(hint)")
        }
        let given = CacheArguments(arguments: try Arguments(command, arguments.dropFirst()))
        action = try given.action()
        place = try given.place()
        printsJSON = given.arguments.has("--json")
        isQuiet = try given.arguments.isQuiet()
        isDryRun = given.has("--dry-run")
        skipsConfirmation = given.has("--yes")
    }
}

/// The arguments of `alcedo cache`, split but not yet interpreted.
private struct CacheArguments {
    let arguments: Arguments

    /// The beginning of the URLs to select.
    private var prefix: String? { arguments.value("--prefix").map { ArgumentText.percentEncoded($0) } }

    /// Whether an option that only some of the commands accept is given.
    func has(_ option: String) -> Bool { arguments.command.option(option) != nil && arguments.has(option) }

    func place() throws(UsageError) -> CacheOptions.Place {
        guard let directory = try arguments.cacheDirectory("--cache") else {
            return .named(arguments.value("--name") ?? "default", program: arguments.value("--program") ?? "alcedo")
        }
        for option in ["--name", "--program"] where arguments.has(option) {
            throw arguments.refusal("--cache and \(option) can't be used together")
        }
        return .directory(directory)
    }

    func action() throws(UsageError) -> CacheOptions.Action {
        switch arguments.command.word {
        case "stats": return .stats
        case "list": return .list(prefix: prefix, tag: arguments.value("--tag"))
        case "verify": return .verify
        case "trim":
            guard let text = arguments.value("--to") else { throw arguments.refusal("--to is missing") }
            guard let bytes = ByteText.count(text) else {
                throw arguments.refusal("--to must be a number of bytes, such as 500K, 20M or 1GiB: \(text)")
            }
            return .trim(bytes: bytes)
        case "clear": return .clear
        default: return .remove(try selection())
        }
    }

    private func selection() throws(UsageError) -> CacheOptions.Selection {
        var selections: [CacheOptions.Selection] = []
        if !arguments.operands.isEmpty { selections.append(.urls(arguments.operands)) }
        if let prefix { selections.append(.prefix(prefix)) }
        if let tag = arguments.value("--tag") { selections.append(.tag(tag)) }
        if arguments.has("--expired") { selections.append(.expired) }
        if let days = try arguments.number("--unused-for", in: 1...100_000) { selections.append(.unused(days: days)) }
        guard let selection = selections.first else {
            throw arguments.refusal("no URL and no filter, such as --prefix")
        }
        // It is unclear whether both or either are meant, and mistaken removals can't be undone.
        if selections.count > 1 {
            throw arguments.refusal("only one filter can be used, and none with URLs")
        }
        return selection
    }
}

extension ByteText {
    /// The number of bytes in a text such as 500, 500K, 20MB or 1GiB; nil for other texts. As in the output, K, M, G
    /// and T are units of 1000; KiB, MiB, GiB and TiB are units of 1024.
    static func count(_ text: String) -> Int? {
        let digits = text.prefix { $0.isASCII && $0.isNumber }
        let unit: Int
        switch text.dropFirst(digits.count).lowercased() {
        case "": unit = 1
        case "k", "kb": unit = 1_000
        case "m", "mb": unit = 1_000_000
        case "g", "gb": unit = 1_000_000_000
        case "t", "tb": unit = 1_000_000_000_000
        case "kib": unit = 1 << 10
        case "mib": unit = 1 << 20
        case "gib": unit = 1 << 30
        case "tib": unit = 1 << 40
        default: return nil
        }
        guard let number = Int(digits) else { return nil }
        let (bytes, overflows) = number.multipliedReportingOverflow(by: unit)
        return overflows ? nil : bytes
    }
}
