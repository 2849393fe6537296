public import Foundation

extension ImageMetadata {
    /// Reads the metadata of a file, whether or not there is a decoder for its format.
    ///
    /// EXIF and XMP are read from JPEG, PNG, WebP, TIFF, HEIF, AVIF, and JPEG XL in a container. JPEG also provides
    /// IPTC-IIM, the density, the index of several images, and videos at the end of the file; PNG also provides texts
    /// and the density; BMP provides only the density. Compressed texts of PNG and compressed boxes of JPEG XL aren't
    /// read. All other formats give empty metadata.
    ///
    /// If sources disagree, EXIF takes precedence, then XMP, then IPTC-IIM, then metadata that only one format has, as
    /// the Metadata Working Group recommends (Guidelines for Handling Image Metadata 2.0). The group prefers IPTC-IIM
    /// to XMP if a digest shows that only the former was edited; digests aren't checked here.
    ///
    /// Of damaged metadata, the readable part is returned. A block or a value that is too long is left out. No
    /// pixels are read: the cost is proportional to the size of the metadata and to the number of chunks or boxes of
    /// the file.
    ///
    /// - Throws: ``ImageLoaderError/notAnImage(found:)`` when the format isn't known, and
    ///   ``ImageLoaderError/unsupportedConfiguration(_:)`` when ``DecodeLimits/metadataBytes`` is negative.
    public init(of data: Data, limits: DecodeLimits = DecodeLimits()) throws(ImageLoaderError) {
        try ImageLoaderError.require("limits.metadataBytes", limits.metadataBytes, least: 0)
        guard let metadata = Self(sniffing: data, limits) else {
            throw .notAnImage(found: ContentDescription(of: data).text)
        }
        self = metadata
    }

    /// Like ``init(of:limits:)``, but returns nil if the format isn't known.
    init?(sniffing data: Data, _ limits: DecodeLimits) {
        switch ImageFormat(sniffing: data) {
        case .jpeg?: self.init(JPEGMetadata(data, limits))
        case .png?: self.init(PNGMetadata(data, limits))
        case .webp?: self.init(webP: data, limits)
        case .tiff?: self.init(tiff: data, limits)
        case .heic?, .avif?: self.init(ItemMetadata(data, limits))
        case .jxl?: self.init(jpegXL: data, limits)
        case .bmp?: self.init(bmp: data.span)
        case nil: return nil
        default: self.init()
        }
    }

    private init(_ blocks: MetadataBlocks) { self.init(blocks, blocks.packet) }

    private init(webP data: Data, _ limits: DecodeLimits) {
        var blocks = MetadataBlocks()
        let bytes = data.span
        // The header declares which blocks the file contains.
        let flags = bytes.has("VP8X", at: 12) ? bytes.byte(at: 20) ?? 0 : 0
        var offset = 12
        while flags & 0x0C != 0, let length = bytes.littleLong(at: offset + 4), length <= bytes.count - offset - 8 {
            let content = offset + 8..<offset + 8 + length
            if flags & 0x08 != 0, blocks.exif == nil, bytes.has("EXIF", at: offset), length <= limits.metadataBytes {
                // Some encoders write the marker of JPEG's EXIF segment in front of the block.
                blocks.exif = data.part(content).withoutEXIFMarker
            } else if flags & 0x04 != 0, blocks.xmp == nil, bytes.has("XMP ", at: offset),
                length <= limits.metadataBytes
            {
                blocks.xmp = data.part(content)
            }
            offset = content.upperBound + (length & 1)
        }
        self.init(blocks)
    }

    /// A TIFF has the structure of EXIF itself, and holds the other blocks as fields.
    private init(tiff data: Data, _ limits: DecodeLimits) {
        let bytes = data.span
        var blocks = MetadataBlocks(exif: data)
        func block(_ tag: Int) -> Data? {
            guard let range = TIFFDirectory(firstOf: bytes)?.field(tag, in: bytes)?.range,
                range.count <= limits.metadataBytes
            else { return nil }
            return data.part(range)
        }
        (blocks.xmp, blocks.iptc) = (block(700), block(33_723))
        self.init(blocks)
    }

    private init(jpegXL data: Data, _ limits: DecodeLimits) {
        let bytes = data.span
        var blocks = MetadataBlocks()
        let boxes = MediaBox.boxes(in: bytes, 0..<bytes.count)
        for box in boxes where box.content.count <= limits.metadataBytes {
            if blocks.exif == nil, bytes.has("Exif", at: box.type) {
                blocks.exif = data.part(box.content).withoutEXIFOffset
            } else if blocks.xmp == nil, bytes.has("xml ", at: box.type) {
                blocks.xmp = data.part(box.content)
            }
        }
        self.init(blocks)
        // The codestream has its own orientation.
        orientation = nil
        if boxes.contains(where: { bytes.has("jhgm", at: $0.type) }) { gainMap = .iso }
    }

    /// Reads the density in pixels per meter, which headers of 40 bytes and more contain.
    private init(bmp bytes: Span<UInt8>) {
        self.init()
        guard let length = bytes.littleLong(at: 14), length >= 40 else { return }
        let values = [38, 42].map { offset in bytes.littleLong(at: offset).map { Double(Int32(truncatingIfNeeded: $0)) }
        }
        fill(\.resolution, Resolution(values[0], values[1], perInch: 0.0254))
    }
}

extension Data {
    /// An EXIF block without the marker that precedes it in JPEG segments.
    var withoutEXIFMarker: Data { span.has("Exif\0\0", at: 0) ? dropFirst(6) : self }

    /// An EXIF block without the four bytes before it, which state how many more bytes to skip (ISO/IEC 23008-12, annex
    /// A.2.1). The skipped bytes may be the marker, which some encoders don't count.
    var withoutEXIFOffset: Data? {
        guard let offset = span.long(at: 0), offset <= count - 4 else { return nil }
        return dropFirst(4 + offset).withoutEXIFMarker
    }
}
