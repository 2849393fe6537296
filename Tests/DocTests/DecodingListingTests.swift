import Alcedo
import AlcedoTestSupport
import Foundation
import Testing

/// The listings about decoding do what the text beside them says.
@Suite(.timeLimit(.minutes(1))) struct DecodingListingTests {
    /// 3 × 2 pixels, the lower row first: red, green, blue and then gray.
    private let bmp = Data(
        Array("BM".utf8) + [78, 0, 0, 0, 0, 0, 0, 0, 54, 0, 0, 0, 40, 0, 0, 0, 3, 0, 0, 0, 2, 0, 0, 0, 1, 0, 24, 0]
            + [UInt8](repeating: 0, count: 24) + [0, 0, 255, 0, 255, 0, 255, 0, 0, 0, 0, 0]
            + [UInt8](repeating: 9, count: 12))

    @Test func aDecoderOfOnesOwn_comesBeforeAlcedos() async throws {
        #expect(await Decoding.problems(with: bmp) == [])
        var configuration = Decoding.settings()
        configuration.disk = nil
        configuration.dataLoader = ScriptedDataLoader { [bmp] _ in .bytes(bmp) }
        let url = try #require(URL(string: "https://example.org/a.bmp"))
        let image = try await ImageLoader(configuration).image(for: url)
        #expect(image.format == .bmp && image.size == PixelSize(width: 3, height: 2))
        #expect(image.bitmap[0, 1] == [255, 0, 0, 255] && image.bitmap[2, 1] == [0, 0, 255, 255])
        #expect(image.bitmap[1, 0] == [9, 9, 9, 255])
        #expect(try ImageDecoders.builtIn.decode(bmp).bitmap == image.bitmap)
    }

    @Test func byHand_aPictureIsCutToItsSize() async throws {
        #expect(try Decoding.tell(Pictures.png(640, 300)).size == PixelSize(width: 640, height: 300))
        #expect(try Decoding.describe(Pictures.png(640, 300)) == ImageMetadata())
        let image = try Decoding.thumbnail(Pictures.png(640, 300))
        #expect(image.size == PixelSize(width: 200, height: 200))
        #expect(image.originalSize == PixelSize(width: 640, height: 300))
        #expect(try await Decoding.frame(of: image, after: .seconds(1)) == image.bitmap)
    }
}
