import Alcedo

/// A number as a key, with as many groups as the test wants.
struct NumberKey: GroupedKey, ExpressibleByIntegerLiteral, CustomStringConvertible {
    let number: Int
    let group: Int

    /// - Parameter groups: How many groups all numbers share.
    init(_ number: Int, groups: Int = .max) {
        self.number = number
        group = number % groups
    }

    init(integerLiteral value: Int) { self.init(value) }

    var description: String { "\(number)" }
}

extension [Departed<NumberKey, String>] {
    var reasons: [EvictionReason] { map(\.reason) }
}
