#if os(Linux) && HEIC
import Foundation

/// Checks the work of decoding an image before the codec sees it: no item may contain itself, all bytes must be
/// present, and all tiles and layers together must be within the limits.
struct HEIFWork {
    private let items: HEIFItems
    private let data: Data
    private let limits: DecodeLimits
    /// The number of pixels to decode for each item that has been counted.
    private var pixels: [Int: Int?] = [:]

    /// The maximum depth of references, which exceeds that of a cropped grid with alpha.
    private static let mostLevels = 8

    init(_ items: HEIFItems, _ data: Data, _ limits: DecodeLimits) throws(ImageLoaderError) {
        (self.items, self.data, self.limits) = (items, data, limits)
        var seen: [Int: Bool] = [:]
        // Checks all items, because the codec also follows the references of items that aren't decoded.
        for item in items.types.keys { try Self.requireEnd(of: item, items, &seen, level: 0) }
    }

    /// Follows the references from an item to all items that decoding it may involve.
    ///
    /// - Parameter seen: False for items on the current path, and true for items whose references are known to end.
    private static func requireEnd(
        of item: Int, _ items: HEIFItems, _ seen: inout [Int: Bool], level: Int
    ) throws(ImageLoaderError) {
        if seen[item] == true { return }
        guard seen[item] == nil else { throw .corruptImage(.heic, reason: "an image that is made of itself") }
        guard level <= mostLevels else {
            throw .unsupportedImage(.heic, reason: "more than \(mostLevels) levels of images made of others")
        }
        seen[item] = false
        let others = [items.sources, items.auxiliaries, items.thumbnails].flatMap { $0[item] ?? [] }
        for other in Set(others) { try requireEnd(of: other, items, &seen, level: level + 1) }
        seen[item] = true
    }

    /// Checks an image and its alpha.
    mutating func check(_ picture: HEIFPicture) throws(ImageLoaderError) {
        let data = data
        let all = [picture.item, picture.alpha].compactMap { $0 }
        for item in all {
            let count = try pixels(of: item, data.span)
            guard count <= limits.pixels else {
                throw .limitExceeded(.imagePixels, value: count, allowed: limits.pixels)
            }
        }
    }

    private mutating func pixels(of item: Int, _ bytes: Span<UInt8>) throws(ImageLoaderError) -> Int {
        if let known = pixels[item] ?? nil { return known }
        let parts = items.sources[item] ?? []
        let count: Int
        switch items.types[item] {
        case "hvc1": count = try codedPixels(of: item, bytes)
        case "iden": count = try pixels(of: HEIFPicture.source(of: item, items), bytes)
        case "grid":
            let canvas = try canvas(of: item, isGrid: true)
            var tiles: [PixelSize] = []
            for part in parts { tiles.append(try HEIFPicture.storedSize(of: part, items, data)) }
            guard canvas.isFilled(by: tiles) else {
                throw .corruptImage(.heic, reason: "a grid with other tiles than it needs")
            }
            count = try pixels(of: parts, bytes)
        case "iovl":
            _ = try canvas(of: item, isGrid: false)
            count = try pixels(of: parts, bytes)
        case let type?: throw .unsupportedImage(.heic, reason: "an image of the type \(type)")
        case nil: throw .corruptImage(.heic, reason: "a part of the image is missing")
        }
        pixels[item] = count
        return count
    }

    private func canvas(of item: Int, isGrid: Bool) throws(ImageLoaderError) -> HEIFCanvas {
        let canvas = try HEIFCanvas(items.content(of: item, data), isGrid: isGrid)
        _ = try limits.bitmapBytes(for: canvas.size)
        return canvas
    }

    /// The number of pixels of the parts of a larger image. A part counts as often as it occurs.
    private mutating func pixels(of parts: [Int], _ bytes: Span<UInt8>) throws(ImageLoaderError) -> Int {
        guard !parts.isEmpty else { throw .corruptImage(.heic, reason: "an image made of nothing") }
        var sum = 0
        for part in parts {
            if items.properties[part]?.contains(where: { HEIFTransforms.types.contains($0.type) }) == true {
                throw .unsupportedImage(.heic, reason: "tiles or layers that are cropped or turned")
            }
            guard items.alpha(of: part, bytes) == nil else {
                throw .unsupportedImage(.heic, reason: "tiles or layers with alpha of their own")
            }
            let (count, overflows) = sum.addingReportingOverflow(try pixels(of: part, bytes))
            sum = overflows ? .max : count
        }
        return sum
    }

    /// Whether `size` is `shown` padded to whole blocks, in which case only `shown` counts.
    static func isPadding(_ size: PixelSize, of shown: PixelSize) -> Bool {
        size.width - shown.width < 64 && size.height - shown.height < 64
    }

    private func codedPixels(of item: Int, _ bytes: Span<UInt8>) throws(ImageLoaderError) -> Int {
        guard let content = try items.content(of: item, data) else {
            throw .corruptImage(.heic, reason: "ends too early")
        }
        guard let box = items.property("hvcC", of: item) else {
            throw .corruptImage(.heic, reason: "an image without its configuration")
        }
        var stream = try HEVCBitstream(configuration: box, bytes)
        try stream.read(content)
        guard let stated = items.statedSize(of: item, bytes) else {
            throw .corruptImage(.heic, reason: "an image without a size")
        }
        let size = Self.isPadding(stream.size, of: stated) ? stated : stream.size
        _ = try limits.bitmapBytes(for: size)
        return size.width * size.height
    }
}
#endif
