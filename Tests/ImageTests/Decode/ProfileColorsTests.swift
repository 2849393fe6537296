#if os(Linux) && JPEG && PNG && WebP && ColorProfiles
import AlcedoTestSupport
import Foundation
import Testing

import Alcedo
@testable import TestFixtures

/// Profiles of other colors than those of their file.
@Suite(.timeLimit(.minutes(1))) struct ProfileColorsTests {
    /// The profile of each space; that of RGB has red and green swapped.
    static let profiles = [
        "RGB ": ICCFixture(colors: [ICCFixture.green, ICCFixture.red, ICCFixture.blue]).data,
        "GRAY": ICCFixture(space: "GRAY", gamma: 1).data, "CMYK": ICCFixture(space: "CMYK").data,
        "Lab ": ICCFixture(space: "Lab ").data,
    ]

    /// A file with any profile, and the color spaces whose profiles describe its colors.
    struct File: CustomTestStringConvertible, Sendable {
        let testDescription: String
        let spaces: [String]
        let make: @Sendable (_ profile: Data) throws -> Data
    }

    static let files = [
        File(testDescription: "JPEG of inks", spaces: []) { jpeg(InkJPEGFixture().data, $0) },
        File(testDescription: "JPEG of Adobe's inks", spaces: []) {
            jpeg(InkJPEGFixture(hasAdobeMarker: true, hasScanPerInk: true).data, $0)
        },
        File(testDescription: "JPEG of colors", spaces: ["RGB "]) { jpeg(try Pictures.jpeg(8, 8), $0) },
        File(testDescription: "gray JPEG", spaces: ["RGB ", "GRAY"]) { jpeg(JPEGFixture.plain(8, 8), $0) },
        File(testDescription: "PNG of colors", spaces: ["RGB "]) { png(2, [200, 120, 40], $0) },
        File(testDescription: "PNG of colors and alpha", spaces: ["RGB "]) { png(6, [200, 120, 40, 255], $0) },
        File(testDescription: "PNG with a palette", spaces: ["RGB "]) {
            png(3, [0], $0, [("PLTE", [200, 120, 40])])
        },
        File(testDescription: "gray PNG", spaces: ["GRAY"]) { png(0, [120], $0) },
        File(testDescription: "gray PNG with alpha", spaces: ["GRAY"]) { png(4, [120, 255], $0) },
        File(testDescription: "WebP", spaces: ["RGB "]) {
            let still = try WebPEncoder(.lossless, effort: 0).encode(Pictures.gradient(8, 8))
            return WebPFixture.file(
                WebPFixture.head(8, 8, [.profile]), WebPFixture.chunk("ICCP", Array($0)), WebPFixture.picture(still))
        },
    ]

    private static func jpeg(_ file: Data, _ profile: Data) -> Data {
        let segment = JPEGFixture.segment(0xE2, Array("ICC_PROFILE\0".utf8) + [1, 1] + Array(profile))
        return Data(file.prefix(2) + segment + file.dropFirst(2))
    }

    private static func png(
        _ type: Int, _ pixel: [UInt8], _ profile: Data, _ chunks: [(String, [UInt8])] = []
    ) -> Data {
        let chunk = ("iCCP", Array("name\0\0".utf8) + PNGFixture.zlib(Array(profile)))
        return PNGFixture(width: 1, height: 1, colorType: type, rows: [0] + pixel, chunksBeforePixels: [chunk] + chunks)
            .data
    }

    @Test(arguments: files)
    func profileOfOtherColors_isDropped(_ file: File) throws {
        for (space, profile) in Self.profiles {
            let bytes = try file.make(profile)
            let image = try ImageDecoders.builtIn.decode(bytes)
            let isKept = file.spaces.contains(space)
            #expect(image.profile == (isKept ? profile : nil), "\(space)")
            var request = DecodeRequest()
            request.convertsToSRGB = true
            let converted = try ImageDecoders.builtIn.decode(bytes, request)
            #expect(isKept || converted.bitmap == image.bitmap, "\(space)")
        }
    }

    /// The converted inks of a file are written without the profile of other colors.
    @Test func inks_areWrittenAsSRGB() throws {
        let profile = try #require(Self.profiles["RGB "])
        let image = try ImageDecoders.builtIn.decode(Self.jpeg(InkJPEGFixture().data, profile))
        for encoder in [PNGEncoder(), JPEGEncoder(), WebPEncoder()] as [any ImageEncoding] {
            #expect(try encoder.encode(image) == encoder.encode(image.bitmap))
        }
    }

    /// The disk's file of a gray image is one of colors.
    @Test(arguments: ["RGB ", "GRAY"])
    func grayImage_keepsItsProfileOnDisk(_ space: String) async throws {
        let profile = try #require(Self.profiles[space])
        let file = Self.jpeg(JPEGFixture.plain(8, 8), profile)
        var fixture = try LoaderFixture(ScriptedDataLoader { _ in .bytes(file) })
        fixture.configuration.disk?.contents = .processed
        var request = try ImageRequest.test("a.jpg")
        request.processors = [.gray()]
        for expected in [ImageSource.network, .disk] {
            let loader = fixture.makeLoader()
            let response = try await loader.response(for: request)
            #expect(response.source == expected && response.image.profile == profile)
            await loader.flush()
        }
    }
}
#endif
