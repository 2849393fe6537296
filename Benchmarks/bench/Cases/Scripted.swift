import Alcedo
import AlcedoTestSupport
import Foundation

/// A loader without network, disk or codec, so that only the loader itself is measured.
enum Scripted {
    /// Answers immediately with a few bytes that begin like a PNG.
    static let transport = ScriptedDataLoader { _ in .bytes(body) }

    static func loader() throws -> ImageLoader {
        var configuration = ImageLoader.Configuration()
        configuration.disk = nil
        configuration.dataLoader = transport
        configuration.decode.decoders = ImageDecoders([OnePixelDecoder()])
        return ImageLoader(configuration)
    }

    static func url(_ path: String) throws -> URL {
        guard let url = URL(string: "https://images.example.com/\(path)") else {
            throw ImageLoaderError.invalidURL(path, reason: "it does not parse as a URL")
        }
        return url
    }

    private static let body = Data([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]) + Data(count: 1_000)
}

/// Returns a new picture of one pixel for any input. Tasks that shared one would contend for its reference count.
private struct OnePixelDecoder: ImageDecoding {
    private var size: PixelSize { PixelSize(width: 1, height: 1) }
    var format: ImageFormat { .png }

    func header(of data: Data, limits: DecodeLimits) throws(ImageLoaderError) -> ImageHeader {
        ImageHeader(format: .png, size: size)
    }

    func decode(_ data: Data, _ request: DecodeRequest) throws(ImageLoaderError) -> DecodedImage {
        DecodedImage(bitmap: try BitmapBuilder(size: size).freeze(), format: .png)
    }
}
