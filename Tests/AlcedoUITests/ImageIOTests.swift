#if canImport(ImageIO)
import Alcedo
import CoreGraphics
import Foundation
import Testing

/// Pictures that ImageIO decodes, by the rules of the decoders on Linux.
@Suite struct ImageIOTests {
    /// Noise, so that files are large and each byte matters.
    private static func bitmap(_ width: Int, _ height: Int) throws -> Bitmap {
        var builder = try BitmapBuilder(size: PixelSize(width: width, height: height))
        builder.withBytes { bytes in
            var state: UInt32 = 1
            for offset in stride(from: 0, to: bytes.byteCount, by: 4) {
                state = state &* 1_664_525 &+ 1_013_904_223
                bytes.storeBytes(of: state | 0xFF00_0000, toByteOffset: offset, as: UInt32.self)
            }
        }
        return builder.freeze()
    }

    private static func decode(
        _ file: Data, _ damaged: DecodeRequest.Damaged = .refuse
    ) throws(ImageLoaderError) -> DecodedImage {
        var request = DecodeRequest()
        request.damaged = damaged
        return try ImageDecoders.builtIn.decode(file, request)
    }

    private static func isRefused(_ file: Data) -> Bool {
        do throws(ImageLoaderError) {
            _ = try decode(file)
            return false
        } catch {
            guard case .corruptImage = error else { return false }
            return true
        }
    }

    @Test func png_isExact() throws {
        let bitmap = try Self.bitmap(33, 21)
        #expect(try Self.decode(PNGEncoder().encode(bitmap)).bitmap == bitmap)
    }

    @Test func smallTarget_isDecodedToThatSize() throws {
        let bitmap = try Self.bitmap(801, 603)
        for file in [try JPEGEncoder().encode(bitmap), try PNGEncoder().encode(bitmap)] {
            var request = DecodeRequest()
            request.target = DecodeTarget(PixelSize(width: 80, height: 60))
            let image = try ImageDecoders.builtIn.decode(file, request)
            #expect(image.size.width <= 80 && image.size.height <= 60 && image.size.width > 70)
            #expect(image.originalSize == bitmap.size)
        }
    }

    @Test func wideColors_keepTheirProfile_unlessConverted() throws {
        let profile = try #require(CGColorSpace(name: CGColorSpace.displayP3)?.copyICCData()) as Data
        let wide = try Self.decode(PictureTests.bmp(red: 200, green: 100, blue: 50, profile: profile))
        for file in [try JPEGEncoder().encode(wide), try PNGEncoder().encode(wide)] {
            let image = try Self.decode(file)
            #expect(image.profile != nil)
            #expect((196...204).contains(image.bitmap[0, 0].x))
            var request = DecodeRequest()
            request.convertsToSRGB = true
            let converted = try ImageDecoders.builtIn.decode(file, request)
            #expect(converted.profile == nil && converted.bitmap[0, 0].x > 204)
        }
    }

    @Test func damagedPNG_isRefused_exceptForItsEnd() throws {
        let file = try PNGEncoder().encode(Self.bitmap(60, 40))
        var flipped = file
        flipped[file.count / 2] ^= 1
        #expect(Self.isRefused(flipped))
        #expect(Self.isRefused(Data(file.prefix(file.count / 2))))
        #expect(try Self.decode(Data(file.dropLast(12))).bitmap == Self.bitmap(60, 40))
    }

    @Test(arguments: [false, true]) func cutJPEG_isRefused_exceptForItsEnd(_ progressive: Bool) throws {
        var encoder = JPEGEncoder()
        encoder.isProgressive = progressive
        let file = try encoder.encode(Self.bitmap(60, 40))
        #expect(Self.isRefused(Data(file.prefix(file.count / 2))))
        #expect(try Self.decode(Data(file.dropLast(2))).bitmap == Self.decode(file).bitmap)
    }

    @Test func damagedFile_isShownInPart_onRequest() throws {
        let bitmap = try Self.bitmap(60, 40)
        for file in [try JPEGEncoder().encode(bitmap), try PNGEncoder().encode(bitmap)] {
            let image = try Self.decode(Data(file.prefix(file.count * 3 / 4)), .showWhatIsThere)
            #expect(!image.isComplete && image.size == bitmap.size)
            #expect(image.bitmap[0, 0].w == 255 && image.bitmap[59, 39].w == 0)
        }
    }

    @Test func formats_haveDecoders_ifTheSystemReadsThem() {
        let available = ImageIODecoder.Format.available
        #expect(available.contains(.jpeg) && available.contains(.png))
        let formats = ImageDecoders.builtIn.decoders.map(\.format)
        #expect(formats.contains(.webp) == available.contains(.webP))
        #expect(formats.contains(.heic) == available.contains(.heic))
        #expect(formats.contains(.avif) == available.contains(.avif))
        #expect(formats.contains(.jxl) == available.contains(.jpegXL))
        #expect(formats.contains(.tiff) == available.contains(.tiff))
    }

    @Test(arguments: ["RIFF\u{8}\0\0\0WEBPVP8 ", "II*\0\u{8}\0\0\0", "\0\0\0\u{14}ftypheic\0\0\0\0heic"])
    func nothingButASignature_isCorrupt(_ text: String) throws {
        #expect(Self.isRefused(Data(text.utf8)))
    }
}
#endif
