#if os(Linux) && PNG
import CShims
import Foundation

extension Data {
    /// Appends a PNG chunk: length, type, content, CRC.
    mutating func appendChunk(_ type: StaticString, _ content: [UInt8]) {
        self += Self.bigEndian(content.count)
        var sum = type.withUTF8Buffer { name in
            self += name
            return alcedo_crc32(0, name.baseAddress, name.count)
        }
        content.withUnsafeBufferPointer { sum = alcedo_crc32(sum, $0.baseAddress, $0.count) }
        self += content
        self += Self.bigEndian(Int(sum))
    }

    /// The lower 32 bits, most significant byte first.
    static func bigEndian(_ value: Int) -> [UInt8] { [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: value >> $0) } }

    /// The size of a PNG's signature and its first chunk, the image header.
    static let headBytesOfPNG = 8 + 25
}
#endif
