/// What became of one file of an ``ImageCorpus``, and in which ways that is not what its line says.
struct ConformanceVerdict: Sendable {
    enum Result: Sendable {
        case picture
        case error
        /// This build has no decoder for the format; the file was refused, as it should be.
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
