/// The parsed options of `alcedo load`.
struct LoadOptions: Equatable {
    var texts: [String] = []
    var outputDirectory: String?
    var sheetFile: String?
    var printsJSON = false

    init(_ arguments: [String]) throws(UsageError) {
        var rest = arguments[...]
        var onlyURLs = false
        while let argument = rest.popFirst() {
            switch argument {
            case _ where onlyURLs: texts.append(argument)
            case "--": onlyURLs = true
            case "-o": outputDirectory = try Self.value(of: argument, from: &rest)
            case "--sheet": sheetFile = try Self.value(of: argument, from: &rest)
            case "--json": printsJSON = true
            case _ where argument.hasPrefix("-"): throw UsageError(message: "alcedo load: unknown option: \(argument)")
            default: texts.append(argument)
            }
        }
        if texts.isEmpty { throw UsageError(message: "alcedo load: no URL") }
    }

    private static func value(of option: String, from rest: inout ArraySlice<String>) throws(UsageError) -> String {
        // If a value looks like an option, the actual value was forgotten; a file of that name is "./-name".
        guard let value = rest.popFirst(), !value.isEmpty, !value.hasPrefix("-") else {
            throw UsageError(message: "alcedo load: \(option) needs a value")
        }
        return value
    }
}
