/// The result of decoding one file of an ``ImageCorpus``, and how it differs from what its line says.
struct ConformanceVerdict: Sendable {
    enum Result: Sendable {
        case picture
        case error
        /// This build has no decoder for the format and correctly rejected the file.
        case notRead
    }

    let row: ImageCorpus.Row
    var result = Result.error
    private(set) var problems: [String] = []

    init(_ row: ImageCorpus.Row) { self.row = row }

    mutating func require(_ holds: Bool, _ problem: @autoclosure () -> String) {
        if !holds { problems.append(problem()) }
    }
}
