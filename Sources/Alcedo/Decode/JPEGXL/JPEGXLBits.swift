#if os(Linux) && JPEGXL
import Foundation

/// Reads the bits of a codestream, the lowest of each byte first (ISO/IEC 18181-1, annex B.2).
///
/// Bits after the end are 0.
struct JPEGXLBits {
    private let data: Data
    /// The index of the next bit.
    private var place: Int

    /// - Parameter offset: The offset of the first byte to read.
    init(_ data: Data, at offset: Int) {
        self.data = data
        place = offset * 8
    }

    /// Whether bits after the end have been read.
    var isPastEnd: Bool { place > data.count * 8 }

    /// The offset of the first byte that hasn't been read at all.
    var offset: Int { (place + 7) / 8 }

    mutating func bits(_ count: Int) -> Int {
        var value = 0
        for index in 0..<count {
            let byte = (place + index) >> 3
            let bit = byte < data.count ? Int(data[data.startIndex + byte]) >> ((place + index) & 7) & 1 : 0
            value |= bit << index
        }
        place += count
        return value
    }

    mutating func flag() -> Bool { bits(1) == 1 }

    /// Reads a number in one of four forms, each with a number of bits and an offset.
    mutating func number(
        _ first: (bits: Int, offset: Int), _ second: (bits: Int, offset: Int), _ third: (bits: Int, offset: Int),
        _ fourth: (bits: Int, offset: Int)
    ) -> Int {
        let form = [first, second, third, fourth][bits(2)]
        return bits(form.bits) + form.offset
    }

    /// Reads a choice between four numbers.
    mutating func choice(_ first: Int, _ second: Int, _ third: Int, _ fourth: Int) -> Int {
        [first, second, third, fourth][bits(2)]
    }

    /// Reads a number of up to 64 bits as a bit pattern.
    mutating func longNumber() -> Int {
        switch bits(2) {
        case 0: return 0
        case 1: return 1 + bits(4)
        case 2: return 17 + bits(8)
        default:
            var (value, shift) = (bits(12), 12)
            while shift < 60, flag() {
                value |= bits(8) << shift
                shift += 8
            }
            if shift >= 60, flag() { value |= bits(4) << 60 }
            return value
        }
    }

    /// Skips bits. The count is limited to more bits than any file has.
    mutating func skip(_ count: Int) { place += min(max(0, count), Self.mostBits) }

    private static let mostBits = 1 << 48

    /// Skips the rest of the current byte.
    mutating func align() { skip((8 - place & 7) & 7) }
}
#endif
