import Alcedo

/// A number as a key, with as many different hashes as the test wants.
struct NumberKey: PrehashedKey, ExpressibleByIntegerLiteral, CustomStringConvertible {
    let number: Int
    let prehash: UInt64

    /// - Parameter hashes: how many different hashes all numbers share.
    init(_ number: Int, hashes: Int = .max) {
        self.number = number
        prehash = UInt64(truncatingIfNeeded: number % hashes)
    }

    init(integerLiteral value: Int) { self.init(value) }

    var description: String { "\(number)" }
}

extension EvictedEntries {
    var isEmpty: Bool { all.isEmpty }
    var reasons: [EvictionReason] { all.map(\.reason) }
}
