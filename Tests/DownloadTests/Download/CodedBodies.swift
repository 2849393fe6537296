import Foundation

/// Bodies in content codings, made without a library.
enum CodedBodies {
    /// The word "hello" in gzip.
    static let hello = Data(base64Encoded: "H4sIAAAAAAACA8tIzcnJBwCGphA2BQAAAA==") ?? Data()

    /// The letter a, 100,000 times, in a gzip member.
    static let letters =
        Data(
            base64Encoded:
                "H4sIAAAAAAACA+3BMQEAAADCoKzrX8IaHkABAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"
                + "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAArwaH+uIboIYBAA==") ?? Data()

    /// A gzip member that isn't compressed.
    static func gzip(_ body: Data) -> Data {
        Data([0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 0xFF]) + deflate(body) + number(crc(body)) + number(UInt32(body.count))
    }

    /// Deflate without a frame, in blocks that aren't compressed.
    static func deflate(_ body: Data) -> Data {
        var coded = Data()
        var rest = body[...]
        repeat {
            let block = rest.prefix(65_535)
            rest = rest.dropFirst(block.count)
            let count = UInt16(block.count)
            coded.append(rest.isEmpty ? 1 : 0)
            for byte in [count & 0xFF, count >> 8, ~count & 0xFF, ~count >> 8] { coded.append(UInt8(byte)) }
            coded.append(block)
        } while !rest.isEmpty
        return coded
    }

    /// Deflate in the frame of zlib.
    static func zlib(_ body: Data) -> Data {
        var (low, high): (UInt32, UInt32) = (1, 0)
        for byte in body {
            low = (low + UInt32(byte)) % 65_521
            high = (high + low) % 65_521
        }
        return Data([0x78, 0x9C]) + deflate(body) + number(high << 16 | low).reversed()
    }

    private static func number(_ value: UInt32) -> Data { Data((0..<4).map { UInt8(value >> ($0 * 8) & 0xFF) }) }

    private static let table: [UInt32] = (0..<256).map { byte in
        (0..<8).reduce(UInt32(byte)) { crc, _ in crc & 1 == 1 ? crc >> 1 ^ 0xEDB8_8320 : crc >> 1 }
    }

    private static func crc(_ body: Data) -> UInt32 {
        var crc = ~UInt32(0)
        for byte in body { crc = table[Int((crc ^ UInt32(byte)) & 0xFF)] ^ crc >> 8 }
        return ~crc
    }
}
