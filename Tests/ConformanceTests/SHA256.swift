/// SHA-256 (FIPS 180-4), for the corpus' hashes: Foundation has none on Linux.
struct SHA256 {
    private var state: [UInt32]

    /// The digest of `bytes` in lower-case hexadecimal.
    static func hex(of bytes: [UInt8]) -> String {
        var hash = SHA256(state: initialState)
        let padding = [0x80] + [UInt8](repeating: 0, count: (119 - bytes.count % 64) % 64)
        let length = (0..<8).map { UInt8(truncatingIfNeeded: (bytes.count * 8) >> (56 - 8 * $0)) }
        let message = bytes + padding + length
        for block in stride(from: 0, to: message.count, by: 64) {
            hash.add(message[block..<block + 64])
        }
        return hash.state.map { word in
            let digits = String(word, radix: 16)
            return String(repeating: "0", count: 8 - digits.count) + digits
        }.joined()
    }

    private mutating func add(_ block: ArraySlice<UInt8>) {
        var words = [UInt32](repeating: 0, count: 64)
        for i in 0..<16 {
            words[i] = (0..<4).reduce(0) { $0 << 8 | UInt32(block[block.startIndex + i * 4 + $1]) }
        }
        for i in 16..<64 {
            let (a, b) = (words[i - 15], words[i - 2])
            let s0 = a.rotated(7) ^ a.rotated(18) ^ a >> 3
            let s1 = b.rotated(17) ^ b.rotated(19) ^ b >> 10
            words[i] = words[i - 16] &+ s0 &+ words[i - 7] &+ s1
        }
        var v = state
        for i in 0..<64 {
            let s1 = v[4].rotated(6) ^ v[4].rotated(11) ^ v[4].rotated(25)
            let choice = (v[4] & v[5]) ^ (~v[4] & v[6])
            let first = v[7] &+ s1 &+ choice &+ Self.constants[i] &+ words[i]
            let s0 = v[0].rotated(2) ^ v[0].rotated(13) ^ v[0].rotated(22)
            let majority = (v[0] & v[1]) ^ (v[0] & v[2]) ^ (v[1] & v[2])
            v = [first &+ s0 &+ majority, v[0], v[1], v[2], v[3] &+ first, v[4], v[5], v[6]]
        }
        for i in 0..<8 { state[i] &+= v[i] }
    }

    private static let primes = (2...311).filter { n in !(2..<n).contains { n % $0 == 0 } }
    /// The first 32 bits of the fractions of the primes' square and cube roots.
    private static let initialState = primes.prefix(8).map { fraction(of: Double($0).squareRoot()) }
    private static let constants = primes.map { fraction(of: cubeRoot(Double($0))) }

    private static func fraction(of value: Double) -> UInt32 {
        UInt32((value - value.rounded(.down)) * 4_294_967_296)
    }

    private static func cubeRoot(_ value: Double) -> Double {
        var root = value / 2
        for _ in 0..<60 { root -= (root * root * root - value) / (3 * root * root) }
        return root
    }
}

extension UInt32 {
    fileprivate func rotated(_ bits: UInt32) -> UInt32 { self >> bits | self << (32 - bits) }
}
