import AlcedoTestSupport

/// A 128-bit key, created in advance so that no baseline pays for it.
struct Key128: Hashable, Sendable {
    let high: UInt64
    let low: UInt64

    init(high: UInt64, low: UInt64) {
        self.high = high
        self.low = low
    }

    /// Creates a unique key for each number, in a nanosecond or two, for tables that are too large for a list of draws.
    init(number: Int) {
        var generator = SeededRandom(seed: UInt64(number))
        self.init(high: generator.next(), low: UInt64(number))
    }

    /// Returns `count` keys, the same for the same seed.
    static func keys(_ count: Int, seed: UInt64) -> [Key128] {
        var generator = SeededRandom(seed: seed)
        return (0..<count).map { _ in Key128(high: generator.next(), low: generator.next()) }
    }
}
