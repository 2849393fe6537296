#if os(Linux)
/// SHA-256 (FIPS 180-4) and HMAC-SHA-256 (RFC 2104). Foundation has neither on Linux.
package enum SHA256 {
    /// The 32-byte digest of a message.
    package static func digest(of message: [UInt8]) -> [UInt8] { message.withUnsafeBytes { digest(of: $0) } }

    /// The digest of a message in memory, without an array.
    static func digest(of message: UnsafeRawBufferPointer) -> [UInt8] { digest(of: message, after: []) }

    /// The 32-byte authentication code of a message under a key.
    package static func code(of message: [UInt8], key: [UInt8]) -> [UInt8] {
        let short = key.count > blockLength ? digest(of: key) : key
        let block = short + [UInt8](repeating: 0, count: blockLength - short.count)
        let inner = message.withUnsafeBytes { digest(of: $0, after: block.map { $0 ^ 0x36 }) }
        return inner.withUnsafeBytes { digest(of: $0, after: block.map { $0 ^ 0x5C }) }
    }

    private static let blockLength = 64

    /// - Parameter block: The block that precedes the message; empty for none.
    private static func digest(of message: UnsafeRawBufferPointer, after block: [UInt8]) -> [UInt8] {
        var state = initialState
        block.withUnsafeBytes { add($0, to: &state) }
        let whole = message.count / blockLength * blockLength
        add(UnsafeRawBufferPointer(rebasing: message[..<whole]), to: &state)
        var rest = Array(message[whole...]) + [0x80]
        // The last 8 bytes of the last block hold the length in bits.
        rest += [UInt8](repeating: 0, count: (2 * blockLength - 8 - rest.count) % blockLength)
        rest += bytes(of: UInt64(block.count + message.count) * 8)
        rest.withUnsafeBytes { add($0, to: &state) }
        return (0..<8).flatMap { bytes(of: state[$0]) }
    }

    /// Processes whole blocks.
    private static func add(_ blocks: UnsafeRawBufferPointer, to state: inout SIMD8<UInt32>) {
        withUnsafeTemporaryAllocation(of: UInt32.self, capacity: 64) { words in
            for start in stride(from: 0, to: blocks.count, by: blockLength) {
                for index in 0..<16 {
                    let word = blocks.loadUnaligned(fromByteOffset: start + 4 * index, as: UInt32.self)
                    words[index] = UInt32(bigEndian: word)
                }
                for index in 16..<64 {
                    let (early, late) = (words[index - 15], words[index - 2])
                    let first = early.rotated(7) ^ early.rotated(18) ^ early >> 3
                    let second = late.rotated(17) ^ late.rotated(19) ^ late >> 10
                    words[index] = words[index - 16] &+ first &+ words[index - 7] &+ second
                }
                state &+= mixed(state, words)
            }
        }
    }

    private static func mixed(_ state: SIMD8<UInt32>, _ words: UnsafeMutableBufferPointer<UInt32>) -> SIMD8<UInt32> {
        var (a, b, c, d) = (state[0], state[1], state[2], state[3])
        var (e, f, g, h) = (state[4], state[5], state[6], state[7])
        for index in 0..<64 {
            let sum1 = e.rotated(6) ^ e.rotated(11) ^ e.rotated(25)
            let choice = (e & f) ^ (~e & g)
            let first = h &+ sum1 &+ choice &+ constants[index] &+ words[index]
            let sum0 = a.rotated(2) ^ a.rotated(13) ^ a.rotated(22)
            let majority = (a & b) ^ (a & c) ^ (b & c)
            (h, g, f, e) = (g, f, e, d &+ first)
            (d, c, b, a) = (c, b, a, first &+ sum0 &+ majority)
        }
        return SIMD8(a, b, c, d, e, f, g, h)
    }

    private static func bytes(of number: some FixedWidthInteger) -> [UInt8] {
        withUnsafeBytes(of: number.bigEndian) { Array($0) }
    }

    /// The first 32 bits of the fractional parts of the square roots of the first 8 primes.
    private static let initialState = SIMD8<UInt32>(
        0x6A09_E667, 0xBB67_AE85, 0x3C6E_F372, 0xA54F_F53A, 0x510E_527F, 0x9B05_688C, 0x1F83_D9AB, 0x5BE0_CD19)

    /// The first 32 bits of the fractional parts of the cube roots of the first 64 primes.
    private static let constants: [UInt32] = [
        0x428A_2F98, 0x7137_4491, 0xB5C0_FBCF, 0xE9B5_DBA5, 0x3956_C25B, 0x59F1_11F1, 0x923F_82A4, 0xAB1C_5ED5,
        0xD807_AA98, 0x1283_5B01, 0x2431_85BE, 0x550C_7DC3, 0x72BE_5D74, 0x80DE_B1FE, 0x9BDC_06A7, 0xC19B_F174,
        0xE49B_69C1, 0xEFBE_4786, 0x0FC1_9DC6, 0x240C_A1CC, 0x2DE9_2C6F, 0x4A74_84AA, 0x5CB0_A9DC, 0x76F9_88DA,
        0x983E_5152, 0xA831_C66D, 0xB003_27C8, 0xBF59_7FC7, 0xC6E0_0BF3, 0xD5A7_9147, 0x06CA_6351, 0x1429_2967,
        0x27B7_0A85, 0x2E1B_2138, 0x4D2C_6DFC, 0x5338_0D13, 0x650A_7354, 0x766A_0ABB, 0x81C2_C92E, 0x9272_2C85,
        0xA2BF_E8A1, 0xA81A_664B, 0xC24B_8B70, 0xC76C_51A3, 0xD192_E819, 0xD699_0624, 0xF40E_3585, 0x106A_A070,
        0x19A4_C116, 0x1E37_6C08, 0x2748_774C, 0x34B0_BCB5, 0x391C_0CB3, 0x4ED8_AA4A, 0x5B9C_CA4F, 0x682E_6FF3,
        0x748F_82EE, 0x78A5_636F, 0x84C8_7814, 0x8CC7_0208, 0x90BE_FFFA, 0xA450_6CEB, 0xBEF9_A3F7, 0xC671_78F2,
    ]
}

extension UInt32 {
    fileprivate func rotated(_ bits: UInt32) -> UInt32 { self >> bits | self << (32 - bits) }
}
#endif
