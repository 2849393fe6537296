#if BMP || canImport(Darwin)
import Foundation

/// Reads the rows of a bitmap without runs, in any order, as premultiplied pixels.
struct BMPRows {
    private let header: BMPHeader
    /// The palette's colors, always 256 so that every index has one. Colors missing from the file are black.
    private let palette: [UInt32]
    /// A table for each channel, for channels of up to eight bits.
    private let tables: [[UInt32]]
    /// Whether the image has no alpha channel, or one that is 0 everywhere.
    let isOpaque: Bool
    /// The rows, counted from the top, whose pixels are in the file.
    let available: Range<Int>

    init(_ header: BMPHeader, of bytes: Span<UInt8>) {
        self.header = header
        palette = header.paletteColors(in: bytes)
        if case .channels(let channels) = header.coding {
            tables = [channels.red, channels.green, channels.blue, channels.alpha].map(\.table)
        } else {
            tables = []
        }
        let height = header.size.height
        let missing = header.pixelOffset + header.bytesOfPixels - bytes.count
        // The last row needs no padding.
        let stored = missing > 0 ? 0 : (-missing / max(1, header.bytesPerRow)) + 1
        available = header.isTopDown ? 0..<min(stored, height) : max(0, height - stored)..<height
        isOpaque = !header.mayHaveAlpha || !Self.hasAlpha(header, bytes, available)
    }

    /// Whether any pixel has an alpha other than 0. If none has, the program that wrote the image ignored alpha.
    private static func hasAlpha(_ header: BMPHeader, _ bytes: Span<UInt8>, _ rows: Range<Int>) -> Bool {
        let mask: UInt32
        switch header.coding {
        case .withAlpha: mask = 0xFF00_0000
        case .channels(let channels): mask = channels.alpha.mask
        case .plain, .runs: return false
        }
        return bytes.withUnsafeBytes { bytes in
            rows.contains { y in
                let row = UnsafeRawBufferPointer(rebasing: bytes[header.place(ofRow: y)])
                var all: UInt32 = 0
                for x in 0..<header.size.width { all |= row.pixel(x, bits: header.bitsPerPixel) }
                return all & mask != 0
            }
        }
    }

    /// Reads an available row.
    ///
    /// - Parameter bytes: The whole file.
    func read(_ y: Int, of bytes: UnsafeRawBufferPointer, into row: UnsafeMutableRawBufferPointer) {
        let source = UnsafeRawBufferPointer(rebasing: bytes[header.place(ofRow: y)])
        let pixels = UnsafeMutableBufferPointer(rebasing: row.bindMemory(to: UInt32.self)[..<header.size.width])
        switch header.coding {
        case .plain where header.bitsPerPixel <= 8: readIndices(source, pixels)
        case .plain where header.bitsPerPixel == 24: Self.readBGR(source, pixels)
        case .plain, .withAlpha: readBGRA(source, pixels)
        case .channels(let channels): readChannels(source, channels, pixels)
        case .runs: break
        }
        if !isOpaque { row.premultiply() }
    }

    private func readIndices(_ source: UnsafeRawBufferPointer, _ pixels: UnsafeMutableBufferPointer<UInt32>) {
        let bits = header.bitsPerPixel
        let mask: UInt8 = 255 >> UInt8(8 - bits)
        palette.withUnsafeBufferPointer { palette in
            for x in pixels.indices {
                let bit = x * bits
                // The first pixel is in the highest bits.
                let index = source[bit >> 3] >> UInt8(8 - bits - bit & 7) & mask
                pixels[x] = palette[Int(index)]
            }
        }
    }

    private static func readBGR(_ source: UnsafeRawBufferPointer, _ pixels: UnsafeMutableBufferPointer<UInt32>) {
        for x in pixels.indices {
            let (blue, green, red) = (source[3 * x], source[3 * x + 1], source[3 * x + 2])
            pixels[x] = .pixel(red: UInt32(red), green: UInt32(green), blue: UInt32(blue))
        }
    }

    private func readBGRA(_ source: UnsafeRawBufferPointer, _ pixels: UnsafeMutableBufferPointer<UInt32>) {
        let opaque: UInt32 = isOpaque ? 0xFF00_0000 : 0
        for x in pixels.indices {
            let pixel = source.pixel(x, bits: 32)
            let (blue, red) = (pixel & 0xFF, pixel >> 16 & 0xFF)
            pixels[x] = UInt32(littleEndian: pixel & 0xFF00_FF00 | blue << 16 | red | opaque)
        }
    }

    private func readChannels(
        _ source: UnsafeRawBufferPointer, _ channels: BMPChannels, _ pixels: UnsafeMutableBufferPointer<UInt32>
    ) {
        let bits = header.bitsPerPixel
        func value(_ channel: BMPChannels.Channel, _ table: [UInt32], _ pixel: UInt32) -> UInt32 {
            channel.bits <= 8 ? table[Int(pixel >> channel.shift & 255)] : channel.value(of: pixel)
        }
        for x in pixels.indices {
            let pixel = source.pixel(x, bits: bits)
            pixels[x] = .pixel(
                red: value(channels.red, tables[0], pixel), green: value(channels.green, tables[1], pixel),
                blue: value(channels.blue, tables[2], pixel),
                alpha: isOpaque ? 255 : value(channels.alpha, tables[3], pixel))
        }
    }
}

extension BMPHeader {
    /// The bytes of a row that hold pixels.
    fileprivate var bytesOfPixels: Int { (size.width * bitsPerPixel + 7) / 8 }

    /// The byte range of a row's pixels in the file; rows are counted from the top.
    fileprivate func place(ofRow y: Int) -> Range<Int> {
        let start = pixelOffset + (isTopDown ? y : size.height - 1 - y) * bytesPerRow
        return start..<start + bytesOfPixels
    }

    /// The palette's colors, filled up to 256. Colors missing from the file are black.
    func paletteColors(in bytes: Span<UInt8>) -> [UInt32] {
        (0..<256).map { index in
            let offset = palette.offset + index * palette.bytesPerColor
            guard index < palette.count, let color = bytes.littleTriple(at: offset) else { return .pixel() }
            let number = UInt32(color)
            return .pixel(red: number >> 16, green: number >> 8 & 255, blue: number & 255)
        }
    }
}

extension BMPChannels.Channel {
    fileprivate var mask: UInt32 { UInt32(truncatingIfNeeded: (1 << UInt64(bits) - 1) << UInt64(shift)) }
}

extension UnsafeRawBufferPointer {
    /// A pixel of 16 or 32 bits.
    @inline(__always)
    fileprivate func pixel(_ x: Int, bits: Int) -> UInt32 {
        bits == 16
            ? UInt32(UInt16(littleEndian: loadUnaligned(fromByteOffset: x * 2, as: UInt16.self)))
            : UInt32(littleEndian: loadUnaligned(fromByteOffset: x * 4, as: UInt32.self))
    }
}

extension UInt32 {
    /// A pixel in memory: red, green, blue, alpha; black by default.
    @inline(__always)
    static func pixel(red: UInt32 = 0, green: UInt32 = 0, blue: UInt32 = 0, alpha: UInt32 = 255) -> UInt32 {
        UInt32(littleEndian: alpha << 24 | blue << 16 | green << 8 | red)
    }
}
#endif
