import Foundation
import Testing

@testable import Alcedo
@testable import TestFixtures

@Suite(.timeLimit(.minutes(1))) struct ImageMetadataTests {
    private typealias Fixture = MetadataFixture

    /// Of EXIF, with what only XMP says.
    private func expected(hasOrientation: Bool = true) -> ImageMetadata {
        let exif = ContiguousArray(Fixture.exif)
        var expected = ImageMetadata()
        expected.fill(exif: exif.span)
        expected.title = "Bird"
        if !hasOrientation { expected.orientation = nil }
        return expected
    }

    @Test func everyFormat_hasEXIFAndXMP() throws {
        let (exif, xmp) = (Fixture.exif, Fixture.xmp)
        #expect(try ImageMetadata(of: Fixture.jpeg(Fixture.exifSegment(), Fixture.xmpSegment())) == expected())
        let packet = Array("XML:com.adobe.xmp\0\0\0en\0\0".utf8) + xmp
        #expect(try ImageMetadata(of: Fixture.png(("eXIf", exif), ("iTXt", packet))) == expected())
        #expect(try ImageMetadata(of: Fixture.png(after: ("iTXt", packet), ("eXIf", exif))) == expected())
        #expect(
            try ImageMetadata(of: Fixture.webP(flags: [.exif, .xmp], ("XMP ", xmp), ("EXIF", exif))) == expected())
        var tiff = TIFFFixture.photo(isLittleEndian: false)
        tiff.fields[700] = .bytes(xmp)
        #expect(try ImageMetadata(of: Data(tiff.bytes)) == expected())
        for brand in ["heic", "avif"] {
            #expect(try ImageMetadata(of: Fixture.heif(brand: brand)) == expected(hasOrientation: false))
        }
        for block in [[0, 0, 0, 1, 9] + exif, [0, 0, 0, 0] + Array("Exif\0\0".utf8) + exif] {
            let boxes = Fixture.box("xml ", xmp) + Fixture.box("Exif", block)
            #expect(try ImageMetadata(of: Fixture.jpegXL(boxes)) == expected(hasOrientation: false))
        }
    }

    @Test func slices_areRead() throws {
        for file in Fixture.all {
            let slice = (Data([1, 2, 3]) + file).dropFirst(3)
            #expect(try ImageMetadata(of: slice) == ImageMetadata(of: file))
        }
    }

    @Test func otherFormats_sayNothing_andOtherBytesAreNoImage() throws {
        #expect(try ImageMetadata(of: Data("GIF89a".utf8)) == ImageMetadata())
        #expect(try ImageMetadata(of: Data([0xFF, 0xD8, 0xFF])) == ImageMetadata())
        #expect(throws: ImageLoaderError.notAnImage(found: "plain text")) { try ImageMetadata(of: Data("text".utf8)) }
        var limits = DecodeLimits()
        limits.metadataBytes = -1
        #expect(throws: ImageLoaderError.unsupportedConfiguration("limits.metadataBytes is -1, and must be at least 0"))
        {
            try ImageMetadata(of: Fixture.jpeg(), limits: limits)
        }
    }

    @Test func longBlocks_areLeftOut() throws {
        var limits = DecodeLimits()
        for file in Fixture.all {
            limits.metadataBytes = 5_000
            #expect(try ImageMetadata(of: file, limits: limits) == ImageMetadata(of: file))
            limits.metadataBytes = Fixture.xmp.count - 1
            #expect(try ImageMetadata(of: file, limits: limits).title != "Bird")
            limits.metadataBytes = 0
            // A TIFF is no block.
            let isTIFF = ImageFormat(sniffing: file) == .tiff
            #expect(try (ImageMetadata(of: file, limits: limits).camera.make == nil) == !isTIFF)
        }
    }

    // MARK: Precedence

    @Test func exifCounts_thenXMP_thenIPTC() throws {
        func found(_ segments: (UInt8, [UInt8])...) throws -> [String?] {
            var file = JPEGFixture()
            file.segments = segments.flatMap { JPEGFixture.segment($0, $1) }
            let found = try ImageMetadata(of: file.data)
            return [found.artist, found.caption, found.title, found.copyright]
        }
        let exif = Fixture.exifSegment(TIFFFixture(fields: [0x013B: .text("Ada"), 0x010E: .text(" ")]).bytes)
        let xmp = Fixture.xmpSegment(
            XMPFixture.packet(
                """
                <dc:creator><rdf:Seq><rdf:li>Bob</rdf:li></rdf:Seq></dc:creator>
                <dc:description>Description</dc:description><dc:rights>none</dc:rights>
                """))
        #expect(try found(Fixture.iptcSegment(), xmp, exif) == ["Ada", "Description", "Name", "none"])
        #expect(try found(Fixture.iptcSegment(), xmp) == ["Bob", "Description", "Name", "none"])
        #expect(try found(Fixture.iptcSegment()) == ["Ida", "Caption", "Name", nil])
        #expect(try found(exif, Fixture.exifSegment()) == ["Ada", nil, nil, nil])
    }

    @Test func densities_andTexts_comeLast() throws {
        let texts = [("Title", "T"), ("Author", "A"), ("Description", "D"), ("Copyright", "C"), ("Software", "S")]
        var file = PNGFixture.unfiltered(2, 2)
        file.chunksBeforePixels = texts.map { ("tEXt", Array("\($0)\0\($1)".utf8)) }
        file.chunksBeforePixels += [
            ("pHYs", PNGFixture.long(10_000) + PNGFixture.long(5_000) + [1]), ("tEXt", Array("Title\0second".utf8)),
            ("iTXt", Array("Comment\0\0\0\0\0unknown".utf8)), ("iTXt", Array("Title\0\u{1}\0\0\0packed".utf8)),
        ]
        let found = try ImageMetadata(of: file.data)
        #expect(
            [found.title, found.artist, found.caption, found.copyright, found.software] == ["T", "A", "D", "C", "S"])
        #expect(found.resolution == ImageMetadata.Resolution(horizontal: 254, vertical: 127))
        file.chunksBeforePixels.append(("eXIf", Fixture.exif))
        let both = try ImageMetadata(of: file.data)
        #expect(both.artist == "Ada" && both.resolution?.horizontal == 300 && both.title == "T")
        for (unit, resolution) in [(0, nil), (1, 72), (2, 72 * 2.54)] as [(UInt8, Double?)] {
            let head = Array("JFIF\0".utf8) + [1, 1, unit, 0, 72, 0, 72, 0, 0]
            #expect(try ImageMetadata(of: Fixture.jpeg((0xE0, head))).resolution?.vertical == resolution)
        }
    }

    @Test func blocksOfWebP_areDeclaredByItsHead() throws {
        let found = try ImageMetadata(
            of: Fixture.webP(flags: .xmp, ("EXIF", Fixture.exif), ("XMP ", Fixture.xmp)))
        #expect(found.orientation == nil && found.title == "Bird")
        let marked = Array("Exif\0\0".utf8) + Fixture.exif
        #expect(try ImageMetadata(of: Fixture.webP(flags: .exif, ("EXIF", marked))).orientation == .right)
    }

    // MARK: Extended XMP

    @Test func extendedXMP_isJoinedInItsOrder() throws {
        let digest = String(repeating: "A", count: 32)
        let main = XMPFixture.packet(attributes: "xmpNote:HasExtendedXMP='\(digest)'", "<dc:title>Bird</dc:title>")
        let more = XMPFixture.packet("<dc:title>no</dc:title><dc:rights>none</dc:rights>")
        func rights(_ parts: (UInt8, [UInt8])...) throws -> String? {
            var file = JPEGFixture()
            file.segments = ([Fixture.xmpSegment(main)] + parts).flatMap { JPEGFixture.segment($0, $1) }
            let found = try ImageMetadata(of: file.data)
            #expect(found.title == "Bird")
            return found.copyright
        }
        let (first, second) = (Array(more.prefix(100)), Array(more.dropFirst(100)))
        let start = Fixture.extendedSegment(digest, at: 0, first)
        #expect(try rights(start, Fixture.extendedSegment(digest, at: 100, second)) == "none")
        #expect(try rights(Fixture.extendedSegment(digest, at: 100, second), start) == "none")
        #expect(try rights(start) == nil)
        #expect(try rights(start, Fixture.extendedSegment(digest, at: 99, second)) == nil)
        let other = String(repeating: "B", count: 32)
        #expect(try rights(start, Fixture.extendedSegment(other, at: 100, second)) == nil)
    }

    // MARK: What else a file holds

    @Test func pictures_areCountedIfTheyAreThere() throws {
        let other = Fixture.jpeg()
        let file = Fixture.several(other, other, segments: Fixture.exifSegment())
        #expect(try ImageMetadata(of: file).pictureCount == 3)
        #expect(try ImageMetadata(of: file.dropLast()).pictureCount == 2)
        #expect(try ImageMetadata(of: file.dropLast(other.count + 1)).pictureCount == 1)
        #expect(try ImageMetadata(of: Fixture.several(Data("no picture".utf8))).pictureCount == 1)
    }

    @Test func gainMaps_areRecognized() throws {
        let adobe = Fixture.xmpSegment(XMPFixture.packet(attributes: "hdrgm:Version='1.0'"))
        let iso: (UInt8, [UInt8]) = (0xE2, Array("urn:iso:std:iso:ts:21496:-1\0\0\0\0\0".utf8))
        let kind = "urn:com:apple:photo:2020:aux:hdrgainmap"
        let apple = Fixture.xmpSegment(XMPFixture.packet(attributes: "apdi:AuxiliaryImageType='\(kind)'"))
        let other = Fixture.jpeg()
        #expect(try ImageMetadata(of: Fixture.several(other, segments: adobe)).gainMap == .adobe)
        #expect(try ImageMetadata(of: Fixture.several(other, segments: adobe, iso)).gainMap == .iso)
        #expect(try ImageMetadata(of: Fixture.several(other, Fixture.jpeg(apple))).gainMap == .apple)
        #expect(try ImageMetadata(of: Fixture.jpeg(adobe)).gainMap == nil)
        #expect(try ImageMetadata(of: Fixture.several(other, segments: apple)).gainMap == nil)
        let property = Fixture.box("auxC", [0, 0, 0, 0] + Array(kind.utf8) + [0])
        #expect(try ImageMetadata(of: Fixture.heif(properties: property)).gainMap == .apple)
        #expect(try ImageMetadata(of: Fixture.jpegXL(Fixture.box("jhgm", [0]))).gainMap == .iso)
    }

    @Test func depthMaps_areRecognized() throws {
        let google = Fixture.xmpSegment(XMPFixture.packet(attributes: "GDepth:Mime='image/png'"))
        let apple = Fixture.xmpSegment(XMPFixture.packet(attributes: "apdi:AuxiliaryImageType='disparity'"))
        #expect(try ImageMetadata(of: Fixture.jpeg(google)).hasDepthMap)
        #expect(try ImageMetadata(of: Fixture.several(Fixture.jpeg(apple))).hasDepthMap)
        #expect(try !ImageMetadata(of: Fixture.jpeg(apple)).hasDepthMap)
        for kind in ["urn:mpeg:hevc:2015:auxid:2", "urn:mpeg:mpegB:cicp:systems:auxiliary:depth"] {
            let property = Fixture.box("auxC", [0, 0, 0, 0] + Array(kind.utf8) + [0])
            #expect(try ImageMetadata(of: Fixture.heif(properties: property)).hasDepthMap)
        }
    }

    @Test func videosOfMotionPhotos_areFound() throws {
        let video = Fixture.video
        func found(_ file: Data, _ rest: [UInt8]) throws -> Range<Int>? {
            let found = try ImageMetadata(of: file + rest).motionPhotoVideo
            #expect(try ImageMetadata(of: file + rest.map { _ in 0 }).motionPhotoVideo == nil)
            return found.map { $0.lowerBound - file.count..<$0.upperBound - file.count }
        }
        func parts(_ items: String...) -> Data {
            let items = items.map { "<rdf:li><C:Item Item:Semantic=\($0)/></rdf:li>" }.joined()
            let directory = "<C:Directory><rdf:Seq>\(items)</rdf:Seq></C:Directory>"
            return Fixture.jpeg(Fixture.xmpSegment(XMPFixture.packet(directory)))
        }
        let item = "'MotionPhoto' Item:Length='16'"
        #expect(try found(parts("'Primary'", item), video) == 0..<16)
        #expect(try found(parts("'Primary'", item, "'GainMap' Item:Length='3'"), video + [1, 2, 3]) == 0..<16)
        #expect(try found(parts("'Primary'", item + " Item:Padding='2'"), video + [1, 2]) == 0..<16)
        #expect(try found(parts("'Primary'", "'MotionPhoto' Item:Length='99999999'"), video) == nil)
        let old = Fixture.xmpSegment(XMPFixture.packet(attributes: "G:MicroVideoOffset='16'"))
        // Another prefix than the usual one.
        #expect(try found(Fixture.jpeg(old), video) == 0..<16)
        let name = Array("MotionPhoto_Data".utf8)
        let part: [UInt8] = [0, 0, 0x30, 10, 16, 0, 0, 0] + name + video
        let directory: [UInt8] =
            Array("SEFH".utf8) + [1, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0x30, 10, 40, 0, 0, 0, 40, 0, 0, 0]
        let end = directory + [24, 0, 0, 0] + Array("SEFT".utf8)
        #expect(try found(Fixture.jpeg(), part + end) == 24..<40)
        #expect(try found(Fixture.heif(), Fixture.box("mpvd", video)) == 8..<24)
    }
}
