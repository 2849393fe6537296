/// The parsed options of `alcedo view`.
struct ViewOptions: Equatable {
    /// The way images are drawn.
    enum Graphics: String, CaseIterable {
        /// The best way that the terminal supports.
        case auto
        /// With characters: two pixels in each cell.
        case blocks
        /// With kitty's protocol.
        case kitty
    }

    /// URLs and paths; "-" for a list on standard input.
    var texts: [String]
    /// The number of tiles in a row; nil to choose by the width.
    var columns: Int?
    var graphics = Graphics.auto
    var cache: CacheAccess
    var network: NetworkOptions
    var decoding: DecodeOptions

    init(_ arguments: [String]) throws(UsageError) {
        let given = try Arguments(CommandTable.view, arguments)
        texts = given.operands
        if texts.isEmpty { throw given.refusal("no URL") }
        if texts.count(where: { $0 == "-" }) > 1 { throw given.refusal("- is given twice") }
        columns = try given.number("--columns", in: 1...100)
        if let name = given.value("--graphics"), let value = Graphics(rawValue: name) { graphics = value }
        network = try NetworkOptions(given)
        decoding = try DecodeOptions(given)
        cache = try CacheAccess(given)
    }

    var readsInput: Bool { texts.contains("-") }
}
