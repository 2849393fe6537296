import Foundation

/// Makes checksums right, which no random change ever does, so that what lies behind them is reached.
enum PNGRepair {
    /// - Parameter renumbering: whether the chunks of an animation are numbered one after the other, and as many frames
    ///   are announced as there are.
    static func mended(_ input: Data, renumbering: Bool) -> Data {
        var bytes = [UInt8](input)
        var (offset, number) = (8, 0)
        var (claim, frames): (Int?, Int) = (nil, 0)
        while offset + 12 <= bytes.count {
            let length = bytes[offset..<offset + 4].reduce(0) { $0 << 8 | Int($1) }
            guard offset + 12 + length <= bytes.count else { break }
            let type = String(decoding: bytes[offset + 4..<offset + 8], as: UTF8.self)
            if type == "acTL", length == 8 { claim = offset }
            if type == "fcTL" { frames += 1 }
            if renumbering, type == "fcTL" || type == "fdAT", length >= 4 {
                bytes.replaceSubrange(offset + 8..<offset + 12, with: long(number))
                number += 1
            }
            seal(&bytes, offset, length)
            offset += 12 + length
        }
        if renumbering, let claim {
            bytes.replaceSubrange(claim + 8..<claim + 12, with: long(frames))
            seal(&bytes, claim, 8)
        }
        return Data(bytes)
    }

    private static func seal(_ bytes: inout [UInt8], _ offset: Int, _ length: Int) {
        let sum = crc(bytes[offset + 4..<offset + 8 + length])
        bytes.replaceSubrange(offset + 8 + length..<offset + 12 + length, with: long(Int(sum)))
    }

    static func long(_ value: Int) -> [UInt8] { [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: value >> $0) } }

    private static func crc(_ bytes: ArraySlice<UInt8>) -> UInt32 {
        ~bytes.reduce(UInt32.max) { $0 >> 8 ^ table[Int(UInt8(truncatingIfNeeded: $0) ^ $1)] }
    }

    private static let table: [UInt32] = (0..<256).map { index in
        (0..<8).reduce(UInt32(index)) { crc, _ in crc & 1 == 0 ? crc >> 1 : crc >> 1 ^ 0xEDB8_8320 }
    }
}
