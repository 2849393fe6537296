#if os(Linux) && PNG
import CShims
import Foundation

extension Data {
    /// The CRC of a PNG chunk's type and content.
    static func checksum(_ bytes: Span<UInt8>) -> Int {
        bytes.withUnsafeBufferPointer { Int(alcedo_crc32(0, $0.baseAddress, $0.count)) }
    }
}
#endif
