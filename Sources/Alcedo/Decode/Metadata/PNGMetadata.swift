import Foundation

/// The chunks of a PNG that hold metadata (PNG third edition, section 11.3), wherever they are in the file.
struct PNGMetadata {
    private(set) var blocks = MetadataBlocks()
    private(set) var density: ImageMetadata.Resolution?
    /// Texts by keyword.
    private(set) var texts: [String: String] = [:]

    init(_ data: Data, _ limits: DecodeLimits) {
        let bytes = data.span
        var offset = 8
        while let length = bytes.long(at: offset), length <= bytes.count - offset - 12 {
            let content = offset + 8..<offset + 8 + length
            if length <= limits.metadataBytes { read(data, bytes, content) }
            offset = content.upperBound + 4
        }
    }

    private mutating func read(_ data: Data, _ bytes: Span<UInt8>, _ content: Range<Int>) {
        let (type, start) = (content.lowerBound - 4, content.lowerBound)
        if bytes.has("eXIf", at: type) {
            if blocks.exif == nil { blocks.exif = data.part(content) }
        } else if bytes.has("pHYs", at: type) {
            // The density is per meter, unless the unit is unknown.
            guard density == nil, content.count == 9, bytes[start + 8] == 1 else { return }
            density = ImageMetadata.Resolution(
                bytes.long(at: start).map(Double.init), bytes.long(at: start + 4).map(Double.init), perInch: 0.0254)
        } else if bytes.has("tEXt", at: type) {
            guard let (keyword, end) = keyword(bytes, content) else { return }
            setText(keyword, bytes, end..<content.upperBound)
        } else if bytes.has("iTXt", at: type) {
            guard let (keyword, end) = keyword(bytes, content), bytes.byte(at: end) == 0 else { return }
            // Two compression flags, the language, and the keyword in that language.
            var text = end + 2
            for _ in 0..<2 {
                while text < content.upperBound, bytes[text] != 0 { text += 1 }
                text += 1
            }
            guard text <= content.upperBound else { return }
            if keyword == "XML:com.adobe.xmp" {
                if blocks.xmp == nil { blocks.xmp = data.part(text..<content.upperBound) }
            } else {
                setText(keyword, bytes, text..<content.upperBound)
            }
        }
    }

    /// The keyword of up to 79 bytes at the beginning of a text, and the offset after its NUL.
    private func keyword(_ bytes: Span<UInt8>, _ content: Range<Int>) -> (String, end: Int)? {
        guard let end = content.prefix(80).first(where: { bytes[$0] == 0 }),
            let keyword = String(metadata: bytes.extracting(content.lowerBound..<end))
        else { return nil }
        return (keyword, end + 1)
    }

    private mutating func setText(_ keyword: String, _ bytes: Span<UInt8>, _ text: Range<Int>) {
        guard ["Title", "Author", "Description", "Copyright", "Software"].contains(keyword), texts[keyword] == nil
        else {
            return
        }
        texts[keyword] = String(metadata: bytes.extracting(text))
    }
}

extension ImageMetadata {
    init(_ png: PNGMetadata) {
        self.init(png.blocks, png.blocks.packet)
        fill(\.resolution, png.density)
        fill(\.title, png.texts["Title"])
        fill(\.artist, png.texts["Author"])
        fill(\.caption, png.texts["Description"])
        fill(\.copyright, png.texts["Copyright"])
        fill(\.software, png.texts["Software"])
    }
}
