#if os(Linux) && WebP
import Foundation

/// Writes the chunks around WebP image data (RFC 9649, section 2.7).
struct WebPFile {
    let size: PixelSize
    var hasAlpha = false
    var isAnimated = false
    var profile: Data?
    var exif: Data?
    /// Everything between the profile and the metadata.
    var chunks = Data()

    init(size: PixelSize) { self.size = size }

    /// The whole file.
    func data() throws(ImageLoaderError) -> Data {
        let flags: UInt8 =
            (profile == nil ? 0 : 0x20) | (hasAlpha ? 0x10 : 0) | (exif == nil ? 0 : 0x08) | (isAnimated ? 0x02 : 0)
        let sides = Self.number(size.width - 1, 3) + Self.number(size.height - 1, 3)
        var head = Array("WEBPVP8X".utf8) + Self.number(10, 4) + [flags, 0, 0, 0] + sides
        if let profile { head += Self.chunk("ICCP", profile) }
        let tail = exif.map { Self.chunk("EXIF", $0) } ?? []
        guard let length = UInt32(exactly: head.count + chunks.count + tail.count) else {
            throw .encodingFailed(.webp, reason: "more than 4 GiB")
        }
        var file = Data(Array("RIFF".utf8) + Self.number(Int(length), 4))
        file.reserveCapacity(8 + Int(length))
        file += head
        file += chunks
        file += tail
        return file
    }

    private static func chunk(_ name: String, _ content: Data) -> [UInt8] {
        Array(name.utf8) + number(content.count, 4) + content + (content.count % 2 == 1 ? [0] : [])
    }

    /// The pixel chunks of a file that libwebp wrote: alpha, if any, and colors.
    static func picture(in still: Data) -> Data { still.dropFirst(still.span.has("VP8X", at: 12) ? 30 : 12) }

    /// Whether a file that libwebp wrote claims to have transparent pixels.
    static func hasAlpha(_ still: Data) throws(ImageLoaderError) -> Bool {
        try WebPChunks(scanning: still.span, limits: .unlimited).hasAlpha
    }

    /// A number as that many bytes, the lowest first.
    static func number(_ value: Int, _ bytes: Int) -> [UInt8] {
        (0..<bytes).map { UInt8(truncatingIfNeeded: value >> ($0 * 8)) }
    }
}
#endif
