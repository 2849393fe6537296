import Alcedo

/// The parsed options of `alcedo probe`.
struct ProbeOptions: Equatable {
    var texts: [String]
    /// Nil for the default cache.
    var cacheDirectory: String?
    var readPolicy = CacheReadPolicy.http
    var printsJSON: Bool

    init(_ arguments: [String]) throws(UsageError) {
        let given = try Arguments(CommandTable.probe, arguments)
        texts = given.operands
        if texts.isEmpty { throw given.refusal("no URL") }
        cacheDirectory = given.value("--cache")
        printsJSON = given.has("--json")
        if given.has("--revalidate") { readPolicy = .revalidate }
        if given.has("--offline") {
            if readPolicy != .http { throw given.refusal("--revalidate and --offline exclude each other") }
            readPolicy = .cachedOnly
        }
    }
}
