import Foundation

/// Decides which quality is tried next, until the best one is found whose file is small enough.
struct QualitySearch {
    /// To be tried next; nil when that is settled.
    private(set) var next: Int?
    private var best: Data?
    private var smallest = Int.max
    /// Those that may still be the best one.
    private var range: Range<Int>
    private let byteLimit: Int

    /// What is tried first is `quality`, which needs not be told; nil when there is only that.
    init(from quality: Int?, downTo lowest: Int, byteLimit: Int) {
        let lowest = max(0, lowest)
        range = lowest..<max(lowest, quality ?? lowest)
        self.byteLimit = byteLimit
    }

    /// What came of the quality that was tried.
    mutating func add(_ file: Data) {
        smallest = min(smallest, file.count)
        let fits = file.count <= byteLimit
        if fits { best = file }
        if let next {
            range = fits ? next + 1..<range.upperBound : range.lowerBound..<next
        } else if fits {
            range = range.upperBound..<range.upperBound
        }
        next = range.isEmpty ? nil : range.lowerBound + range.count / 2
    }

    /// The file of the best quality that fits.
    func outcome() throws(ImageLoaderError) -> Data {
        guard let best else { throw .limitExceeded(.encodedBytes, value: smallest, allowed: byteLimit) }
        return best
    }
}
