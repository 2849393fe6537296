#if os(Linux) && HEIC
import Foundation

/// The items of a HEIF, their properties and their references to each other (ISO/IEC 14496-12, section 8.11, and
/// ISO/IEC 23008-12, section 9), without their contents.
///
/// An ambiguous structure is refused, because the library that decodes the items might read it differently.
struct HEIFItems {
    /// A property of an item. Properties that transform an image apply in the order of the file.
    struct Property {
        let type: String
        let content: Range<Int>
    }

    /// The item to show.
    let primary: Int
    private(set) var types: [Int: String] = [:]
    private(set) var properties: [Int: [Property]] = [:]
    /// The images that an item is made from, in order.
    private(set) var sources: [Int: [Int]] = [:]
    /// For each image, the items with additional data such as alpha.
    private(set) var auxiliaries: [Int: [Int]] = [:]
    private(set) var thumbnails: [Int: [Int]] = [:]
    /// For each image with premultiplied colors, the items with the alpha that these are multiplied by.
    private(set) var premultiplied: [Int: [Int]] = [:]
    /// The byte ranges of the items in the file.
    let extents: [Int: [Range<Int>]]

    /// The maximum number of items, and of boxes in a list. Large photos have a few hundred tiles.
    private static let most = 4_096

    init(_ data: Data) throws(ImageLoaderError) {
        let bytes = data.span
        let meta = try Self.meta(bytes)
        guard let box = MediaBox.first("pitm", in: bytes, meta), let version = bytes.byte(at: box.lowerBound),
            let primary = bytes.item(at: box.lowerBound + 4, isLong: version != 0)
        else { throw .corruptImage(.heic, reason: "no item is the one to show") }
        self.primary = primary
        guard let locations = ItemLocations(bytes, meta).all(bytes) else {
            throw .corruptImage(.heic, reason: "items without a place in the file")
        }
        extents = locations
        try readTypes(bytes, meta)
        try readProperties(bytes, meta)
        try readReferences(bytes, meta)
    }

    /// The boxes that describe the items.
    private static func meta(_ bytes: Span<UInt8>) throws(ImageLoaderError) -> Range<Int> {
        let boxes = try list(bytes, 0..<bytes.count)
        let found = boxes.filter { bytes.has("meta", at: $0.type) }
        guard found.count <= 1 else { throw .corruptImage(.heic, reason: "several lists of items") }
        guard let box = found.first?.content, box.count >= 4 else {
            if boxes.contains(where: { bytes.has("moov", at: $0.type) }) {
                throw .unsupportedImage(.heic, reason: "a sequence without a still image")
            }
            throw .corruptImage(.heic, reason: "ends before the list of its items, or has none")
        }
        return box.lowerBound + 4..<box.upperBound
    }

    private static func list(_ bytes: Span<UInt8>, _ range: Range<Int>) throws(ImageLoaderError) -> [MediaBox] {
        let boxes = MediaBox.boxes(in: bytes, range)
        guard boxes.count <= most else { throw .unsupportedImage(.heic, reason: "more than \(most) boxes in a row") }
        return boxes
    }

    // MARK: Reading

    private mutating func readTypes(_ bytes: Span<UInt8>, _ meta: Range<Int>) throws(ImageLoaderError) {
        guard let box = MediaBox.first("iinf", in: bytes, meta), let version = bytes.byte(at: box.lowerBound) else {
            throw .corruptImage(.heic, reason: "no items")
        }
        let start = box.lowerBound + (version == 0 ? 6 : 8)
        guard start <= box.upperBound else { throw .corruptImage(.heic, reason: "no items") }
        for entry in try Self.list(bytes, start..<box.upperBound) where bytes.has("infe", at: entry.type) {
            // Older versions describe no images.
            guard let version = bytes.byte(at: entry.content.lowerBound), version >= 2 else { continue }
            let place = entry.content.lowerBound + 4
            guard let item = bytes.item(at: place, isLong: version > 2),
                let type = bytes.text(at: place + (version > 2 ? 6 : 4))
            else { continue }
            guard types.updateValue(type, forKey: item) == nil else {
                throw .corruptImage(.heic, reason: "two items with one number")
            }
        }
    }

    private mutating func readProperties(_ bytes: Span<UInt8>, _ meta: Range<Int>) throws(ImageLoaderError) {
        guard let box = MediaBox.first("iprp", in: bytes, meta),
            let container = MediaBox.first("ipco", in: bytes, box), let table = MediaBox.first("ipma", in: bytes, box)
        else { throw .corruptImage(.heic, reason: "no properties of items") }
        let all = try Self.list(bytes, container).map {
            Property(type: bytes.text(at: $0.type) ?? "", content: $0.content)
        }
        guard let flags = bytes.long(at: table.lowerBound), let count = bytes.long(at: table.lowerBound + 4) else {
            return
        }
        let (isLong, isWide) = (flags >> 24 != 0, flags & 1 != 0)
        var offset = table.lowerBound + 8
        for _ in 0..<min(count, Self.most) {
            guard let item = bytes.item(at: offset, isLong: isLong),
                let number = bytes.byte(at: offset + (isLong ? 4 : 2))
            else { return }
            offset += isLong ? 5 : 3
            var own: [Property] = []
            for _ in 0..<number {
                let index =
                    isWide ? bytes.word(at: offset).map { $0 & 0x7FFF } : bytes.byte(at: offset).map { Int($0 & 0x7F) }
                offset += isWide ? 2 : 1
                guard offset <= table.upperBound, let index else { return }
                if all.indices.contains(index - 1) { own.append(all[index - 1]) }
            }
            guard properties.updateValue(own, forKey: item) == nil else {
                throw .corruptImage(.heic, reason: "two lists of properties for one item")
            }
        }
    }

    private mutating func readReferences(_ bytes: Span<UInt8>, _ meta: Range<Int>) throws(ImageLoaderError) {
        guard let box = MediaBox.first("iref", in: bytes, meta), box.count >= 4,
            let version = bytes.byte(at: box.lowerBound)
        else { return }
        let isLong = version != 0
        let size = isLong ? 4 : 2
        for entry in try Self.list(bytes, box.lowerBound + 4..<box.upperBound) {
            let start = entry.content.lowerBound
            guard let from = bytes.item(at: start, isLong: isLong), let count = bytes.word(at: start + size),
                size + 2 + count * size <= entry.content.count
            else { throw .corruptImage(.heic, reason: "a reference that ends too early") }
            guard count <= Self.most else {
                throw .unsupportedImage(.heic, reason: "more than \(Self.most) references of one item")
            }
            let targets = (0..<count).compactMap { bytes.item(at: start + size + 2 + $0 * size, isLong: isLong) }
            switch bytes.text(at: entry.type) {
            case "dimg":
                guard sources.updateValue(targets, forKey: from) == nil else {
                    throw .corruptImage(.heic, reason: "two lists of sources for one item")
                }
            case "auxl": for target in targets { auxiliaries[target, default: []].append(from) }
            case "thmb": for target in targets { thumbnails[target, default: []].append(from) }
            case "prem": premultiplied[from, default: []] += targets
            default: break
            }
        }
    }

    // MARK: Properties

    func property(_ type: String, of item: Int) -> Range<Int>? {
        properties[item]?.first { $0.type == type }?.content
    }

    /// The size that the item's property states.
    func statedSize(of item: Int, _ bytes: Span<UInt8>) -> PixelSize? {
        guard let box = property("ispe", of: item), box.count >= 12, let width = bytes.long(at: box.lowerBound + 4),
            let height = bytes.long(at: box.lowerBound + 8)
        else { return nil }
        return PixelSize(width: width, height: height)
    }

    /// The bytes of an item; nil if they aren't all in the file.
    ///
    /// - Throws: If the pieces together are longer than the file.
    func content(of item: Int, _ data: Data) throws(ImageLoaderError) -> Data? {
        guard let pieces = extents[item] else { return nil }
        if pieces.count == 1 { return data.part(pieces[0]) }
        guard pieces.reduce(0, { $0 + $1.count }) <= data.count else {
            throw .corruptImage(.heic, reason: "an item longer than the file")
        }
        return pieces.reduce(into: Data()) { $0 += data.part($1) }
    }

    /// The item with an image's alpha, whose property has one of two names.
    func alpha(of item: Int, _ bytes: Span<UInt8>) -> Int? {
        auxiliaries[item]?.first { other in
            guard let box = property("auxC", of: other) else { return false }
            let name = box.lowerBound + 4
            return bytes.has("urn:mpeg:mpegB:cicp:systems:auxiliary:alpha", at: name)
                || bytes.has("urn:mpeg:hevc:2015:auxid:1", at: name)
        }
    }
}

extension Span<UInt8> {
    /// The number of an item.
    fileprivate func item(at offset: Int, isLong: Bool) -> Int? { isLong ? long(at: offset) : word(at: offset) }

    /// The four characters of a type.
    fileprivate func text(at offset: Int) -> String? {
        long(at: offset).map { code in
            String(decoding: [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: code >> $0) }, as: UTF8.self)
        }
    }
}
#endif
