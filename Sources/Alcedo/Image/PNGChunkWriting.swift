#if os(Linux) && PNG || canImport(ImageIO)
import Foundation

extension Data {
    /// Appends a PNG chunk: length, type, content, CRC.
    mutating func appendChunk(_ type: StaticString, _ content: some Collection<UInt8>) {
        self += Self.bigEndian(content.count)
        let start = count
        type.withUTF8Buffer { self += $0 }
        self += content
        self += Self.bigEndian(Self.checksum(span.extracting(start..<count)))
    }

    /// Returns a PNG with a chunk inserted after its first one.
    func withChunk(_ type: StaticString, _ content: some Collection<UInt8>) -> Data {
        var file = Data(prefix(Self.headBytesOfPNG))
        file.appendChunk(type, content)
        return file + dropFirst(Self.headBytesOfPNG)
    }

    /// The lower 32 bits, most significant byte first.
    static func bigEndian(_ value: Int) -> [UInt8] { [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: value >> $0) } }

    static let signatureOfPNG: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]
    /// The size of a PNG's signature and its first chunk, the image header.
    static let headBytesOfPNG = 8 + 25
}
#endif
