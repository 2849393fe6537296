import AlcedoTestSupport

/// A 128-bit key, prebuilt so that no baseline pays for creating one.
struct Key128: Hashable, Sendable {
    let high: UInt64
    let low: UInt64

    init(high: UInt64, low: UInt64) {
        self.high = high
        self.low = low
    }

    /// A unique key for each number, created in a nanosecond or two: for tables too large for a list of draws.
    init(number: Int) {
        var generator = SeededRandom(seed: UInt64(number))
        self.init(high: generator.next(), low: UInt64(number))
    }

    /// `count` keys, identical for the same seed.
    static func keys(_ count: Int, seed: UInt64) -> [Key128] {
        var generator = SeededRandom(seed: seed)
        return (0..<count).map { _ in Key128(high: generator.next(), low: generator.next()) }
    }
}
