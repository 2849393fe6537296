#if os(Linux) && PNG
import CShims
import Foundation

/// The ICC profile of a PNG, unpacked.
enum PNGProfile {
    /// An ICC profile's head (ICC.1:2022, section 7.2) begins with the length of the whole.
    private static let headBytes = 128

    /// Unpacks no more than the profile says to be long, once that is within the limit.
    ///
    /// - Returns: nil when it is damaged: a picture is shown without its profile.
    static func unpacked(_ packed: Data, limits: DecodeLimits) throws(ImageLoaderError) -> Data? {
        let head = inflated(packed, upTo: headBytes)
        guard head.count == headBytes, let length = head.span.long(at: 0), length >= headBytes else { return nil }
        try limits.check(metadataBytes: length)
        let profile = inflated(packed, upTo: length)
        return profile.count == length ? profile : nil
    }

    private static func inflated(_ packed: Data, upTo capacity: Int) -> Data {
        var output = [UInt8](repeating: 0, count: capacity)
        let count = output.withUnsafeMutableBufferPointer { output in
            packed.withUnsafeBytes { packed in
                alcedo_inflate(
                    packed.bindMemory(to: UInt8.self).baseAddress, packed.count, output.baseAddress, capacity)
            }
        }
        return Data(output.prefix(count))
    }
}
#endif
