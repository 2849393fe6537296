import Foundation

/// Small files of all formats with metadata.
enum MetadataFixture {
    static let exif = TIFFFixture.photo().bytes
    static let xmp = XMPFixture.packet("<dc:title>Bird</dc:title><dc:rights>none</dc:rights>")
    /// An author, a caption and a title.
    static let iptc: [UInt8] = [(80, "Ida"), (120, "Caption"), (5, "Name")].flatMap { number, text in
        [0x1C, 2, UInt8(number), 0, UInt8(text.utf8.count)] + Array(text.utf8)
    }
    /// The beginning of a video.
    static let video: [UInt8] = [0, 0, 0, 16] + Array("ftypisom".utf8) + [0, 0, 0, 1]

    /// A JPEG with these segments, given as markers and contents, before its tables.
    static func jpeg(_ segments: (UInt8, [UInt8])...) -> Data {
        var file = JPEGFixture()
        file.segments = segments.flatMap { JPEGFixture.segment($0, $1) }
        return file.data
    }

    static func exifSegment(_ exif: [UInt8] = exif) -> (UInt8, [UInt8]) { (0xE1, Array("Exif\0\0".utf8) + exif) }

    static func xmpSegment(_ xmp: [UInt8] = xmp) -> (UInt8, [UInt8]) {
        (0xE1, Array("http://ns.adobe.com/xap/1.0/\0".utf8) + xmp)
    }

    static func iptcSegment(_ iptc: [UInt8] = iptc) -> (UInt8, [UInt8]) {
        // A resource with an odd length and a name, followed by the resource of the records.
        let others: [UInt8] = Array("8BIM".utf8) + [4, 0x25, 2, 0x61, 0x62, 0, 0, 0, 0, 1, 9, 0]
        let head: [UInt8] = Array("8BIM".utf8) + [4, 4, 0, 0] + PNGFixture.long(iptc.count)
        return (0xED, Array("Photoshop 3.0\0".utf8) + others + head + iptc)
    }

    /// A part of XMP that doesn't fit into one segment.
    static func extendedSegment(_ digest: String, at offset: Int, _ part: [UInt8]) -> (UInt8, [UInt8]) {
        let head = Array("http://ns.adobe.com/xmp/extension/\0".utf8) + Array(digest.utf8)
        return (0xE1, head + PNGFixture.long(9) + PNGFixture.long(offset) + part)
    }

    /// A JPEG that begins with an index of itself and of the images that follow it.
    static func several(_ others: Data..., segments: (UInt8, [UInt8])...) -> Data {
        let rest = segments.flatMap { JPEGFixture.segment($0, $1) }
        func file(_ offsets: [Int]) -> Data {
            let entries =
                [[UInt8](repeating: 0, count: 16)]
                + zip(offsets, others).map { offset, other in
                    [0, 0, 0, 0] + PNGFixture.long(other.count) + PNGFixture.long(offset) + [0, 0, 0, 0]
                }
            let index = TIFFFixture(fields: [0xB002: .bytes(entries.flatMap { $0 })], isLittleEndian: false).bytes
            var file = JPEGFixture()
            file.segments = JPEGFixture.segment(0xE2, Array("MPF\0".utf8) + index) + rest
            return file.data
        }
        var offsets: [Int] = []
        // Offsets count from the index, which begins ten bytes after the start of the file.
        var end = file(others.map { _ in 0 }).count - 10
        for other in others {
            offsets.append(end)
            end += other.count
        }
        return others.reduce(file(offsets), +)
    }

    static func png(_ chunks: (String, [UInt8])..., after: (String, [UInt8])...) -> Data {
        var file = PNGFixture.unfiltered(2, 2)
        (file.chunksBeforePixels, file.chunksAfterPixels) = (chunks, after)
        return file.data
    }

    static func webP(flags: WebPFixture.Flags, _ chunks: (String, [UInt8])...) -> Data {
        WebPFixture.file(WebPFixture.head(2, 2, flags), chunks.flatMap { WebPFixture.chunk($0, $1) })
    }

    static func box(_ type: String, _ content: [UInt8]) -> [UInt8] {
        PNGFixture.long(content.count + 8) + Array(type.utf8) + content
    }

    /// The boxes of a HEIF without an image, with EXIF in the file, in two pieces, and XMP inside the metadata.
    static func heif(brand: String = "heic", properties: [UInt8] = [], after: [UInt8] = []) -> Data {
        let start = box("ftyp", Array(brand.utf8) + [0, 0, 0, 0] + Array("mif1".utf8))
        let block: [UInt8] = [0, 0, 0, 6] + Array("Exif\0\0".utf8) + exif
        func meta(at offset: Int) -> [UInt8] {
            func item(_ number: UInt8, _ type: String, _ name: String) -> [UInt8] {
                box("infe", [2, 0, 0, 0, 0, number, 0, 0] + Array(type.utf8) + Array(name.utf8))
            }
            let items: [UInt8] =
                [0, 0, 0, 0, 0, 3] + item(1, "hvc1", "\0") + item(2, "Exif", "\0")
                + item(3, "mime", "\0application/rdf+xml\0")
            let pieces = [0, 20, 20, block.count - 20].flatMap(PNGFixture.long)
            var locations: [UInt8] = [1, 0, 0, 0, 0x44, 0x40, 0, 3]
            locations += [0, 1, 0, 0, 0, 0] + PNGFixture.long(0) + [0, 0]
            locations += [0, 2, 0, 0, 0, 0] + PNGFixture.long(offset) + [0, 2] + pieces
            locations += [0, 3, 0, 1, 0, 0] + PNGFixture.long(0) + [0, 1]
            locations += PNGFixture.long(0) + PNGFixture.long(xmp.count)
            return box(
                "meta",
                [0, 0, 0, 0] + box("iinf", items) + box("iloc", locations) + box("iprp", box("ipco", properties))
                    + box("idat", xmp))
        }
        let head = start.count + meta(at: 0).count
        return Data(start + meta(at: head + 8) + box("mdat", block) + after)
    }

    static func jpegXL(_ boxes: [UInt8]...) -> Data {
        Data(box("JXL ", [13, 10, 0x87, 10]) + box("ftyp", Array("jxl \0\0\0\0jxl ".utf8)) + boxes.joined())
    }

    /// One file of each format, with all the metadata that is read from it.
    static let all: [Data] = [
        several(jpeg(xmpSegment()), segments: exifSegment(), xmpSegment(), iptcSegment()) + video,
        png(
            ("eXIf", exif), ("iTXt", Array("XML:com.adobe.xmp\0\0\0\0\0".utf8) + xmp),
            ("pHYs", [0, 0, 1, 0, 0, 0, 1, 0, 1])),
        webP(flags: [.exif, .xmp], ("EXIF", exif), ("XMP ", xmp)), Data(exif), heif(),
        jpegXL(box("Exif", [0, 0, 0, 0] + exif), box("xml ", xmp)),
    ]
}
