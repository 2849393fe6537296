import AlcedoTestSupport

extension SeededRandom {
    /// Returns a well-formed text with a few bytes changed, removed, duplicated or inserted, or random bytes.
    mutating func rubbish(from seeds: [String], alphabet: String) -> String {
        let alphabet = Array(alphabet.utf8)
        func any(_ random: inout SeededRandom) -> UInt8 {
            Bool.random(using: &random)
                ? alphabet[Int.random(in: alphabet.indices, using: &random)] : UInt8.random(in: 0...255, using: &random)
        }
        guard Int.random(in: 0..<4, using: &self) > 0, let seed = seeds.randomElement(using: &self) else {
            return String(decoding: (0..<Int.random(in: 0..<40, using: &self)).map { _ in any(&self) }, as: UTF8.self)
        }
        var bytes = Array(seed.utf8)
        for _ in 0..<Int.random(in: 1...4, using: &self) where !bytes.isEmpty {
            let at = Int.random(in: bytes.indices, using: &self)
            switch Int.random(in: 0..<4, using: &self) {
            case 0: bytes[at] = any(&self)
            case 1: bytes.remove(at: at)
            case 2: bytes.insert(bytes[at], at: at)
            default: bytes.insert(any(&self), at: at)
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
