import Foundation

/// Searches for the best quality whose file is small enough.
struct QualitySearch {
    /// The quality to try next; nil when the search has ended.
    private(set) var next: Int?
    private var best: Data?
    private var smallest = Int.max
    /// The qualities that may still be the best one.
    private var range: Range<Int>
    private let byteLimit: Int

    /// - Parameter quality: the quality of the caller's first try; nil when there is no other to try.
    init(from quality: Int?, downTo lowest: Int, byteLimit: Int) {
        let lowest = max(0, lowest)
        range = lowest..<max(lowest, quality ?? lowest)
        self.byteLimit = byteLimit
    }

    /// Reports the result of the quality that was tried.
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

    /// The file with the best quality that fits.
    func outcome() throws(ImageLoaderError) -> Data {
        guard let best else { throw .limitExceeded(.encodedBytes, value: smallest, allowed: byteLimit) }
        return best
    }
}
