import Foundation

/// The metadata among the items of a HEIF or AVIF (ISO/IEC 23008-12).
struct ItemMetadata {
    private(set) var blocks = MetadataBlocks()
    private(set) var gainMap: ImageMetadata.GainMap?
    private(set) var hasDepthMap = false
    private(set) var video: Range<Int>?

    init(_ data: Data, _ limits: DecodeLimits) {
        let bytes = data.span
        let boxes = MediaBox.boxes(in: bytes, 0..<bytes.count)
        if let box = boxes.last(where: { bytes.has("mpvd", at: $0.type) })?.content,
            bytes.has("ftyp", at: box.lowerBound + 4)
        {
            video = box
        }
        // A version and flags precede the boxes in it.
        guard let meta = boxes.first(where: { bytes.has("meta", at: $0.type) })?.content, meta.count >= 4 else {
            return
        }
        let parts = meta.lowerBound + 4..<meta.upperBound
        if let properties = MediaBox.first("iprp", in: bytes, parts) { readProperties(bytes, properties) }
        readItems(data, bytes, parts, limits)
    }

    /// Reads the kinds of auxiliary images, which a property states as a URN.
    private mutating func readProperties(_ bytes: Span<UInt8>, _ properties: Range<Int>) {
        guard let container = MediaBox.first("ipco", in: bytes, properties) else { return }
        for box in MediaBox.boxes(in: bytes, container) where bytes.has("auxC", at: box.type) && box.content.count > 4 {
            let kind = box.content.lowerBound + 4
            if bytes.has("urn:com:apple:photo:2020:aux:hdrgainmap", at: kind) {
                gainMap = .apple
            } else if bytes.has("urn:mpeg:hevc:2015:auxid:2", at: kind)
                || bytes.has("urn:mpeg:mpegB:cicp:systems:auxiliary:depth", at: kind)
            {
                hasDepthMap = true
            }
        }
    }

    /// Finds only the first item of each kind, because finding its bytes requires a search through the locations of all
    /// items.
    private mutating func readItems(_ data: Data, _ bytes: Span<UInt8>, _ meta: Range<Int>, _ limits: DecodeLimits) {
        guard let list = MediaBox.first("iinf", in: bytes, meta), let version = bytes.byte(at: list.lowerBound) else {
            return
        }
        // The version, flags and the number of items.
        let start = list.lowerBound + (version == 0 ? 6 : 8)
        guard start <= list.upperBound else { return }
        var exif: Int?
        var xmp: Int?
        for box in MediaBox.boxes(in: bytes, start..<list.upperBound) where bytes.has("infe", at: box.type) {
            // The version, flags, the item's number, a number for protection, the type, and a name that ends with NUL.
            let start = box.content.lowerBound
            guard let version = bytes.byte(at: start), version >= 2 else { continue }
            let type = start + (version == 2 ? 8 : 10)
            guard type + 4 < box.content.upperBound,
                let item = version == 2 ? bytes.word(at: start + 4) : bytes.long(at: start + 4)
            else { continue }
            if bytes.has("tmap", at: type) {
                gainMap = .iso
            } else if bytes.has("Exif", at: type) {
                exif = exif ?? item
            } else if xmp == nil, bytes.has("mime", at: type) {
                let name = (type + 4..<box.content.upperBound).first { bytes[$0] == 0 }
                if let name, bytes.has("application/rdf+xml\0", at: name + 1) { xmp = item }
            }
        }
        let locations = ItemLocations(bytes, meta)
        blocks.exif = exif.flatMap { locations.content(of: $0, data, limits)?.withoutEXIFOffset }
        blocks.xmp = xmp.flatMap { locations.content(of: $0, data, limits) }
    }
}

extension ImageMetadata {
    init(_ items: ItemMetadata) {
        self.init(items.blocks, items.blocks.packet)
        // The image's properties state the orientation instead.
        orientation = nil
        gainMap = items.gainMap
        if items.hasDepthMap { hasDepthMap = true }
        motionPhotoVideo = items.video
    }
}
