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

    /// A PNG with a profile put behind its image header; nil when ``unpacked(_:limits:)`` would not give it back.
    static func embedded(_ profile: Data, in file: Data, limits: DecodeLimits) -> Data? {
        guard profile.count >= headBytes, profile.span.long(at: 0) == profile.count,
            profile.count <= limits.metadataBytes
        else { return nil }
        // The name, NUL, the method of compression.
        let content = Array("ICC profile\0\0".utf8) + deflated(profile)
        guard content.count > profileNameBytes, content.count <= limits.metadataBytes else { return nil }
        var result = Data(file.prefix(Data.headBytesOfPNG))
        result.reserveCapacity(file.count + content.count + 12)
        result.appendChunk("iCCP", content)
        result += file.dropFirst(Data.headBytesOfPNG)
        return result
    }

    private static let profileNameBytes = 13

    private static func deflated(_ profile: Data) -> [UInt8] {
        // More than what can't be compressed grows by.
        let capacity = profile.count + profile.count / 1_000 + 64
        return [UInt8](unsafeUninitializedCapacity: capacity) { output, count in
            count = profile.withUnsafeBytes { profile in
                alcedo_deflate(
                    profile.bindMemory(to: UInt8.self).baseAddress, profile.count, output.baseAddress, capacity)
            }
        }
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
