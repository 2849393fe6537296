#if os(Linux) && PNG
import Foundation

@testable import Alcedo
@testable import TestFixtures

/// Finds the color profile in a file by the rules of its container, strictly. Uses none of the library's readers.
enum ProfileReader {
    struct Malformed: Error {
        let reason: String

        init(_ reason: String) { self.reason = reason }
    }

    static func profile(in file: Data) throws -> Data? {
        let bytes = [UInt8](file)
        if bytes.starts(with: [0xFF, 0xD8]) { return try jpeg(bytes) }
        if bytes.starts(with: PNGFixture.signature) { return try png(bytes) }
        if bytes.starts(with: "RIFF".utf8) { return try webP(bytes) }
        throw Malformed("signature")
    }

    private static func big(_ bytes: [UInt8], _ range: Range<Int>) -> Int {
        bytes[range].reduce(0) { $0 << 8 | Int($1) }
    }

    private static func little(_ bytes: [UInt8], _ range: Range<Int>) -> Int {
        bytes[range].reversed().reduce(0) { $0 << 8 | Int($1) }
    }

    /// Segments of up to 65,533 bytes, numbered from 1, after that of JFIF and before all others (ICC.1, annex B.4).
    private static func jpeg(_ bytes: [UInt8]) throws -> Data? {
        guard bytes[2..<4] == [0xFF, 0xE0] else { throw Malformed("JFIF isn't the first segment") }
        var (offset, number, claimed, profile) = (2, 0, 0, Data())
        var hasOthers = false
        while bytes[offset + 1] != 0xDA {
            guard bytes[offset] == 0xFF else { throw Malformed("no marker at \(offset)") }
            let end = offset + 2 + big(bytes, offset + 2..<offset + 4)
            if bytes[offset + 1] == 0xE2 {
                guard bytes[offset + 4..<offset + 16].elementsEqual("ICC_PROFILE\0".utf8), !hasOthers else {
                    throw Malformed("a segment of another kind, or too late")
                }
                number += 1
                guard bytes[offset + 16] == number else { throw Malformed("the number of segment \(number)") }
                claimed = Int(bytes[offset + 17])
                profile += bytes[offset + 18..<end]
            } else if bytes[offset + 1] != 0xE0 {
                hasOthers = true
            }
            offset = end
        }
        guard claimed == number else { throw Malformed("\(number) of \(claimed) segments") }
        return number == 0 ? nil : profile
    }

    /// One chunk before the palette and the pixels (PNG third edition, section 11.3.2.3).
    private static func png(_ bytes: [UInt8]) throws -> Data? {
        var (offset, profile, hasPixels) = (8, Data?.none, false)
        while offset < bytes.count {
            let content = offset + 8..<offset + 8 + big(bytes, offset..<offset + 4)
            let name = String(decoding: bytes[offset + 4..<offset + 8], as: UTF8.self)
            let whole = Array(bytes[offset..<content.upperBound + 4])
            guard PNGFixture.chunk(name, Array(bytes[content])) == whole else { throw Malformed("checksum of \(name)") }
            if name == "iCCP" {
                guard profile == nil, !hasPixels, let end = bytes[content].firstIndex(of: 0), bytes[end + 1] == 0,
                    (1...79).contains(end - content.lowerBound)
                else { throw Malformed("iCCP") }
                profile = try PNGProfile.unpacked(Data(bytes[end + 2..<content.upperBound]), limits: DecodeLimits())
                if profile == nil { throw Malformed("the packed profile") }
            }
            hasPixels = hasPixels || ["PLTE", "IDAT"].contains(name)
            offset = content.upperBound + 4
        }
        return profile
    }

    /// The chunk after the extended header, whose flag says that it is there (RFC 9649, section 2.7).
    private static func webP(_ bytes: [UInt8]) throws -> Data? {
        guard little(bytes, 4..<8) == bytes.count - 8, bytes.count % 2 == 0 else { throw Malformed("length") }
        var (offset, number, profile) = (12, 0, Data?.none)
        let isExtended = bytes[12..<16].elementsEqual("VP8X".utf8)
        while offset < bytes.count {
            let content = offset + 8..<offset + 8 + little(bytes, offset + 4..<offset + 8)
            if bytes[offset..<offset + 4].elementsEqual("ICCP".utf8) {
                guard number == 1, isExtended else { throw Malformed("the place of the profile") }
                profile = Data(bytes[content])
            }
            number += 1
            offset = content.upperBound + content.count % 2
        }
        guard offset == bytes.count else { throw Malformed("the last chunk's length") }
        guard (isExtended && bytes[20] & 0x20 != 0) == (profile != nil) else { throw Malformed("flag") }
        return profile
    }
}
#endif
