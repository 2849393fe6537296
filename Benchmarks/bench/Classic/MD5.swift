import Foundation

/// The digest from which the classic design makes file names (RFC 1321). Foundation has none on Linux.
enum MD5 {
    /// Returns the digest as 32 hexadecimal digits.
    static func hex(_ text: String) -> String {
        var message = Array(text.utf8)
        let bits = UInt64(message.count) * 8
        message.append(0x80)
        message.append(contentsOf: repeatElement(0, count: (120 - message.count % 64) % 64))
        for byte in 0..<8 { message.append(UInt8(truncatingIfNeeded: bits >> (8 * UInt64(byte)))) }
        var sums: SIMD4<UInt32> = [0x6745_2301, 0xEFCD_AB89, 0x98BA_DCFE, 0x1032_5476]
        message.withUnsafeBytes { bytes in
            for block in stride(from: 0, to: bytes.count, by: 64) {
                sums = sums &+ rounds(UnsafeRawBufferPointer(rebasing: bytes[block..<block + 64]), from: sums)
            }
        }
        return hex(sums)
    }

    private static func rounds(_ block: UnsafeRawBufferPointer, from start: SIMD4<UInt32>) -> SIMD4<UInt32> {
        var (a, b, c, d) = (start[0], start[1], start[2], start[3])
        for step in 0..<64 {
            let (mixed, word) =
                switch step / 16 {
                case 0: (b & c | ~b & d, step)
                case 1: (d & b | ~d & c, (5 * step + 1) % 16)
                case 2: (b ^ c ^ d, (3 * step + 5) % 16)
                default: (c ^ (b | ~d), 7 * step % 16)
                }
            let value = block.loadUnaligned(fromByteOffset: 4 * word, as: UInt32.self)
            let sum = a &+ mixed &+ constants[step] &+ UInt32(littleEndian: value)
            let shift = shifts[step / 16 * 4 + step % 4]
            (a, d, c, b) = (d, c, b, b &+ (sum << shift | sum >> (32 - shift)))
        }
        return [a, b, c, d]
    }

    private static func hex(_ sums: SIMD4<UInt32>) -> String {
        String(unsafeUninitializedCapacity: 32) { digits in
            for place in 0..<16 {
                let byte = UInt8(truncatingIfNeeded: sums[place / 4] >> (8 * UInt32(place % 4)))
                digits[2 * place] = digit(byte >> 4)
                digits[2 * place + 1] = digit(byte & 15)
            }
            return 32
        }
    }

    private static func digit(_ value: UInt8) -> UInt8 { value < 10 ? 0x30 + value : 0x57 + value }

    private static let shifts: [UInt32] = [7, 12, 17, 22, 5, 9, 14, 20, 4, 11, 16, 23, 6, 10, 15, 21]

    /// The first 32 bits of the fractions of the sines of 1 to 64.
    private static let constants: [UInt32] = (1...64).map { UInt32(abs(sin(Double($0))) * 4_294_967_296) }
}
