extension RandomNumberGenerator {
    /// The next `count` random bytes.
    mutating func nextBytes(_ count: Int) -> [UInt8] {
        var bytes: [UInt8] = []
        while bytes.count < count {
            let word: UInt64 = next()
            bytes.append(integer: word)
        }
        return Array(bytes.prefix(count))
    }
}
