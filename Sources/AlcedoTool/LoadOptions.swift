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
            case "-o": outputDirectory = try rest.takeValue(of: argument, in: "load")
            case "--sheet": sheetFile = try rest.takeValue(of: argument, in: "load")
            case "--json": printsJSON = true
            case _ where argument.hasPrefix("-"): throw UsageError(message: "alcedo load: unknown option: \(argument)")
            default: texts.append(argument)
            }
        }
        if texts.isEmpty { throw UsageError(message: "alcedo load: no URL") }
    }
}
