#if os(Linux) && PNG
import Foundation

extension Data {
    /// This PNG in Apple's variant for apps (CgBI), converted to a form that libpng reads if it ignores checksums.
    ///
    /// The variant begins with an additional chunk, and its compressed pixels lack zlib's header and checksum (RFC
    /// 1950). The header is added as a chunk of pixels before the first one. The reader must still expect pixels in the
    /// order blue, green, red, multiplied by their alpha.
    var withoutCgBI: Data {
        let bytes = span
        guard let length = bytes.long(at: 8), 20 + length <= count else { return self }
        let start = 20 + length
        var pixels = start
        while !bytes.has("IDAT", at: pixels + 4) {
            guard let length = bytes.long(at: pixels), pixels + 12 + length <= count else { return self }
            pixels += 12 + length
        }
        // Deflate with a window of 32 KiB.
        let header: [UInt8] = [0, 0, 0, 2] + Array("IDAT".utf8) + [0x78, 0x01, 0, 0, 0, 0]
        var file = Data(capacity: count + header.count)
        for piece in [part(0..<8), part(start..<pixels), Data(header), part(pixels..<count)] { file += piece }
        return file
    }
}
#endif
