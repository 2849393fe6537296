#if canImport(UIKit) || canImport(AppKit)
import Alcedo
import AlcedoUI
import Foundation
import Testing

#if canImport(UIKit)
import UIKit
#else
import AppKit
#endif

/// A loader with pictures in its memory, and nothing else.
@MainActor struct ViewPictures {
    final class Refusal: Error {}

    /// A program's own model of a picture.
    struct Model: ImageRequestConvertible {
        let request: ImageRequest
        var imageRequest: ImageRequest { request }
    }

    let loader: ImageLoader

    init() {
        var configuration = ImageLoader.Configuration()
        configuration.disk = nil
        loader = ImageLoader(configuration)
    }

    /// Shows pictures at once.
    var settings: ViewImageSettings {
        var settings = ViewImageSettings(loader)
        settings.transition = .none
        return settings
    }

    /// A request whose picture is in memory.
    func request(_ id: String = "stored", width: Int = 3) async throws -> ImageRequest {
        let request = ImageRequest(id: id) { throw Refusal() }
        try await loader.store(DecodedImage(bitmap: Self.bitmap(width: width)), for: request)
        return request
    }

    /// A URL whose picture is in memory.
    func url(_ name: String, width: Int = 3) async throws -> URL {
        let url = try #require(URL(string: "http://host.test/\(name).png"))
        try await loader.store(DecodedImage(bitmap: Self.bitmap(width: width)), for: ImageRequest(url: url))
        return url
    }

    /// A request whose picture is an animation of two frames in memory.
    func animation() async throws -> ImageRequest {
        let frames = try [0, 255].map { AnimationFrame(try Self.bitmap(width: 3, shade: $0), delay: .seconds(1)) }
        let file = try GIFEncoder().encode(frames, loopCount: .forever)
        let request = ImageRequest(id: "animation") { throw Refusal() }
        try await loader.store(ImageDecoders.builtIn.decode(file), for: request)
        return request
    }

    /// A request whose load doesn't end by itself.
    func endlessRequest(_ id: String = "endless") -> ImageRequest {
        ImageRequest(id: id) {
            try await Task.sleep(for: .seconds(3600))
            return Data()
        }
    }

    /// A picture that the program sets itself.
    static func own() throws -> PlatformImage {
        let image = DecodedImage(bitmap: try bitmap(width: 7))
        #if canImport(UIKit)
        return try #require(image.uiImage)
        #else
        return try #require(image.nsImage)
        #endif
    }

    private static func bitmap(width: Int, shade: UInt8 = 128) throws -> Bitmap {
        var builder = try BitmapBuilder(size: PixelSize(width: width, height: 2))
        builder.withBytes { bytes in
            for pixel in 0..<width * 2 {
                let color = SIMD4(shade, shade, shade, 255)
                bytes.storeBytes(of: color, toByteOffset: pixel * 4, as: SIMD4<UInt8>.self)
            }
        }
        return builder.freeze()
    }
}
#endif
