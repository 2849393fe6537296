import Alcedo
import AlcedoTestSupport
import Foundation
import Testing

@testable import AlcedoTool

/// The metadata of a picture in the output of `alcedo probe`.
@Suite(.timeLimit(.minutes(1))) struct ProbeMetadataTests {
    private func metadata() -> ImageMetadata {
        var metadata = ImageMetadata()
        (metadata.camera.make, metadata.camera.model, metadata.lens.model) = ("Works", "AW-1", "35 mm")
        metadata.exposure.time = 0.004
        metadata.exposure.fNumber = 1.8
        metadata.exposure.iso = 100
        metadata.exposure.compensation = -2.0 / 3
        metadata.exposure.focalLength = 35
        metadata.exposure.focalLengthOn35mmFilm = 52
        metadata.exposure.flash = 16
        metadata.location = ImageMetadata.Location(latitude: -33.505, longitude: 151.25)
        metadata.location?.altitude = 12.5
        metadata.location?.direction = 123
        metadata.location?.date = Date(timeIntervalSince1970: 1_625_728_211)
        metadata.resolution = ImageMetadata.Resolution(horizontal: 300, vertical: 150.5)
        metadata.caption = "A bird"
        metadata.pictureCount = 2
        metadata.gainMap = .adobe
        metadata.hasDepthMap = true
        metadata.motionPhotoVideo = 100..<2_100
        return metadata
    }

    private func rows(_ metadata: ImageMetadata) -> [String] {
        ProbeMetadata(metadata)?.rows.compactMap { label, text in text.map { "\(label): \($0)" } } ?? []
    }

    @Test func everything_isPrinted() {
        #expect(
            rows(metadata()) == [
                "camera: Works AW-1", "lens: 35 mm",
                "exposure: 1/250 s, f/1.8, ISO 100, -0.67 EV, 35 mm, as 52 mm on 35 mm film, no flash",
                "location: -33.505, 151.25, 12.5 m, towards 123°, at 2021-07-08T07:10:11Z",
                "resolution: 300 × 150.5 pixels per inch", "caption: A bird",
                "contains: 2 images, gain map (adobe), depth map, video of 2 KB at byte 100",
            ])
    }

    @Test func nothing_isNotPrinted() {
        var metadata = ImageMetadata()
        #expect(ProbeMetadata(metadata) == nil)
        metadata.orientation = .right
        #expect(ProbeMetadata(metadata) == nil)
        (metadata.camera.make, metadata.camera.model) = ("WORKS", "Works AW-1")
        metadata.exposure.time = 2
        metadata.exposure.compensation = 1
        metadata.resolution = ImageMetadata.Resolution(horizontal: 72, vertical: 72)
        #expect(rows(metadata) == ["camera: Works AW-1", "exposure: 2 s, +1 EV", "resolution: 72 pixels per inch"])
    }

    /// A file with an EXIF block of one field, the image description.
    private func jpeg(_ caption: String) throws -> Data {
        let text = Array(caption.utf8) + [0]
        let head: [UInt8] = Array("MM".utf8) + [0, 42, 0, 0, 0, 8, 0, 1, 1, 0x0E, 0, 2, 0, 0, 0, UInt8(text.count)]
        let exif = Array("Exif\0\0".utf8) + head + [0, 0, 0, 26, 0, 0, 0, 0] + text
        let jpeg = try Pictures.jpeg(8, 6)
        return jpeg.prefix(2) + Data([0xFF, 0xE1, 0, UInt8(exif.count + 2)] + exif) + jpeg.dropFirst(2)
    }

    @Test func textsOfTheFile_cantControlTheTerminal_orShowSecrets() async throws {
        let file = try jpeg("\u{1B}[2Jbird\nfreshness \u{202E}http://me:pw@host/")
        let fixture = try LoadFixture { _ in .bytes(file) }
        #expect(try await fixture.probe(fixture.url("/a.jpg")) == 0)
        let line = try #require(fixture.outputLines.first { $0.hasPrefix("  caption") })
        #expect(line.contains("bird") && line.contains("http://***@host/") && !line.contains("pw"))
        #expect(!line.unicodeScalars.contains { $0 == "\u{1B}" || $0 == "\u{202E}" })
        #expect(fixture.outputLines.count { $0.hasPrefix("  freshness") } == 1)
    }

    @Test func json_hasAnObject() async throws {
        struct Probe: Decodable {
            struct Metadata: Decodable {
                let caption: String?
                let pictures: Int?
            }
            let metadata: Metadata?
        }
        let file = try jpeg("a\u{9B}2Jbird")
        let plain = try Pictures.png()
        let fixture = try LoadFixture { request in .bytes(request.path == "/a.jpg" ? file : plain) }
        #expect(try await fixture.probe([fixture.url("/a.jpg"), fixture.url("/b.png"), "--json"]) == 0)
        let output = fixture.console.output
        #expect(!output.unicodeScalars.contains("\u{9B}"))
        let probes = try JSONDecoder().decode([Probe].self, from: Data(output.utf8))
        #expect(probes.first?.metadata?.caption == "a\u{9B}2Jbird" && probes.first?.metadata?.pictures == nil)
        #expect(probes.count == 2 && probes.last?.metadata == nil)
    }
}
