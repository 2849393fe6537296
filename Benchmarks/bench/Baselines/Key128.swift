import AlcedoTestSupport

/// A 128-bit key, prebuilt: no baseline pays for making one.
struct Key128: Hashable, Sendable {
    let high: UInt64
    let low: UInt64

    /// `count` keys, the same for the same seed.
    static func keys(_ count: Int, seed: UInt64) -> [Key128] {
        var generator = SeededRandom(seed: seed)
        return (0..<count).map { _ in Key128(high: generator.next(), low: generator.next()) }
    }
}
