@testable import Alcedo

/// A number as a key, whose fold tells it apart only as well as the test wants.
struct NumberKey: FoldedKey, ExpressibleByIntegerLiteral, CustomStringConvertible {
    let number: Int
    let fold: UInt64

    /// - Parameter folds: how many different folds all numbers share.
    init(_ number: Int, folds: Int = .max) {
        self.number = number
        fold = UInt64(truncatingIfNeeded: number % folds)
    }

    init(integerLiteral value: Int) { self.init(value) }

    var description: String { "\(number)" }
}

extension Departures {
    var reasons: [EvictionReason] { all.map(\.reason) }
}
