#if os(Linux) && JPEG
import Foundation

extension JPEGEncoder {
    /// A JPEG with the profile inserted after its first segment, which is that of JFIF: in segments with their number
    /// and their count (ICC.1:2022, annex B.4).
    ///
    /// The profile must be no longer than ``longestProfile``.
    static func embedded(_ profile: Data, in file: Data) -> Data {
        let start = 4 + (file.span.word(at: 4) ?? 0)
        let count = (profile.count + profilePart - 1) / profilePart
        var result = Data(file.prefix(start))
        result.reserveCapacity(file.count + profile.count + count * 18)
        for index in 0..<count {
            let part = profile.dropFirst(index * profilePart).prefix(profilePart)
            // Its own two bytes count as well.
            let length = 2 + 14 + part.count
            result += [0xFF, 0xE2, UInt8(length >> 8), UInt8(length & 255)]
            result += Array("ICC_PROFILE\0".utf8) + [UInt8(index + 1), UInt8(count)]
            result += part
        }
        result += file.dropFirst(start)
        return result
    }
}
#endif
