import AlcedoTestSupport

extension SeededRandom {
    /// A number from zero to below `count`, without the division that a remainder would take: it is drawn while the
    /// clock runs.
    mutating func place(among count: Int) -> Int { Int(next().multipliedFullWidth(by: UInt64(count)).high) }
}
