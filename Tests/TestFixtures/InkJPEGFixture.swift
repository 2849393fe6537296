import Foundation

/// Writes baseline JPEGs of 8 × 8 pixels with four inks, all of one color.
struct InkJPEGFixture {
    /// The stored values of cyan, magenta, yellow and black.
    var values = [200, 120, 40, 255]
    /// Whether there is an Adobe marker, which says that the values aren't YCCK.
    var hasAdobeMarker = false
    /// Whether each ink has its own scan.
    var hasScanPerInk = false

    var data: Data {
        let inks = 1...4
        let adobe = JPEGFixture.segment(0xEE, Array("Adobe".utf8) + [0, 100, 0, 0, 0, 0, 0])
        let frame = JPEGFixture.segment(0xC0, [8, 0, 8, 0, 8, 4, 1, 0x11, 0, 2, 0x11, 0, 3, 0x11, 0, 4, 0x11, 0])
        // Four-bit codes for the lengths of values, and a one-bit code for the end of a block.
        let values: [UInt8] = Array(0..<12)
        let lengths = JPEGFixture.segment(0xC4, [0, 0, 0, 0, 12] + [UInt8](repeating: 0, count: 12) + values)
        let others = JPEGFixture.segment(0xC4, [0x10, 1] + [UInt8](repeating: 0, count: 15) + [0])
        var bytes: [UInt8] = [0xFF, 0xD8] + (hasAdobeMarker ? adobe : [])
        bytes += JPEGFixture.segment(0xDB, [0] + [UInt8](repeating: 1, count: 64)) + frame + lengths + others
        for scan in hasScanPerInk ? inks.map({ $0...$0 }) : [inks] {
            let components: [UInt8] = scan.flatMap { ink -> [UInt8] in [UInt8(ink), 0] }
            bytes += JPEGFixture.segment(0xDA, [UInt8(scan.count)] + components + [0, 63, 0])
            bytes += Self.packed(scan.map { block(self.values[$0 - 1]) }.joined())
        }
        return Data(bytes + [0xFF, 0xD9])
    }

    /// The bits of a block whose samples all have the same value.
    private func block(_ value: Int) -> String {
        let difference = (value - 128) * 8
        let length = difference == 0 ? 0 : String(abs(difference), radix: 2).count
        let bits = difference < 0 ? difference + 1 << length - 1 : difference
        return Self.binary(length, 4) + Self.binary(bits, length) + "0"
    }

    private static func binary(_ value: Int, _ count: Int) -> String {
        String((0..<count).reversed().map { value >> $0 & 1 == 1 ? "1" : "0" })
    }

    private static func packed(_ bits: String) -> [UInt8] {
        let whole = bits + String(repeating: "1", count: (8 - bits.count % 8) % 8)
        return stride(from: 0, to: whole.count, by: 8).flatMap { start -> [UInt8] in
            let byte = UInt8(whole.dropFirst(start).prefix(8), radix: 2) ?? 0
            return byte == 0xFF ? [byte, 0] : [byte]
        }
    }
}
