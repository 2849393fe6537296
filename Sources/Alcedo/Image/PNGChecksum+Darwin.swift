#if canImport(ImageIO)
import Foundation

extension Data {
    /// The CRC of a PNG chunk's type and content.
    static func checksum(_ bytes: Span<UInt8>) -> Int {
        var checksum = CRC32()
        checksum.add(bytes)
        return Int(checksum.value)
    }
}
#endif
