import Alcedo
import Foundation
import Testing

struct ImageDecodersTests {
    @Test(arguments: [
        ("", "no bytes"),
        ("<!DOCTYPE html>\n<title>404</title>", "HTML"),
        ("\u{FEFF}  <HTML><body>", "HTML"),
        ("<?xml version=\"1.0\"?><!DOCTYPE html PUBLIC \"-//W3C//DTD XHTML 1.0\">", "HTML"),
        ("<?xml version=\"1.0\"?>\n<Error><Code>AccessDenied</Code></Error>", "XML"),
        ("{\"error\": 404}", "JSON"),
        (" [1, 2]", "JSON"),
        ("Not found", "plain text"),
        ("\n \n", "blank text"),
    ])
    func errorNames_detectedType(_ text: String, _ found: String) {
        #expect(throws: ImageLoaderError.notAnImage(found: found)) {
            try ImageDecoders.builtIn.decode(Data(text.utf8))
        }
    }

    @Test func errorNames_firstBytes() {
        #expect(throws: ImageLoaderError.notAnImage(found: "gzip data")) {
            try ImageDecoders.builtIn.decode(Data([0x1F, 0x8B, 8, 0]))
        }
        #expect(throws: ImageLoaderError.notAnImage(found: "unknown bytes 0x00 0x0f 0xff")) {
            try ImageDecoders.builtIn.decode(Data([0x00, 0x0F, 0xFF]))
        }
        // Text that was cut within a character is text.
        let text = Data(String(repeating: "ä", count: 300).utf8).dropFirst()
        #expect(throws: ImageLoaderError.notAnImage(found: "plain text")) { try ImageDecoders.builtIn.decode(text) }
    }

    @Test func formatWithoutDecoderIsUnsupported() {
        #expect(throws: ImageLoaderError.unsupportedFormat(.gif)) {
            try ImageDecoders([]).decode(Data("GIF89a".utf8))
        }
    }

    @Test func error_namesTheTraitOfTheFormat() {
        for (format, trait) in [
            (ImageFormat.heic, "HEIC"), (.tiff, "TIFF"), (.jxl, "JPEGXL"), (.webp, "WebP"), (.ico, "BMP"),
        ] {
            let error = ImageLoaderError.unsupportedFormat(format)
            #expect("\(error)" == "no decoder for \(format.rawValue) images; on Linux, the trait \(trait) brings one")
        }
        #expect("\(ImageLoaderError.unsupportedFormat(.pdf))" == "no decoder for pdf images")
    }

    @Test func firstDecoderOfFormatDecodes() throws {
        let decoders = ImageDecoders([
            FixedDecoder(format: .png, width: 1), FixedDecoder(format: .gif, width: 2),
            FixedDecoder(format: .gif, width: 3),
        ])
        #expect(try decoders.decode(Data("GIF89a".utf8)).size.width == 2)
    }

    private struct FixedDecoder: ImageDecoding {
        let format: ImageFormat
        let width: Int

        func header(of data: Data, limits: DecodeLimits) throws(ImageLoaderError) -> ImageHeader {
            ImageHeader(format: format, size: PixelSize(width: width, height: 1))
        }

        func decode(_ data: Data, _ request: DecodeRequest) throws(ImageLoaderError) -> DecodedImage {
            let size = PixelSize(width: width, height: 1)
            return DecodedImage(bitmap: try BitmapBuilder(size: size, limits: request.limits).freeze(), format: format)
        }
    }
}
