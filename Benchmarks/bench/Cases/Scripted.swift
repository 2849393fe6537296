import Alcedo
import AlcedoTestSupport
import Foundation

/// Loaders without network, disk or codec, so that only the loader itself is measured.
enum Scripted {
    /// Answers immediately with a few bytes that begin like a PNG.
    static let transport = ScriptedDataLoader { _ in .bytes(body) }

    static let decoder: any ImageDecoding = OnePixelDecoder()

    static let body = Data([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]) + Data(count: 1_000)

    private static let freshURLs = Turn()

    /// A loader without a disk cache, unless `change` gives it one.
    static func loader(
        _ transport: any DataLoading = transport, _ change: (inout ImageLoader.Configuration) -> Void = { _ in }
    ) -> ImageLoader {
        var configuration = ImageLoader.Configuration()
        configuration.disk = nil
        configuration.dataLoader = transport
        configuration.decode.decoders = ImageDecoders([decoder])
        change(&configuration)
        return ImageLoader(configuration)
    }

    static func url(_ path: String) throws -> URL {
        guard let url = URL(string: "https://images.example.com/\(path)") else {
            throw ImageLoaderError.invalidURL(path, reason: "it does not parse as a URL")
        }
        return url
    }

    /// URLs that no case has used before.
    static func freshURLs(_ count: Int) throws -> [URL] {
        try (0..<count).map { _ in try url("fresh/\(freshURLs.next())/large.jpg?width=1080&format=auto") }
    }

    /// A new image of one pixel. Tasks that shared one would contend for its reference count.
    static func picture() throws(ImageLoaderError) -> DecodedImage {
        DecodedImage(bitmap: try BitmapBuilder(size: PixelSize(width: 1, height: 1)).freeze(), format: .png)
    }
}

/// A decoder that returns a new image of one pixel for any input, and estimates that this takes no time.
private struct OnePixelDecoder: EstimatedDecoding {
    var format: ImageFormat { .png }

    func header(of data: Data, limits: DecodeLimits) throws(ImageLoaderError) -> ImageHeader {
        ImageHeader(format: .png, size: PixelSize(width: 1, height: 1))
    }

    func decode(_ data: Data, _ request: DecodeRequest) throws(ImageLoaderError) -> DecodedImage {
        try Scripted.picture()
    }

    func cost(_ header: ImageHeader, byteCount: Int, _ request: DecodeRequest) -> DecodeCost {
        DecodeCost(workingBytes: 4, time: .microseconds(1))
    }
}
