import Foundation

/// Ranks from zero, whose probability falls as a power of the rank.
struct ZipfRanks {
    /// The cumulative probability of each rank.
    private let sums: [Double]

    init(count: Int, exponent: Double) {
        var sum = 0.0
        let sums = (1...count).map { rank in
            sum += pow(Double(rank), -exponent)
            return sum
        }
        self.sums = sums.map { $0 / sum }
    }

    /// - Parameter point: A number in 0..<1.
    func rank(at point: Double) -> Int {
        var (low, high) = (0, sums.count - 1)
        while low < high {
            let middle = (low + high) / 2
            if sums[middle] <= point { low = middle + 1 } else { high = middle }
        }
        return low
    }
}
