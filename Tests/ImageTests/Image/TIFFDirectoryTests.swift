import Foundation
import Testing

@testable import Alcedo
@testable import TestFixtures

@Suite(.timeLimit(.minutes(1))) struct TIFFDirectoryTests {
    private func metadata(_ exif: [UInt8]) -> ImageMetadata {
        var metadata = ImageMetadata()
        metadata.fill(exif: ContiguousArray(exif).span)
        return metadata
    }

    @Test(arguments: [true, false]) func allFields_areRead(_ isLittleEndian: Bool) {
        let found = metadata(TIFFFixture.photo(isLittleEndian: isLittleEndian).bytes)
        var expected = ImageMetadata()
        expected.orientation = .right
        expected.captureDate = ImageMetadata.CaptureDate("2021:07:08 09:10:11", fraction: "045", zone: "+02:00")
        (expected.camera.make, expected.camera.model) = ("Works", "AW-1")
        (expected.lens.make, expected.lens.model) = ("Lenses", "35 mm")
        expected.exposure.time = 1.0 / 250
        expected.exposure.fNumber = 1.8
        expected.exposure.iso = 100
        expected.exposure.compensation = -2.0 / 3
        expected.exposure.focalLength = 35
        expected.exposure.focalLengthOn35mmFilm = 52
        expected.exposure.flash = 17
        expected.location = ImageMetadata.Location(latitude: -33.505, longitude: -151.25)
        expected.location?.altitude = -12.5
        expected.location?.direction = 123.5
        // 2021-07-08, 07:10:11.5 UTC.
        expected.location?.date = Date(timeIntervalSince1970: 1_625_728_211.5)
        expected.resolution = ImageMetadata.Resolution(horizontal: 300, vertical: 150)
        (expected.caption, expected.artist, expected.copyright) = ("Ein Vogel – Größe", "Ada", "CC0")
        expected.software = "1.0"
        #expect(found == expected)
        #expect(found.exposure.flashFired == true)
    }

    @Test func centimetres_areConverted_andRatiosIgnored() {
        func resolution(_ unit: Int?, _ height: (Int, Int) = (200, 1)) -> ImageMetadata.Resolution? {
            var fields: [Int: TIFFFixture.Value] = [0x011A: .fractions([(100, 1)]), 0x011B: .fractions([height])]
            if let unit { fields[0x0128] = .words([unit]) }
            return metadata(TIFFFixture(fields: fields).bytes).resolution
        }
        #expect(resolution(3) == ImageMetadata.Resolution(horizontal: 254, vertical: 508))
        #expect(resolution(nil) == ImageMetadata.Resolution(horizontal: 100, vertical: 200))
        #expect(resolution(1) == nil && resolution(2, (1, 0)) == nil && resolution(2, (0, 1)) == nil)
    }

    @Test func wrongPlaces_areNone() {
        func place(_ change: (inout [Int: TIFFFixture.Value]) -> Void) -> ImageMetadata.Location? {
            var place: [Int: TIFFFixture.Value] = [
                1: .text("N"), 2: .fractions([(1, 1), (0, 1), (0, 1)]), 3: .text("E"),
                4: .fractions([(2, 1), (0, 1), (0, 1)]),
            ]
            change(&place)
            return metadata(TIFFFixture(fields: [0x8825: .directory(place)]).bytes).location
        }
        #expect(place { _ in } == ImageMetadata.Location(latitude: 1, longitude: 2))
        #expect(place { $0[2] = .fractions([(1, 0), (0, 1), (0, 1)]) } == nil)
        #expect(place { $0[2] = .fractions([(91, 1), (0, 1), (0, 1)]) } == nil)
        #expect(place { $0[4] = .fractions([(180, 1), (1, 1), (0, 1)]) } == nil)
        #expect(place { $0[2] = .fractions([(1, 1), (0, 1)]) } == nil)
        #expect(place { $0[1] = nil } == nil && place { $0[3] = .text("X") } == nil && place { $0[4] = nil } == nil)
    }

    @Test func texts_areTrimmed_andInAnyEncoding() {
        func caption(_ bytes: [UInt8]) -> String? {
            metadata(TIFFFixture(fields: [0x010E: .bytes(bytes)]).bytes).caption
        }
        #expect(caption(Array("  A bird\0and more".utf8)) == "A bird")
        #expect(caption([0x47, 0x72, 0xF6, 0xDF, 0x65]) == "Größe")
        #expect(caption(Array("   \0\0".utf8)) == nil && caption([]) == nil)
        #expect(caption([UInt8](repeating: 0x41, count: 1 << 16))?.count == 1 << 16)
        #expect(caption([UInt8](repeating: 0x41, count: 1 << 16 + 1)) == nil)
    }

    @Test func largeSensitivity_isInAnotherField() {
        func iso(_ fields: [Int: TIFFFixture.Value]) -> Int? {
            metadata(TIFFFixture(fields: [0x8769: .directory(fields)]).bytes).exposure.iso
        }
        #expect(iso([0x8827: .words([0xFFFF]), 0x8833: .longs([102_400])]) == 102_400)
        #expect(iso([0x8827: .words([0xFFFF])]) == 0xFFFF && iso([0x8833: .longs([102_400])]) == nil)
    }

    // MARK: Damage

    /// A field that names the directory that it is in, or one around it.
    @Test func loops_end() {
        for tag: UInt8 in [0x69, 0x25] {
            var bytes = TIFFFixture(fields: [0x010F: .text("Works"), 0x8700: .longs([8])]).bytes
            bytes[22] = tag
            bytes[23] = tag == 0x69 ? 0x87 : 0x88
            #expect(metadata(bytes).camera.make == "Works")
        }
    }

    @Test func hugeCounts_areNotBelieved() {
        for type: UInt8 in 0...255 {
            var bytes = TIFFFixture(fields: [0x010F: .text("Works"), 0x0110: .text("AW-1")]).bytes
            bytes[12] = type
            bytes.replaceSubrange(14..<18, with: [255, 255, 255, 255])
            let found = metadata(bytes)
            #expect(found.camera.make == nil && found.camera.model == "AW-1")
        }
    }

    /// Each of the fields that are looked for costs a search.
    @Test func manyEntries_takeBoundedTime() {
        var bytes = Array("II*\0".utf8) + [8, 0, 0, 0, 255, 255]
        for _ in 0..<0xFFFF { bytes += [1, 0, 3, 0, 1, 0, 0, 0, 0, 0, 0, 0] }
        for _ in 0..<50 { #expect(metadata(bytes) == ImageMetadata()) }
    }
}
