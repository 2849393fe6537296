#if os(Linux) && HEIC
import Foundation

/// One picture of a HEIF: its size, how it is cropped and turned, and its colours, without its pixels.
struct HEIFPicture {
    /// The item's number.
    let item: Int
    /// The item with its alpha.
    let alpha: Int?
    let isPremultiplied: Bool
    let bitsPerSample: Int
    /// The size of the decoded picture before it is cropped.
    let storedSize: PixelSize
    let transforms: HEIFTransforms
    /// The ICC profile, and where it is in the file.
    let profile: Range<Int>?
    /// The colours of a picture without a profile, by the numbers in its box nclx.
    let colors: ColorDescription?

    init(_ item: Int, of items: HEIFItems, _ data: Data) throws(ImageLoaderError) {
        let bytes = data.span
        self.item = item
        // The items that only crop and turn another one, from the outermost.
        var chain = [item]
        while let last = chain.last, items.types[last] == "iden" {
            chain.append(try Self.source(of: last, items))
            guard chain.count < 16 else { throw .corruptImage(.heic, reason: "a picture that is made of itself") }
        }
        storedSize = try Self.storedSize(of: chain[chain.count - 1], items, data)
        var transforms = HEIFTransforms(of: storedSize)
        for property in chain.reversed().flatMap({ items.properties[$0] ?? [] }) {
            try transforms.apply(property, bytes)
        }
        self.transforms = transforms
        // What a grid doesn't say, its first tile says.
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

    /// The size as shown, before the picture is turned.
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
            throw .unsupportedImage(.heic, reason: "a picture of the type \(items.types[item] ?? "none")")
        }
        guard let size = items.statedSize(of: item, data.span) else {
            throw .corruptImage(.heic, reason: "a picture without a size")
        }
        return size
    }

    /// The picture that an item only crops and turns.
    static func source(of item: Int, _ items: HEIFItems) throws(ImageLoaderError) -> Int {
        guard let sources = items.sources[item], sources.count == 1 else {
            throw .corruptImage(.heic, reason: "a picture made of nothing")
        }
        return sources[0]
    }

    /// The smallest of a picture's embedded thumbnails that suffices for a size, shows the same and in the same
    /// colours.
    func thumbnail(atLeast least: PixelSize, of items: HEIFItems, _ data: Data) -> HEIFPicture? {
        guard alpha == nil else { return nil }
        let others = (items.thumbnails[item] ?? []).prefix(8).compactMap { Self.readable($0, of: items, data) }
        return others.filter { suffices($0, for: least, data) }.min { $0.size.width < $1.size.width }
    }

    /// Nil for a thumbnail that can't be read: the picture is decoded instead.
    private static func readable(_ item: Int, of items: HEIFItems, _ data: Data) -> HEIFPicture? {
        do throws(ImageLoaderError) { return try HEIFPicture(item, of: items, data) } catch { return nil }
    }

    private func suffices(_ other: HEIFPicture, for least: PixelSize, _ data: Data) -> Bool {
        let isLarge = other.size.width >= least.width && other.size.height >= least.height
        let isSmaller = other.size.width <= size.width && other.size.height <= size.height
        // A side may be rounded.
        let (one, two) = (other.size.width * size.height, other.size.height * size.width)
        let profiles = [profile, other.profile].map { $0.map { data.part($0) } }
        return isLarge && isSmaller && abs(one - two) <= max(size.width, size.height) && profiles[0] == profiles[1]
            && other.orientation == orientation && other.colors == colors && other.alpha == nil
    }
}
#endif
