/// The parsed options of `alcedo prefetch`.
struct PrefetchOptions: Equatable {
    /// The path of the list, or "-" for standard input.
    var file: String
    var timeline: TimelineFile?
    var printsJSON: Bool
    var isQuiet: Bool
    var cache: CacheAccess
    var network: NetworkOptions

    init(_ arguments: [String]) throws(UsageError) {
        let given = try Arguments(CommandTable.prefetch, arguments)
        guard let file = given.operands.first, !file.isEmpty else { throw given.refusal("no file") }
        if given.operands.count > 1 { throw given.refusal("unknown argument: \(given.operands[1])") }
        if file.prefixMatch(of: /https?:\/\//.ignoresCase()) != nil {
            throw given.refusal("FILE must be a list of URLs, not a URL: \(file)")
        }
        self.file = file
        try given.requireOutput("--timeline")
        timeline = try TimelineFile(given)
        printsJSON = given.has("--json")
        isQuiet = try given.isQuiet()
        cache = try CacheAccess(given)
        network = try NetworkOptions(given)
    }
}
