#if os(Linux) && HEIC
import Foundation

/// The size that an HEVC-coded image states before it is decoded, in its configuration (ISO/IEC 14496-15, section
/// 8.3.3.1) and in its own units.
struct HEVCBitstream {
    private(set) var bitsPerSample = 8
    /// The largest width and the largest height of all stated sizes.
    private(set) var size = PixelSize(width: 0, height: 0)

    /// The maximum number of slices of an image at any level of the standard (ITU-T H.265, table A.8).
    private static let mostSlices = 600

    /// - Parameter configuration: The byte range of the hvcC box.
    init(configuration: Range<Int>, _ bytes: Span<UInt8>) throws(ImageLoaderError) {
        let start = configuration.lowerBound
        guard configuration.count >= 23, let depth = bytes.byte(at: start + 17), let flags = bytes.byte(at: start + 21)
        else { throw .corruptImage(.heic, reason: "an image without its configuration") }
        bitsPerSample = 8 + Int(depth & 7)
        guard flags & 3 == 3 else { throw .unsupportedImage(.heic, reason: "units with short lengths") }
        var offset = start + 23
        for _ in 0..<(bytes.byte(at: start + 22) ?? 0) {
            guard let count = bytes.word(at: offset + 1) else { break }
            offset += 3
            for _ in 0..<count {
                guard let length = bytes.word(at: offset), length <= configuration.upperBound - offset - 2 else {
                    throw .corruptImage(.heic, reason: "a configuration that ends too early")
                }
                read(unit: offset + 2..<offset + 2 + length, bytes)
                offset += 2 + length
            }
        }
        guard size.width > 0, size.height > 0 else {
            throw .corruptImage(.heic, reason: "a configuration without a size")
        }
    }

    /// Reads the units of an image, each preceded by its length.
    mutating func read(_ content: Data) throws(ImageLoaderError) {
        let bytes = content.span
        var (offset, pictures, slices) = (0, 0, 0)
        while offset < bytes.count {
            guard let length = bytes.long(at: offset), length <= bytes.count - offset - 4 else {
                throw .corruptImage(.heic, reason: "a unit that ends too early")
            }
            let unit = offset + 4..<offset + 4 + length
            read(unit: unit, bytes)
            if unit.count > 2, Self.isInBaseLayer(unit, bytes), Self.type(of: unit, bytes) < 32 {
                slices += 1
                // The first bit says whether this is the first slice of an image.
                pictures += Int(bytes[unit.lowerBound + 2] >> 7)
            }
            offset = unit.upperBound
        }
        guard pictures > 0 else { throw .corruptImage(.heic, reason: "an item without an image") }
        guard pictures == 1 else { throw .unsupportedImage(.heic, reason: "several images in one item") }
        guard slices <= Self.mostSlices else { throw .corruptImage(.heic, reason: "\(slices) parts of one image") }
    }

    private static func type(of unit: Range<Int>, _ bytes: Span<UInt8>) -> UInt8 { bytes[unit.lowerBound] >> 1 & 0x3F }

    private static func isInBaseLayer(_ unit: Range<Int>, _ bytes: Span<UInt8>) -> Bool {
        bytes[unit.lowerBound] & 1 == 0 && bytes[unit.lowerBound + 1] >> 3 == 0
    }

    /// A sequence parameter set states the size (ITU-T H.265, section 7.3.2.2).
    private mutating func read(unit: Range<Int>, _ bytes: Span<UInt8>) {
        guard unit.count > 2, Self.type(of: unit, bytes) == 33, Self.isInBaseLayer(unit, bytes) else { return }
        var reader = HEVCBits(unit.lowerBound + 2..<unit.upperBound, bytes)
        reader.skip(4, bytes)
        let layers = reader.number(3, bytes)
        reader.skip(1 + 96, bytes)
        var skipped = 0
        for _ in 0..<layers {
            skipped += reader.number(1, bytes) * 88
            skipped += reader.number(1, bytes) * 8
        }
        if layers > 0 { skipped += (8 - layers) * 2 }
        reader.skip(skipped, bytes)
        _ = reader.exponential(bytes)
        if reader.exponential(bytes) == 3 { reader.skip(1, bytes) }
        let (width, height) = (reader.exponential(bytes), reader.exponential(bytes))
        size = PixelSize(width: max(size.width, width), height: max(size.height, height))
    }
}

/// Reads the bits of a unit, without the bytes that keep it free of start codes (ITU-T H.265, section 7.4.2.2).
private struct HEVCBits {
    private var offset: Int
    private let end: Int
    private var zeros = 0
    private var byte: UInt8 = 0
    private var left = 0

    init(_ range: Range<Int>, _ bytes: Span<UInt8>) { (offset, end) = (range.lowerBound, range.upperBound) }

    /// The next bit; 0 beyond the end.
    private mutating func bit(_ bytes: Span<UInt8>) -> Int {
        if left == 0 {
            if zeros >= 2, offset < end, bytes[offset] == 3 { (offset, zeros) = (offset + 1, 0) }
            byte = offset < end ? bytes[offset] : 0
            zeros = byte == 0 ? zeros + 1 : 0
            (offset, left) = (offset + 1, 8)
        }
        left -= 1
        return Int(byte >> left & 1)
    }

    mutating func number(_ count: Int, _ bytes: Span<UInt8>) -> Int {
        (0..<count).reduce(0) { number, _ in number << 1 | bit(bytes) }
    }

    mutating func skip(_ count: Int, _ bytes: Span<UInt8>) { for _ in 0..<count { _ = bit(bytes) } }

    /// A number in Exp-Golomb code, of at most 32 bits.
    mutating func exponential(_ bytes: Span<UInt8>) -> Int {
        var length = 0
        while length < 32, bit(bytes) == 0 { length += 1 }
        return (1 << length) - 1 + number(length, bytes)
    }
}
#endif
