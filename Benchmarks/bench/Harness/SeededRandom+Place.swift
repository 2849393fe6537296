import AlcedoTestSupport

extension SeededRandom {
    /// Returns a number from zero to below `count`. It avoids the division of a remainder, because numbers are drawn
    /// while the clock runs.
    mutating func place(among count: Int) -> Int { Int(next().multipliedFullWidth(by: UInt64(count)).high) }
}
