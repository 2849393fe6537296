#if os(Linux) && HEIC
import Foundation

/// One image of a HEIF: its size, crop, orientation and colors, without its pixels.
struct HEIFPicture {
    /// The item's number.
    let item: Int
    /// The item with its alpha.
    let alpha: Int?
    let isPremultiplied: Bool
    let bitsPerSample: Int
    /// The size of the decoded image before it is cropped.
    let storedSize: PixelSize
    let transforms: HEIFTransforms
    /// The byte range of the ICC profile in the file.
    let profile: Range<Int>?
    /// The colors that the nclx box of an image without a profile describes.
    let colors: ColorDescription?

    init(_ item: Int, of items: HEIFItems, _ data: Data) throws(ImageLoaderError) {
        let bytes = data.span
        self.item = item
        // The item, followed by the source of each item that only crops and turns another one.
        var chain = [item]
        while let last = chain.last, items.types[last] == "iden" {
            chain.append(try Self.source(of: last, items))
            guard chain.count < 16 else { throw .corruptImage(.heic, reason: "an image that is made of itself") }
        }
        storedSize = try Self.storedSize(of: chain[chain.count - 1], items, data)
        var transforms = HEIFTransforms(of: storedSize)
        for property in chain.reversed().flatMap({ items.properties[$0] ?? [] }) {
            try transforms.apply(property, bytes)
        }
        self.transforms = transforms
        // Takes what a grid doesn't state from its first tile.
        while let last = chain.last, chain.count < 16, let part = items.sources[last]?.first { chain.append(part) }
        alpha = items.alpha(of: item, bytes)
        isPremultiplied = alpha.map { items.premultiplied[item]?.contains($0) == true } ?? false
        let configuration = chain.lazy.compactMap { items.property("hvcC", of: $0) }.first
        bitsPerSample =
            try configuration.map { box throws(ImageLoaderError) in
                try HEVCBitstream(configuration: box, bytes).bitsPerSample
            } ?? 8
        let descriptions = chain.lazy.map { (items.properties[$0] ?? []).filter { $0.type == "colr" }.map(\.content) }
        let colors = descriptions.first { !$0.isEmpty } ?? []
        profile = colors.first { bytes.has("prof", at: $0.lowerBound) || bytes.has("rICC", at: $0.lowerBound) }
            .map { $0.lowerBound + 4..<$0.upperBound }
        let numbers = profile != nil ? nil : colors.first { bytes.has("nclx", at: $0.lowerBound) && $0.count >= 8 }
        self.colors = numbers.flatMap { box in
            ColorDescription(
                primaries: UInt8(clamping: bytes.word(at: box.lowerBound + 4) ?? 0),
                transfer: UInt8(clamping: bytes.word(at: box.lowerBound + 6) ?? 0))
        }
    }

    /// The size as shown, before the image is turned.
    var size: PixelSize { transforms.size }
    var orientation: Orientation { transforms.orientation }

    /// The size of an item before it is cropped and turned.
    static func storedSize(
        of item: Int, _ items: HEIFItems, _ data: Data
    ) throws(ImageLoaderError) -> PixelSize {
        if let type = items.types[item], type == "grid" || type == "iovl" {
            return try HEIFCanvas(items.content(of: item, data), isGrid: type == "grid").size
        }
        guard items.types[item] == "hvc1" else {
            throw .unsupportedImage(.heic, reason: "an image of the type \(items.types[item] ?? "none")")
        }
        guard let size = items.statedSize(of: item, data.span) else {
            throw .corruptImage(.heic, reason: "an image without a size")
        }
        return size
    }

    /// The image that an item only crops and turns.
    static func source(of item: Int, _ items: HEIFItems) throws(ImageLoaderError) -> Int {
        guard let sources = items.sources[item], sources.count == 1 else {
            throw .corruptImage(.heic, reason: "an image made of nothing")
        }
        return sources[0]
    }

    /// The smallest embedded thumbnail that is at least as large as `least` and has the image's aspect ratio,
    /// orientation and colors.
    func thumbnail(atLeast least: PixelSize, of items: HEIFItems, _ data: Data) -> HEIFPicture? {
        guard alpha == nil else { return nil }
        let others = (items.thumbnails[item] ?? []).prefix(8).compactMap { Self.readable($0, of: items, data) }
        return others.filter { suffices($0, for: least, data) }.min { $0.size.width < $1.size.width }
    }

    /// Returns nil for a thumbnail that can't be read; the image itself is then decoded.
    private static func readable(_ item: Int, of items: HEIFItems, _ data: Data) -> HEIFPicture? {
        do throws(ImageLoaderError) { return try HEIFPicture(item, of: items, data) } catch { return nil }
    }

    private func suffices(_ other: HEIFPicture, for least: PixelSize, _ data: Data) -> Bool {
        let isLarge = other.size.width >= least.width && other.size.height >= least.height
        let isSmaller = other.size.width <= size.width && other.size.height <= size.height
        // Allows for a rounded side.
        let (one, two) = (other.size.width * size.height, other.size.height * size.width)
        let profiles = [profile, other.profile].map { $0.map { data.part($0) } }
        return isLarge && isSmaller && abs(one - two) <= max(size.width, size.height) && profiles[0] == profiles[1]
            && other.orientation == orientation && other.colors == colors && other.alpha == nil
    }
}
#endif
