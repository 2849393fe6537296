#if os(Linux) && JPEG && PNG && WebP && AVIF
import AlcedoTestSupport
import Foundation
import Testing

@testable import Alcedo
@testable import TestFixtures

/// Metadata that encoders write, as it is read again.
@Suite(.timeLimit(.minutes(1))) struct MetadataEncodingTests {
    static let encoders: [any MetadataEncoding] = [
        JPEGEncoder(), PNGEncoder(), WebPEncoder(), WebPEncoder(.lossless), AVIFEncoder(speed: 10),
    ]

    private static let full: ImageMetadata = {
        var metadata = ImageMetadata()
        metadata.captureDate = .init("2021:07:08 09:10:11", fraction: "25", zone: "-03:30")
        (metadata.camera.make, metadata.camera.model) = ("Cámara", "X-1")
        (metadata.lens.make, metadata.lens.model) = ("Linse", "24-70mm f/2.8")
        metadata.exposure.time = 1 / 250.0
        metadata.exposure.fNumber = 2.8
        metadata.exposure.iso = 102_400
        metadata.exposure.compensation = -1 / 3.0
        metadata.exposure.focalLength = 35.5
        metadata.exposure.focalLengthOn35mmFilm = 53
        metadata.exposure.flash = 0x19
        metadata.location = .init(latitude: -33.856_785, longitude: 151.215_302)
        metadata.location?.altitude = -12.5
        metadata.location?.direction = 271.25
        metadata.location?.date = Date(timeIntervalSince1970: 1_625_735_411.5)
        metadata.resolution = .init(horizontal: 300, vertical: 72)
        (metadata.caption, metadata.artist) = ("Kingfisher at dusk – 翡翠", "A. Author; B. Author")
        (metadata.copyright, metadata.software) = ("© 2021 A. Author", "Camera 1.2")
        return metadata
    }()

    private func image(_ metadata: ImageMetadata?) throws -> DecodedImage {
        DecodedImage(bitmap: try Pictures.gradient(33, 20)).withMetadata(metadata)
    }

    private func written(
        _ metadata: ImageMetadata?, _ encoder: any MetadataEncoding, _ writing: MetadataWriting
    ) throws -> Data {
        try encoder.writing(writing).encode(image(metadata))
    }

    /// Coordinates are rounded to millionths of a second of arc.
    private func expectEqual(_ read: ImageMetadata, _ expected: ImageMetadata) {
        var read = read
        if let place = read.location, let other = expected.location {
            #expect(abs(place.latitude - other.latitude) < 1e-9 && abs(place.longitude - other.longitude) < 1e-9)
            read.location?.latitude = other.latitude
            read.location?.longitude = other.longitude
        }
        #expect(read == expected)
    }

    @Test(arguments: encoders) func keptMetadata_isRead(_ encoder: any MetadataEncoding) throws {
        let file = try written(Self.full, encoder, .keep)
        #expect(ImageFormat(sniffing: file) == encoder.format)
        expectEqual(try ImageMetadata(of: file), Self.full)
        let plain = try ImageDecoders.builtIn.decode(written(Self.full, encoder, .strip))
        #expect(try ImageDecoders.builtIn.decode(file).bitmap == plain.bitmap)
    }

    @Test(arguments: encoders) func location_canBeLeftOut(_ encoder: any MetadataEncoding) throws {
        var expected = Self.full
        expected.location = nil
        expectEqual(try ImageMetadata(of: written(Self.full, encoder, .keepWithoutLocation)), expected)
        var nowhere = ImageMetadata()
        nowhere.location = Self.full.location
        // Nothing else is there, so nothing is written.
        #expect(try written(nowhere, encoder, .keepWithoutLocation) == written(nil, encoder, .strip))
    }

    @Test(arguments: encoders) func byDefault_nothingIsWritten(_ encoder: any MetadataEncoding) throws {
        #expect(encoder.metadata == .strip)
        #expect(try encoder.encode(image(Self.full)) == encoder.encode(image(nil)))
        #expect(try encoder.encode(image(nil)) == written(nil, encoder, .keep))
    }

    @Test func profileAndMetadata_areBothWritten() throws {
        let profile = ProfileEncodingTests.swapped
        let image = try DecodedImage(
            bitmap: Pictures.gradient(9, 7), format: nil, originalSize: PixelSize(width: 9, height: 7),
            profile: profile, metadata: Self.full)
        for encoder in Self.encoders {
            let file = try encoder.writing(.keep).encode(image)
            expectEqual(try ImageMetadata(of: file), Self.full)
            #expect(try ImageDecoders.builtIn.decode(file).profile == profile)
        }
    }

    @Test func automaticEncoder_passesTheChoiceOn() async throws {
        var automatic = AutomaticEncoder()
        automatic.opaque = JPEGEncoder()
        #expect(try ImageMetadata(of: await automatic.encode(image(Self.full))).caption == nil)
        automatic.metadata = .keep
        #expect(try ImageMetadata(of: await automatic.encode(image(Self.full))).caption == Self.full.caption)
        var encoder = JPEGEncoder()
        encoder.metadata = .keepWithoutLocation
        (automatic.opaque, automatic.metadata) = (encoder, nil)
        let read = try ImageMetadata(of: await automatic.encode(image(Self.full)))
        #expect(read.caption == Self.full.caption && read.location == nil)
    }

    @Test func tooMuchForASegment_isAnError() throws {
        var metadata = ImageMetadata()
        metadata.caption = String(repeating: "x", count: 40_000)
        #expect(try ImageMetadata(of: written(metadata, JPEGEncoder(), .keep)).caption == metadata.caption)
        metadata.artist = metadata.caption
        #expect {
            try written(metadata, JPEGEncoder(), .keep)
        } throws: { error in
            guard case .encodingFailed(.jpeg, let reason)? = error as? ImageLoaderError else { return false }
            return reason.contains("65527")
        }
        #expect(try ImageMetadata(of: written(metadata, PNGEncoder(), .keep)).artist == metadata.artist)
    }

    @Test func impossibleValues_areLeftOut() throws {
        var metadata = ImageMetadata()
        metadata.exposure.time = .nan
        metadata.exposure.fNumber = -1
        metadata.exposure.compensation = .infinity
        metadata.exposure.focalLength = 1e300
        metadata.exposure.focalLengthOn35mmFilm = .infinity
        metadata.exposure.flash = 1 << 40
        metadata.exposure.iso = -5
        metadata.location = .init(latitude: 1e9, longitude: .nan)
        metadata.location?.date = Date(timeIntervalSince1970: .infinity)
        metadata.location?.altitude = -.infinity
        metadata.resolution = .init(horizontal: 0, vertical: .nan)
        metadata.software = "a\0b"
        let read = try ImageMetadata(of: written(metadata, PNGEncoder(), .keep))
        var expected = ImageMetadata()
        expected.software = "ab"
        #expect(read == expected)
    }

    @Test func fractions_areThoseOfTheCamera() throws {
        var random = SeededRandom(seed: 5)
        for _ in 0..<2_000 {
            var metadata = ImageMetadata()
            let divisor = Double(UInt32.random(in: 1...1_000_000, using: &random))
            metadata.exposure.time = Double(UInt32.random(in: 0...1_000_000, using: &random)) / divisor
            metadata.exposure.compensation = Double(Int32.random(in: -1_000_000...1_000_000, using: &random)) / divisor
            let exif = try #require(metadata.exif(includesLocation: true))
            var read = ImageMetadata()
            read.fill(exif: exif.span)
            must(read == metadata, "\(metadata.exposure)")
        }
    }
}
#endif
