#if canImport(ImageIO) || os(Linux) && JPEG
import Foundation

extension JPEGEncoder {
    /// Returns a JPEG with the profile inserted after its first segment, the JFIF one. The profile is split into
    /// segments that state their number and count (ICC.1:2022, annex B.4).
    ///
    /// The profile must be no longer than ``longestProfile``.
    static func embedded(_ profile: Data, in file: Data) -> Data {
        let count = (profile.count + profilePart - 1) / profilePart
        var segments = Data(capacity: profile.count + count * 18)
        for index in 0..<count {
            let part = profile.dropFirst(index * profilePart).prefix(profilePart)
            segments += segment(0xE2, Array("ICC_PROFILE\0".utf8) + [UInt8(index + 1), UInt8(count)], part)
        }
        return inserted(segments, in: file)
    }

    /// Returns a JPEG with an EXIF block inserted after its first segment (EXIF 3.0, section 4.7.2).
    static func embedded(exif: Data, in file: Data) throws(ImageLoaderError) -> Data {
        guard exif.count <= longestEXIF else {
            throw .encodingFailed(.jpeg, reason: "\(exif.count) bytes of metadata, of at most \(longestEXIF)")
        }
        return inserted(segment(0xE1, Array("Exif\0\0".utf8), exif), in: file)
    }

    private static let longestEXIF = 65_527

    /// The stored length includes its own two bytes.
    private static func segment(_ marker: UInt8, _ name: [UInt8], _ content: Data) -> Data {
        let length = 2 + name.count + content.count
        return Data([0xFF, marker, UInt8(length >> 8), UInt8(length & 255)] + name) + content
    }

    private static func inserted(_ segments: Data, in file: Data) -> Data {
        let start = 4 + (file.span.word(at: 4) ?? 0)
        return file.prefix(start) + segments + file.dropFirst(start)
    }
}
#endif
