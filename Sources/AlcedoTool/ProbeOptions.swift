import Alcedo

/// The parsed options of `alcedo probe`.
struct ProbeOptions: Equatable {
    var texts: [String] = []
    /// Nil for the default cache.
    var cacheDirectory: String?
    var readPolicy = CacheReadPolicy.http
    var printsJSON = false

    init(_ arguments: [String]) throws(UsageError) {
        var rest = arguments[...]
        var onlyURLs = false
        while let argument = rest.popFirst() {
            switch argument {
            case _ where onlyURLs: texts.append(argument)
            case "--": onlyURLs = true
            case "--cache": cacheDirectory = try rest.takeValue(of: argument, in: "probe")
            case "--revalidate": try choose(.revalidate)
            case "--offline": try choose(.cachedOnly)
            case "--json": printsJSON = true
            case _ where argument.hasPrefix("-"):
                throw UsageError(message: "alcedo probe: unknown option: \(argument)")
            default: texts.append(argument)
            }
        }
        if texts.isEmpty { throw UsageError(message: "alcedo probe: no URL") }
    }

    private mutating func choose(_ policy: CacheReadPolicy) throws(UsageError) {
        guard readPolicy == .http || readPolicy == policy else {
            throw UsageError(message: "alcedo probe: --revalidate and --offline exclude each other")
        }
        readPolicy = policy
    }
}
