import AlcedoTestSupport
import Foundation
import Testing

@testable import Alcedo
@testable import TestFixtures

/// Damaged metadata gives what can be read: never an error, a trap, or much work.
@Suite(.timeLimit(.minutes(1))) struct MetadataDamageTests {
    /// Only the first bytes decide whether it is an image.
    private func read(_ file: Data) throws {
        guard ImageFormat(sniffing: file) != nil else { return }
        _ = try ImageMetadata(of: file)
    }

    /// One byte of so many is changed.
    private let everyByte = Fuzz.isLong ? 1 : 12
    /// One length of so many is tried.
    private let everyLength = Fuzz.isLong ? 1 : 4

    @Test(arguments: MetadataFixture.all.indices) func anyByteMayBeWrong(_ index: Int) throws {
        let file = MetadataFixture.all[index]
        for place in stride(from: index % everyByte, to: file.count, by: everyByte) {
            for value in [file[place] ^ 1, file[place] ^ 0xFF] {
                var file = file
                file[place] = value
                try read(file)
            }
        }
    }

    @Test(arguments: MetadataFixture.all.indices) func filesMayEndAnywhere(_ index: Int) throws {
        let file = MetadataFixture.all[index]
        for count in stride(from: index % everyLength, to: file.count, by: everyLength) {
            try read(file.prefix(count))
        }
    }

    @Test func manyBytesMayBeWrong() throws {
        var random = SeededRandom(seed: Fuzz.seed)
        for step in 0..<Fuzz.steps {
            var file = MetadataFixture.all[step % MetadataFixture.all.count]
            for _ in 0..<Int.random(in: 1...20, using: &random) {
                let place = Int.random(in: file.indices, using: &random)
                file[place] = [0, 1, 255, UInt8.random(in: 0...255, using: &random)].randomElement(using: &random) ?? 0
            }
            try read(file)
        }
    }

    @Test func manySegmentsChunksAndBoxes_takeBoundedTime() throws {
        let digest = String(repeating: "A", count: 32)
        let main = XMPFixture.packet(attributes: "xmpNote:HasExtendedXMP='\(digest)'")
        var file = JPEGFixture()
        file.segments = JPEGFixture.segment(0xE1, MetadataFixture.xmpSegment(main).1)
        let part = MetadataFixture.extendedSegment(digest, at: 0, [])
        file.segments += Array(repeating: JPEGFixture.segment(part.0, part.1), count: 5_000).joined()
        #expect(try ImageMetadata(of: file.data) == ImageMetadata())
        var png = PNGFixture.unfiltered(2, 2)
        png.chunksBeforePixels = Array(repeating: ("tEXt", Array("Title\0".utf8)), count: 5_000)
        #expect(try ImageMetadata(of: png.data) == ImageMetadata())
        let boxes = Array(repeating: MetadataFixture.box("free", []), count: 100_000).flatMap { $0 }
        #expect(try ImageMetadata(of: MetadataFixture.jpegXL(boxes)) == ImageMetadata())
        #expect(try ImageMetadata(of: MetadataFixture.heif(properties: boxes)).title == "Bird")
    }

    /// Each entry of the index names the whole file.
    @Test func picturesThatOverlap_takeBoundedTime() throws {
        let head = MetadataFixture.jpeg(MetadataFixture.xmpSegment()) + Data(repeating: 0, count: 1 << 20)
        let entries = (0..<4_000).flatMap { _ in
            [0, 0, 0, 0] + PNGFixture.long(head.count) + PNGFixture.long(0x1_0000) + [0, 0, 0, 0] as [UInt8]
        }
        let index = TIFFFixture(fields: [0xB002: .bytes(Array(entries.prefix(64_000)))], isLittleEndian: false).bytes
        var file = JPEGFixture()
        file.segments = JPEGFixture.segment(0xE2, Array("MPF\0".utf8) + index)
        let start = file.data + Data(repeating: 0, count: 0x1_0000 + 10 - file.data.count)
        #expect(try ImageMetadata(of: start + head).pictureCount == 32)
    }

    /// Items that claim as many pieces as can be written, of no size.
    @Test func emptyLocations_takeBoundedTime() throws {
        for sizes in [[0, 0], [0x44, 0x40]] as [[UInt8]] {
            let item: [UInt8] = [0, 1, 0, 0, 0xFF, 0xFF]
            let locations = [0, 0, 0, 0] + sizes + [0xFF, 0xFF] + Array(repeating: item, count: 0xFFFF).flatMap { $0 }
            let items: [UInt8] = Array(
                repeating: MetadataFixture.box("infe", [2, 0, 0, 0, 0, 2, 0, 0, 69, 120, 105, 102, 0]), count: 50
            ).flatMap { $0 }
            let meta = MetadataFixture.box(
                "meta",
                [0, 0, 0, 0] + MetadataFixture.box("iinf", [0, 0, 0, 0, 0, 50] + items)
                    + MetadataFixture.box("iloc", locations))
            let start = MetadataFixture.box("ftyp", Array("heic\0\0\0\0mif1".utf8))
            #expect(try ImageMetadata(of: Data(start + meta)) == ImageMetadata())
        }
    }

    @Test func recordsOfIPTC_endWhereTheyAreDamaged() {
        func title(_ bytes: [UInt8]) -> String? {
            var metadata = ImageMetadata()
            metadata.fill(iptc: ContiguousArray(bytes).span)
            return metadata.title
        }
        #expect(title([0x1C, 2, 5, 0, 1, 0x61]) == "a")
        #expect(title([0x1C, 2, 5, 0, 2, 0x61]) == nil && title([0x1C, 2, 5, 0x80, 1, 0x61]) == nil)
        #expect(title([0x1D, 2, 5, 0, 1, 0x61]) == nil && title([0x1C, 2, 5]) == nil && title([]) == nil)
        let authors = Array(repeating: [0x1C, 2, 80, 0, 1, 0x61] as [UInt8], count: 20_000).flatMap { $0 }
        var metadata = ImageMetadata()
        metadata.fill(iptc: ContiguousArray(authors).span)
        #expect(metadata.artist?.count == 20 * 3 - 2)
    }
}
