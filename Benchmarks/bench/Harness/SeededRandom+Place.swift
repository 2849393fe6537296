import AlcedoTestSupport

extension SeededRandom {
    /// A number from zero to below `count`, without the division of a remainder, because it is drawn while the clock
    /// runs.
    mutating func place(among count: Int) -> Int { Int(next().multipliedFullWidth(by: UInt64(count)).high) }
}
