import Foundation

/// The metadata in the segments before the first scan of a JPEG (CIPA DC-008, ISO 16684-3).
///
/// The first segment of each kind counts. A segment that extends beyond the end of the file ends the search.
struct JPEGMetadataSegments {
    private(set) var blocks = MetadataBlocks()
    private(set) var hasISOGainMap = false
    /// The density in the JFIF header.
    private(set) var density: ImageMetadata.Resolution?
    /// The TIFF structure that lists the images of the file (CIPA DC-007).
    private var index: Range<Int>?
    private var extensions: [Extension] = []

    /// A part of extended XMP, which doesn't fit into one segment.
    private struct Extension {
        /// The digest of the extended XMP, which the main packet names.
        let digest: Range<Int>
        /// The offset of the part in the extended XMP.
        let offset: Int
        let content: Range<Int>
    }

    private static let mostPictures = 32

    init(_ data: Data, _ limits: DecodeLimits) {
        let bytes = data.span
        guard bytes.word(at: 0) == 0xFFD8 else { return }
        var offset = 2
        while let marker = JPEGMarkers.nextMarker(in: bytes, at: &offset), marker != 0xDA, marker != 0xD9 {
            // Markers without a segment.
            if marker == 0xD8 || marker == 0x01 || (0xD0...0xD7).contains(marker) { continue }
            guard let length = bytes.word(at: offset), length >= 2, length <= bytes.count - offset else { break }
            let content = offset + 2..<offset + length
            if content.count <= limits.metadataBytes { read(marker, data, bytes, content) }
            offset = content.upperBound
        }
    }

    private mutating func read(_ marker: UInt8, _ data: Data, _ bytes: Span<UInt8>, _ content: Range<Int>) {
        /// The rest of the segment after `name`; nil if the segment doesn't begin with it.
        func rest(_ name: StaticString) -> Range<Int>? {
            let start = content.lowerBound + name.utf8CodeUnitCount
            return start <= content.upperBound && bytes.has(name, at: content.lowerBound)
                ? start..<content.upperBound : nil
        }
        switch marker {
        case 0xE0:
            if density == nil, rest("JFIF\0") != nil { density = Self.density(bytes, content) }
        case 0xE1:
            if let block = rest("Exif\0") {
                // A padding byte follows.
                if blocks.exif == nil { blocks.exif = data.part(block).dropFirst() }
            } else if let block = rest("http://ns.adobe.com/xap/1.0/\0") {
                if blocks.xmp == nil { blocks.xmp = data.part(block) }
            } else if let part = rest("http://ns.adobe.com/xmp/extension/\0"), part.count >= 40,
                let offset = bytes.long(at: part.lowerBound + 36)
            {
                let digest = part.lowerBound..<part.lowerBound + 32
                extensions.append(
                    Extension(digest: digest, offset: offset, content: part.lowerBound + 40..<part.upperBound))
            }
        case 0xE2:
            if index == nil, let block = rest("MPF\0") { index = block }
            if rest("urn:iso:std:iso:ts:21496:-1\0") != nil { hasISOGainMap = true }
        case 0xED:
            if blocks.iptc == nil, let resources = rest("Photoshop 3.0\0") {
                blocks.iptc = Self.iptc(bytes, resources).map(data.part)
            }
        default: break
        }
    }

    /// Pixels per inch or centimeter; nil if only their ratio is known.
    private static func density(_ bytes: Span<UInt8>, _ content: Range<Int>) -> ImageMetadata.Resolution? {
        guard content.count >= 12, let unit = bytes.byte(at: content.lowerBound + 7), unit == 1 || unit == 2 else {
            return nil
        }
        return ImageMetadata.Resolution(
            bytes.word(at: content.lowerBound + 8).map(Double.init),
            bytes.word(at: content.lowerBound + 10).map(Double.init), perInch: unit == 1 ? 1 : 2.54)
    }

    /// The IPTC-IIM records among Photoshop's resources.
    private static func iptc(_ bytes: Span<UInt8>, _ resources: Range<Int>) -> Range<Int>? {
        var offset = resources.lowerBound
        // Marker, number, a name (preceded by its length, padded to an even number of bytes), length, content.
        while bytes.has("8BIM", at: offset), let number = bytes.word(at: offset + 4),
            let name = bytes.byte(at: offset + 6)
        {
            let start = offset + 6 + (Int(name) + 2) / 2 * 2
            guard let length = bytes.long(at: start), length <= resources.upperBound - start - 4 else { return nil }
            let content = start + 4..<start + 4 + length
            if number == 0x0404 { return content }
            offset = content.upperBound + (length & 1)
        }
        return nil
    }

    /// Joins the parts of the extended XMP that the main packet names, up to the first gap.
    mutating func joinExtendedXMP(in data: Data, _ limits: DecodeLimits) {
        guard !extensions.isEmpty, let xmp = blocks.xmp, let name = XMPPacket(xmp.span)["xmpNote:HasExtendedXMP"] else {
            return
        }
        var joined = Data()
        let parts = extensions.filter { data.part($0.digest).elementsEqual(name.utf8) }
        for part in parts.sorted(by: { $0.offset < $1.offset }) where part.offset == joined.count {
            guard part.content.count <= limits.metadataBytes - joined.count else { break }
            joined += data.part(part.content)
        }
        blocks.extendedXMP = joined
    }

    /// The images after the main one that the index lists, except incomplete ones.
    func otherPictures(in bytes: Span<UInt8>) -> [Range<Int>] {
        guard let index else { return [] }
        let block = bytes.extracting(index)
        guard let directory = TIFFDirectory(firstOf: block), let field = directory.field(0xB002, in: block) else {
            return []
        }
        // Attributes, size, offset from the index, and two numbers of other entries: 4 + 4 + 4 + 2 + 2 bytes.
        return (1..<max(1, min(field.range.count / 16, Self.mostPictures))).compactMap { entry in
            let entry = field.range.lowerBound + entry * 16
            guard let size = directory.long(at: entry + 4, block), let offset = directory.long(at: entry + 8, block),
                size > 4, size <= bytes.count - index.lowerBound - offset,
                bytes.word(at: index.lowerBound + offset) == 0xFFD8
            else { return nil }
            return index.lowerBound + offset..<index.lowerBound + offset + size
        }
    }
}
