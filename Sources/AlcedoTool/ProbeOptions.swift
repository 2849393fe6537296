/// The parsed options of `alcedo probe`.
struct ProbeOptions: Equatable {
    var texts: [String]
    var cache: CacheAccess
    var printsJSON: Bool
    var isQuiet: Bool
    var network: NetworkOptions
    var decoding: DecodeOptions

    init(_ arguments: [String]) throws(UsageError) {
        let given = try Arguments(CommandTable.probe, arguments)
        texts = given.operands
        if texts.isEmpty { throw given.refusal("no URL") }
        printsJSON = given.has("--json")
        isQuiet = try given.isQuiet()
        cache = try CacheAccess(given)
        network = try NetworkOptions(given)
        decoding = try DecodeOptions(given)
    }
}
