import Alcedo
import AlcedoTestSupport
import Foundation
import Testing

@Suite struct PicturesTests {
    #if canImport(ImageIO) || os(Linux) && PNG
    @Test func `a picture has its size and color`() throws {
        let opaque = try Pictures.png(width: 3, height: 2, color: PixelColor(red: 1, green: 2, blue: 3))
        let image = try ImageDecoders.builtIn.decode(opaque)
        #expect(image.size == PixelSize(width: 3, height: 2))
        #expect(image.bitmap[0, 0] == SIMD4(1, 2, 3, 255) && image.bitmap[2, 1] == SIMD4(1, 2, 3, 255))
        let half = try Pictures.png(
            width: 1, height: 1, color: PixelColor(red: 255, green: 0, blue: 0, alpha: 128))
        #expect(try ImageDecoders.builtIn.decode(half).bitmap[0, 0] == SIMD4(128, 0, 0, 128))
    }

    @Test func `a picture without pixels is an error`() {
        #expect(throws: ImageLoaderError.self) { try Pictures.png(width: 0, height: 2) }
    }
    #endif

    @Test func `a temporary directory exists as long as its value`() throws {
        var directory: TemporaryDirectory? = try TemporaryDirectory()
        let url = try #require(directory?.url)
        #expect(try FileManager.default.contentsOfDirectory(atPath: url.path).isEmpty)
        try Data([1]).write(to: url.appendingPathComponent("file"))
        withExtendedLifetime(directory) {}
        directory = nil
        #expect(!FileManager.default.fileExists(atPath: url.path))
    }
}
