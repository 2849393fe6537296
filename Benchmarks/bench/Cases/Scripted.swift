import Alcedo
import AlcedoTestSupport
import Foundation

/// A loader without network, disk or codec: what is left is the loader itself.
enum Scripted {
    /// Answers at once with some bytes that begin as a PNG does.
    static let transport = ScriptedDataLoader { _ in .bytes(body) }

    static func loader() throws -> ImageLoader {
        var configuration = ImageLoader.Configuration()
        configuration.disk = nil
        configuration.dataLoader = transport
        configuration.decode.decoders = ImageDecoders([OnePictureDecoder(bitmap: try onePixel())])
        return ImageLoader(configuration)
    }

    static func url(_ path: String) throws -> URL {
        guard let url = URL(string: "https://images.example.com/\(path)") else {
            throw ImageLoaderError.invalidURL(path, reason: "it does not parse as a URL")
        }
        return url
    }

    private static let body = Data([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]) + Data(count: 1_000)

    private static func onePixel() throws -> Bitmap { try BitmapBuilder(size: PixelSize(width: 1, height: 1)).freeze() }
}

/// Hands out the same picture for whatever it is given.
private struct OnePictureDecoder: ImageDecoding {
    let bitmap: Bitmap
    var format: ImageFormat { .png }

    func header(of data: Data, limits: DecodeLimits) throws(ImageLoaderError) -> ImageHeader {
        ImageHeader(format: .png, size: bitmap.size)
    }

    func decode(_ data: Data, limits: DecodeLimits) throws(ImageLoaderError) -> DecodedImage {
        DecodedImage(bitmap: bitmap, format: .png)
    }
}
