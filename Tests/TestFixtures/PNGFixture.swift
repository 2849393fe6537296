import Foundation

/// Writes any PNG, valid or not, without compression, from the bytes that a test chooses.
struct PNGFixture {
    var width: Int
    var height: Int
    var depth = 8
    var colorType = 2
    var interlaced = false
    /// The filtered rows, in the order of the file.
    var rows: [UInt8] = []
    var chunksBeforePixels: [(String, [UInt8])] = []
    var chunksAfterPixels: [(String, [UInt8])] = []

    static let signature: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]

    var data: Data {
        let header = Self.long(width) + Self.long(height) + [UInt8(depth), UInt8(colorType), 0, 0, interlaced ? 1 : 0]
        let chunks =
            [("IHDR", header)] + chunksBeforePixels + [("IDAT", Self.zlib(rows))] + chunksAfterPixels + [("IEND", [])]
        return Data(Self.signature + chunks.flatMap(Self.chunk))
    }

    static func chunk(_ type: String, _ content: [UInt8]) -> [UInt8] {
        let body = Array(type.utf8) + content
        return long(content.count) + body + long(Int(crc(body)))
    }

    /// Corrects the checksums of all chunks after a file was changed.
    static func seal(_ bytes: inout [UInt8]) {
        var offset = signature.count
        while offset + 12 <= bytes.count {
            let end = offset + 8 + bytes[offset..<offset + 4].reduce(0) { $0 << 8 | Int($1) }
            guard end + 4 <= bytes.count else { return }
            bytes.replaceSubrange(end..<end + 4, with: long(Int(crc(Array(bytes[offset + 4..<end])))))
            offset = end + 4
        }
    }

    static func long(_ value: Int) -> [UInt8] {
        [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: value >> $0) }
    }

    /// Returns unfiltered rows with some colors.
    static func unfiltered(_ width: Int, _ height: Int) -> Self {
        var file = Self(width: width, height: height)
        for y in 0..<height { file.rows += [0] + (0..<width * 3).map { UInt8(truncatingIfNeeded: $0 * 7 + y * 5) } }
        return file
    }

    /// Returns an image interlaced by Adam7 (PNG third edition, section 8): seven passes, each with its own grid.
    static func interlaced(_ width: Int, _ height: Int) -> Self {
        let passes = [(0, 0, 8, 8), (4, 0, 8, 8), (0, 4, 4, 8), (2, 0, 4, 4), (0, 2, 2, 4), (1, 0, 2, 2), (0, 1, 1, 2)]
        var file = Self(width: width, height: height, interlaced: true)
        for (left, top, right, down) in passes where left < width {
            for y in stride(from: top, to: height, by: down) {
                file.rows.append(0)
                for x in stride(from: left, to: width, by: right) {
                    file.rows += [UInt8(truncatingIfNeeded: x * 20), UInt8(truncatingIfNeeded: y * 20), 7]
                }
            }
        }
        return file
    }

    /// A zlib stream (RFC 1950) with stored blocks (RFC 1951, section 3.2.4).
    static func zlib(_ bytes: [UInt8]) -> [UInt8] {
        var output: [UInt8] = [0x78, 0x01]
        var start = 0
        repeat {
            let block = bytes[start..<min(start + 65_535, bytes.count)]
            start += block.count
            let (low, high) = (UInt8(block.count & 255), UInt8(block.count >> 8))
            output += [start == bytes.count ? 1 : 0, low, high, ~low, ~high] + block
        } while start < bytes.count
        var (a, b) = (1, 0)
        for byte in bytes {
            a = (a + Int(byte)) % 65_521
            b = (b + a) % 65_521
        }
        return output + long(b << 16 | a)
    }

    private static func crc(_ bytes: [UInt8]) -> UInt32 {
        var crc: UInt32 = .max
        for byte in bytes {
            crc ^= UInt32(byte)
            for _ in 0..<8 { crc = crc & 1 == 0 ? crc >> 1 : crc >> 1 ^ 0xEDB8_8320 }
        }
        return ~crc
    }
}
