#if os(Linux) && PNG
import CShims
import Foundation

/// Decompresses and embeds the ICC profile of a PNG.
enum PNGProfile {
    /// The header of an ICC profile (ICC.1:2022, section 7.2) begins with the length of the whole profile.
    private static let headBytes = 128

    /// Decompresses no more than the length that the profile claims.
    ///
    /// - Returns: nil when the profile is damaged or has another length; the image is then shown without it.
    /// - Throws: ``ImageLoaderError/limitExceeded(_:value:allowed:)`` when the profile is longer than the limit, but
    ///   not when it only claims to be.
    static func unpacked(_ packed: Data, limits: DecodeLimits) throws(ImageLoaderError) -> Data? {
        let head = inflated(packed, upTo: headBytes)
        guard head.count == headBytes, let length = head.span.long(at: 0), length >= headBytes else { return nil }
        if length > limits.metadataBytes {
            if hasMore(packed, than: limits.metadataBytes) { try limits.check(metadataBytes: length) }
            return nil
        }
        let profile = inflated(packed, upTo: length)
        return profile.count == length ? profile : nil
    }

    /// Returns a color PNG with a profile inserted after its image header; nil when decoding would drop the profile.
    static func embedded(_ profile: Data, in file: Data, limits: DecodeLimits) -> Data? {
        guard profile.count >= headBytes, profile.span.long(at: 0) == profile.count,
            profile.count <= limits.metadataBytes, profile.profile(of: [.rgb]) != nil,
            let content = packed(profile), content.count <= limits.metadataBytes
        else { return nil }
        var result = Data(file.prefix(Data.headBytesOfPNG))
        result.reserveCapacity(file.count + content.count + 12)
        result.appendChunk("iCCP", content)
        result += file.dropFirst(Data.headBytesOfPNG)
        return result
    }

    /// The content of the chunk: name, NUL, compression method, profile.
    static func packed(_ profile: Data) -> [UInt8]? {
        let bytes = deflated(profile)
        return bytes.isEmpty ? nil : Array("ICC profile\0\0".utf8) + bytes
    }

    private static func deflated(_ profile: Data) -> [UInt8] {
        // Leaves room for the growth of incompressible data.
        let capacity = profile.count + profile.count / 1_000 + 64
        return [UInt8](unsafeUninitializedCapacity: capacity) { output, count in
            count = profile.withUnsafeBytes { profile in
                alcedo_deflate(
                    profile.bindMemory(to: UInt8.self).baseAddress, profile.count, output.baseAddress, capacity)
            }
        }
    }

    private static func hasMore(_ packed: Data, than limit: Int) -> Bool {
        packed.withUnsafeBytes { packed in
            alcedo_inflated_count(packed.bindMemory(to: UInt8.self).baseAddress, packed.count, limit) > limit
        }
    }

    private static func inflated(_ packed: Data, upTo capacity: Int) -> Data {
        let output = [UInt8](unsafeUninitializedCapacity: capacity) { output, count in
            count = packed.withUnsafeBytes { packed in
                alcedo_inflate(
                    packed.bindMemory(to: UInt8.self).baseAddress, packed.count, output.baseAddress, capacity)
            }
        }
        return Data(output)
    }
}
#endif
