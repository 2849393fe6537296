package import Alcedo
package import Foundation

/// A small file that claims to be very large, and exceeds the default value of one limit.
package struct Bomb: Sendable, CustomStringConvertible {
    package let description: String
    package let format: ImageFormat
    package let data: Data
    /// The error that a decoder must report for it.
    package let error: ImageLoaderError

    private init(_ description: String, _ format: ImageFormat, _ data: [UInt8], _ error: ImageLoaderError) {
        (self.description, self.format, self.data, self.error) = (description, format, Data(data), error)
    }

    package static let all = jpeg + png + gif + webp + avif + bmp + ico + heic + tiff + jpegXL

    // MARK: JPEG

    private static let jpeg = [
        Bomb(
            "JPEG of 65,500 × 65,500", .jpeg, jpeg(65_500),
            .limitExceeded(.imagePixels, value: 65_500 * 65_500, allowed: 1 << 28)),
        Bomb(
            "JPEG of 10,000 × 10,000", .jpeg, jpeg(10_000),
            .limitExceeded(.bitmapBytes, value: 400_000_000, allowed: 1 << 28)),
        Bomb(
            "JPEG of 30,000 × 30,000", .jpeg, jpeg(30_000),
            .limitExceeded(.imagePixels, value: 900_000_000, allowed: 1 << 28)),
        Bomb("JPEG of 1,000 scans", .jpeg, jpegScans(1_000), .limitExceeded(.jpegScans, value: 101, allowed: 100)),
    ]

    private static func jpeg(_ side: Int, marker: UInt8 = 0xC0) -> [UInt8] {
        let (high, low) = (UInt8(side >> 8), UInt8(side & 255))
        return [0xFF, 0xD8] + segment(marker, [8, high, low, high, low, 1, 1, 0x11, 0])
    }

    /// A progressive JPEG of 64 megapixels, so that a pass over all pixels for each scan would be noticeable.
    private static func jpegScans(_ count: Int) -> [UInt8] {
        let huffman = segment(0xC4, [0, 1] + [UInt8](repeating: 0, count: 15) + [0])
        let scan = segment(0xDA, [1, 1, 0, 0, 0, 0]) + [0, 0, 0, 0]
        let start = jpeg(8_000, marker: 0xC2) + segment(0xDB, [0] + [UInt8](repeating: 1, count: 64)) + huffman
        return start + (0..<count).flatMap { _ in scan } + [0xFF, 0xD9]
    }

    private static func segment(_ marker: UInt8, _ content: [UInt8]) -> [UInt8] {
        [0xFF, marker, UInt8((content.count + 2) >> 8), UInt8((content.count + 2) & 255)] + content
    }

    // MARK: PNG

    private static let png = [
        Bomb(
            "PNG of 70,000 × 70,000", .png, file(head(70_000)),
            .limitExceeded(.imageSide, value: 70_000, allowed: 65_535)),
        Bomb(
            "PNG of 60,000 × 60,000", .png, file(head(60_000)),
            .limitExceeded(.imagePixels, value: 3_600_000_000, allowed: 1 << 28)),
        Bomb(
            "PNG of 16,384 × 16,384", .png, file(head(16_384)),
            .limitExceeded(.bitmapBytes, value: 1 << 30, allowed: 1 << 28)),
        Bomb(
            "PNG of 30,000 × 30,000", .png, file(head(30_000)),
            .limitExceeded(.imagePixels, value: 900_000_000, allowed: 1 << 28)),
        Bomb(
            "PNG with a profile of 1 GiB, of which there are 5 MiB", .png,
            file(head(1), chunk("iCCP", [0x61, 0, 0] + unfolding(from: long(1 << 30), to: 5 << 20)), pixel),
            .limitExceeded(.metadataBytes, value: 1 << 30, allowed: 4 << 20)),
        Bomb(
            "PNG of true colors with a palette of 1 GiB", .png,
            file(head(1, colorType: 2), long(1 << 30) + Array("PLTE".utf8)),
            .limitExceeded(.metadataBytes, value: 1 << 30, allowed: 4 << 20)),
        Bomb(
            "animated PNG of 10,001 frames", .png, moving(1, frames: 10_001),
            .limitExceeded(.frames, value: 10_001, allowed: 10_000)),
        Bomb(
            "animated PNG of 5,000 × 5,000", .png, moving(5_000, frames: 100),
            .limitExceeded(.animationPixels, value: 25_000_000, allowed: 1 << 24)),
    ]

    /// The header of an 8-bit image, grayscale by default.
    private static func head(_ side: Int, colorType: UInt8 = 0) -> [UInt8] {
        chunk("IHDR", long(side) + long(side) + [8, colorType, 0, 0, 0])
    }

    private static let pixel = chunk("IDAT", stored([0, 0])) + chunk("IEND", [])

    private static func moving(_ side: Int, frames: Int) -> [UInt8] {
        var chunks = head(side) + chunk("acTL", long(frames) + long(0))
        var number = 0
        for index in 0..<frames {
            chunks += chunk("fcTL", long(number) + long(side) + long(side) + [UInt8](repeating: 0, count: 14))
            number += 1
            if index == 0 {
                chunks += chunk("IDAT", stored([0, 0]))
            } else {
                chunks += chunk("fdAT", long(number) + stored([0, 0]))
                number += 1
            }
        }
        return file(chunks, chunk("IEND", []))
    }

    private static func file(_ chunks: [UInt8]...) -> [UInt8] {
        [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A] + chunks.joined()
    }

    private static func chunk(_ type: String, _ content: [UInt8]) -> [UInt8] {
        let body = Array(type.utf8) + content
        let sum = body.reduce(UInt32.max) { sum, byte in
            (0..<8).reduce(sum ^ UInt32(byte)) { sum, _ in sum & 1 == 0 ? sum >> 1 : sum >> 1 ^ 0xEDB8_8320 }
        }
        return long(content.count) + body + long(Int(~sum))
    }

    /// A zlib stream with one stored (uncompressed) block.
    private static func stored(_ bytes: [UInt8]) -> [UInt8] {
        let count = UInt8(bytes.count)
        let (a, b) = bytes.reduce((1, 0)) { (($0.0 + Int($1)) % 65_521, ($0.1 + $0.0 + Int($1)) % 65_521) }
        return [0x78, 0x01, 1, count, 0, ~count, 0xFF] + bytes + long(b << 16 | a)
    }

    /// A zlib stream that begins with `bytes`, of values below 144, and repeats the last one until there are `count`.
    private static func unfolding(from bytes: [UInt8], to count: Int) -> [UInt8] {
        // The final block, with the fixed codes: the bytes as literals, then matches that each repeat the last byte 258
        // times.
        var bits = [1, 1, 0] + bytes.flatMap { byte in (0..<8).map { (Int(byte) + 0x30) >> (7 - $0) & 1 } }
        for _ in 0..<count / 258 { bits += [1, 1, 0, 0, 0, 1, 0, 1, 0, 0, 0, 0, 0] }
        return [0x78, 0x01]
            + stride(from: 0, to: bits.count - 7, by: 8).map { start in
                (0..<8).reduce(UInt8(0)) { $0 | UInt8(bits[start + $1]) << UInt8($1) }
            }
    }

    private static func long(_ value: Int) -> [UInt8] { [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: value >> $0) } }

    // MARK: GIF

    private static let gif = [
        Bomb(
            "GIF of 65,535 × 65,535", .gif, gif(65_535, [image(1)]),
            .limitExceeded(.imagePixels, value: 65_535 * 65_535, allowed: 1 << 28)),
        Bomb(
            "GIF of 10,000 × 10,000", .gif, gif(10_000, [image(1)]),
            .limitExceeded(.bitmapBytes, value: 400_000_000, allowed: 1 << 28)),
        Bomb(
            "GIF with an image far beyond its canvas", .gif, gif(2, [image(20_000)]),
            .limitExceeded(.imagePixels, value: 400_000_000, allowed: 1 << 28)),
        Bomb(
            "GIF of 10,001 images", .gif, gif(1, Array(repeating: image(1), count: 10_001)),
            .limitExceeded(.frames, value: 10_001, allowed: 10_000)),
        Bomb(
            "animated GIF of 5,000 × 5,000", .gif, gif(5_000, [image(1), image(1)]),
            .limitExceeded(.animationPixels, value: 25_000_000, allowed: 1 << 24)),
    ]

    /// A GIF with a two-color palette.
    private static func gif(_ side: Int, _ images: [[UInt8]]) -> [UInt8] {
        Array("GIF89a".utf8) + word(side) + word(side) + [0x80, 0, 0, 0, 0, 0, 255, 255, 255] + images.joined() + [0x3B]
    }

    private static func image(_ side: Int) -> [UInt8] {
        [0x2C, 0, 0, 0, 0] + word(side) + word(side) + [0, 2, 2, 0x44, 1, 0]
    }

    private static func word(_ value: Int) -> [UInt8] { [UInt8(value & 255), UInt8(value >> 8 & 255)] }

    // MARK: WebP

    private static let webp = [
        Bomb(
            "WebP of 16,383 × 16,383", .webp,
            Array(
                riff(part("VP8 ", [0x10, 0, 0, 0x9D, 1, 0x2A] + word(16_383) + word(16_383) + [0, 0, 0, 0]))
                    .prefix(34)),
            .limitExceeded(.bitmapBytes, value: 4 * 16_383 * 16_383, allowed: 1 << 28)),
        Bomb(
            "animated WebP of 10,001 frames", .webp, riff(extended(1), frames(10_001)),
            .limitExceeded(.frames, value: 10_001, allowed: 10_000)),
        Bomb(
            "animated WebP of 5,000 × 5,000", .webp, riff(extended(5_000), frames(2)),
            .limitExceeded(.animationPixels, value: 25_000_000, allowed: 1 << 24)),
    ]

    private static func riff(_ chunks: [UInt8]...) -> [UInt8] {
        let content = Array("WEBP".utf8) + chunks.joined()
        return Array("RIFF".utf8) + littleLong(content.count) + content
    }

    private static func part(_ type: String, _ content: [UInt8]) -> [UInt8] {
        Array(type.utf8) + littleLong(content.count) + content
    }

    private static func extended(_ side: Int) -> [UInt8] {
        let triple = word(side - 1) + [0]
        return part("VP8X", [2, 0, 0, 0] + triple + triple) + part("ANIM", [UInt8](repeating: 0, count: 6))
    }

    /// Frames of one pixel each, without image data.
    private static func frames(_ count: Int) -> [UInt8] {
        let frame = part("ANMF", [UInt8](repeating: 0, count: 16) + part("VP8L", []))
        return (0..<count).flatMap { _ in frame }
    }

    private static func littleLong(_ value: Int) -> [UInt8] { word(value & 0xFFFF) + word(value >> 16) }

    // MARK: BMP

    private static let bmp = [
        Bomb(
            "BMP of 70,000 × 70,000", .bmp, bmp(70_000), .limitExceeded(.imageSide, value: 70_000, allowed: 65_535)),
        Bomb(
            "BMP of 30,000 × 30,000", .bmp, bmp(30_000),
            .limitExceeded(.imagePixels, value: 900_000_000, allowed: 1 << 28)),
        Bomb(
            "BMP of 10,000 × 10,000", .bmp, bmp(10_000),
            .limitExceeded(.bitmapBytes, value: 400_000_000, allowed: 1 << 28)),
        Bomb(
            "BMP with a profile of 1 GiB", .bmp,
            bmp(1, headerBytes: 124, Array("DEBM".utf8) + zeros(52) + littleLong(124) + littleLong(1 << 30) + zeros(4)),
            .limitExceeded(.metadataBytes, value: 1 << 30, allowed: 4 << 20)),
    ]

    /// A run-length encoded BMP with 8-bit indices, but without any runs.
    private static func bmp(_ side: Int, headerBytes: Int = 40, _ colors: [UInt8] = []) -> [UInt8] {
        let header = littleLong(headerBytes) + littleLong(side) + littleLong(side) + [1, 0, 8, 0] + littleLong(1)
        let masks = zeros(headerBytes - 40 - colors.count)
        return Array("BM".utf8) + zeros(12) + header + zeros(20) + masks + colors + zeros(1_024) + [0, 1]
    }

    private static func zeros(_ count: Int) -> [UInt8] { [UInt8](repeating: 0, count: count) }

    // MARK: ICO

    private static let ico = [
        Bomb(
            "icon of 70,000 × 70,000", .ico, ico(file(head(70_000))),
            .limitExceeded(.imageSide, value: 70_000, allowed: 65_535)),
        Bomb(
            "icon of 16,384 × 16,384", .ico, ico(file(head(16_384))),
            .limitExceeded(.bitmapBytes, value: 1 << 30, allowed: 1 << 28)),
        Bomb(
            "icon of a bitmap of 30,000 × 30,000", .ico,
            ico(littleLong(40) + littleLong(30_000) + littleLong(60_000) + [1, 0, 1, 0] + zeros(32)),
            .limitExceeded(.imagePixels, value: 900_000_000, allowed: 1 << 28)),
        Bomb(
            "icon of 65,535 images, all of 60,000 × 60,000", .ico,
            ico(file(head(60_000)), count: 65_535),
            .limitExceeded(.imagePixels, value: 3_600_000_000, allowed: 1 << 28)),
    ]

    /// An icon that contains the same image `count` times.
    private static func ico(_ picture: [UInt8], count: Int = 1) -> [UInt8] {
        let entry = zeros(8) + littleLong(picture.count) + littleLong(6 + 16 * count)
        return [0, 0, 1, 0] + word(count) + (0..<count).flatMap { _ in entry } + picture
    }

    // MARK: AVIF

    private static let avif = [(16_384, 16_384), (10_000, 10_000), (60_000, 4_000)].map { width, height in
        Bomb(
            "AVIF of \(width) × \(height)", .avif, avif(width, height),
            .limitExceeded(.bitmapBytes, value: 4 * width * height, allowed: 1 << 28))
    }

    /// An AVIF with one item and no pixels (ISO/IEC 23008-12, and ISO/IEC 14496-12 for its boxes).
    private static func avif(_ width: Int, _ height: Int) -> [UInt8] {
        let properties =
            fullBox("ispe", long(width) + long(height)) + fullBox("pixi", [3, 8, 8, 8])
            + box("av1C", [0x81, 0x20, 0, 0])
        let item = fullBox("infe", version: 2, [0, 1, 0, 0] + Array("av01".utf8) + [0])
        let meta =
            fullBox("hdlr", long(0) + Array("pict".utf8) + [UInt8](repeating: 0, count: 13))
            + fullBox("pitm", [0, 1])
            + fullBox("iloc", [0x44, 0, 0, 1, 0, 1, 0, 0, 0, 1] + long(0) + long(8))
            + fullBox("iinf", [0, 1] + item)
            + box("iprp", box("ipco", properties) + fullBox("ipma", long(1) + [0, 1, 3, 1, 2, 0x83]))
        return box("ftyp", Array("avif".utf8) + long(0) + Array("avifmif1".utf8)) + fullBox("meta", meta)
    }

    // MARK: HEIC

    private static let heic = [(16_384, 16_384), (10_000, 10_000), (60_000, 4_000)].map { width, height in
        Bomb(
            "HEIC of \(width) × \(height)", .heic, heic(width, height),
            .limitExceeded(.bitmapBytes, value: 4 * width * height, allowed: 1 << 28))
    }

    /// A HEIC with one item and no pixels.
    private static func heic(_ width: Int, _ height: Int) -> [UInt8] {
        let item = fullBox("infe", version: 2, [0, 1, 0, 0] + Array("hvc1".utf8) + [0])
        let properties = fullBox("ispe", long(width) + long(height))
        let meta =
            fullBox("hdlr", long(0) + Array("pict".utf8) + [UInt8](repeating: 0, count: 13))
            + fullBox("pitm", [0, 1])
            + fullBox("iloc", [0x44, 0, 0, 1, 0, 1, 0, 0, 0, 1] + long(0) + long(8))
            + fullBox("iinf", [0, 1] + item)
            + box("iprp", box("ipco", properties) + fullBox("ipma", long(1) + [0, 1, 1, 1]))
        return box("ftyp", Array("heic".utf8) + long(0) + Array("heicmif1".utf8)) + fullBox("meta", meta)
    }

    // MARK: TIFF

    private static let tiff = [
        Bomb(
            "TIFF of 70,000 × 10", .tiff, tiff(70_000, 10), .limitExceeded(.imageSide, value: 70_000, allowed: 65_535)),
        Bomb(
            "TIFF of 60,000 × 60,000", .tiff, tiff(60_000, 60_000),
            .limitExceeded(.imagePixels, value: 3_600_000_000, allowed: 1 << 28)),
        Bomb(
            "TIFF of 16,384 × 16,384", .tiff, tiff(16_384, 16_384),
            .limitExceeded(.bitmapBytes, value: 1 << 30, allowed: 1 << 28)),
        Bomb(
            "TIFF with a tile of 32,768 × 32,768", .tiff, tiff(16, 16, tile: 32_768),
            .limitExceeded(.bitmapBytes, value: 1 << 31, allowed: 1 << 28)),
    ]

    /// An 8-bit gray TIFF compressed by Deflate, with one strip or tile of a single byte.
    private static func tiff(_ width: Int, _ height: Int, tile: Int? = nil) -> [UInt8] {
        let chunk = tile.map { [(322, $0), (323, $0), (324, 0), (325, 1)] } ?? [(273, 0), (278, height), (279, 1)]
        let fields = [(256, width), (257, height), (258, 8), (259, 8), (262, 1), (277, 1)] + chunk
        var bytes = Array("MM\0*".utf8) + long(8) + [0, UInt8(fields.count)]
        for (tag, value) in fields.sorted(by: { $0.0 < $1.0 }) {
            // Every value is a 32-bit integer.
            bytes += [UInt8(tag >> 8), UInt8(tag & 255), 0, 4]
            bytes += long(1) + long(value)
        }
        return bytes + long(0)
    }

    // MARK: JPEG XL

    private static let jpegXL = [
        Bomb(
            "JPEG XL of 70,000 × 70,000", .jxl, jpegXL(70_000),
            .limitExceeded(.imageSide, value: 70_000, allowed: 65_535)),
        Bomb(
            "JPEG XL of 60,000 × 60,000", .jxl, jpegXL(60_000),
            .limitExceeded(.imagePixels, value: 3_600_000_000, allowed: 1 << 28)),
        Bomb(
            "JPEG XL of 10,000 × 10,000", .jxl, jpegXL(10_000),
            .limitExceeded(.bitmapBytes, value: 400_000_000, allowed: 1 << 28)),
    ]

    /// A JPEG XL codestream with nothing but the size before the pixels, and one frame of zeros.
    private static func jpegXL(_ side: Int) -> [UInt8] {
        // The lowest bit comes first. The size isn't given in multiples of eight pixels. Each side is a selector and
        // thirty bits, with an aspect ratio of "none" between them. Both parts of the header that follow have their
        // default values.
        var (value, count, bytes) = (UInt64(0), 0, [UInt8]([0xFF, 0x0A]))
        for (part, bits) in [(0, 1), (3, 2), (side - 1, 30), (0, 3), (3, 2), (side - 1, 30), (3, 2)] {
            for bit in 0..<bits {
                value |= UInt64(part >> bit & 1) << UInt64(count % 8)
                count += 1
                if count % 8 == 0 {
                    bytes.append(UInt8(value))
                    value = 0
                }
            }
        }
        return bytes + [UInt8(value)] + [1] + [UInt8](repeating: 0, count: 20)
    }

    private static func box(_ type: String, _ content: [UInt8]) -> [UInt8] {
        long(8 + content.count) + Array(type.utf8) + content
    }

    private static func fullBox(_ type: String, version: UInt8 = 0, _ content: [UInt8]) -> [UInt8] {
        box(type, [version, 0, 0, 0] + content)
    }
}
