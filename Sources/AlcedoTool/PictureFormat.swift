import Alcedo
import Foundation

/// A format in which `alcedo load` can save images.
struct PictureFormat: Sendable {
    let encoder: any ImageEncoding

    var format: ImageFormat { encoder.format }

    /// All of this build.
    static let all = jpeg + png + gif + webp

    /// The values of `--format`.
    static var names: [String] { all.map(\.format.rawValue) }

    static func named(_ name: String) -> PictureFormat? { all.first { $0.format.rawValue == name } }

    /// Returns the bytes of a file that shows `image`, with all frames if the format supports that.
    func encode(_ image: DecodedImage) async throws(ImageLoaderError) -> Data {
        var automatic = AutomaticEncoder()
        automatic.opaque = encoder
        automatic.transparent = encoder
        automatic.drawn = nil
        automatic.animation = encoder as? any AnimationEncoding
        return try await automatic.encode(image)
    }
}

#if canImport(ImageIO) || os(Linux) && JPEG
private let jpeg = [PictureFormat(encoder: JPEGEncoder())]
#else
private let jpeg: [PictureFormat] = []
#endif

#if canImport(ImageIO) || os(Linux) && PNG
private let png = [PictureFormat(encoder: PNGEncoder())]
#else
private let png: [PictureFormat] = []
#endif

#if GIF || canImport(Darwin)
private let gif = [PictureFormat(encoder: GIFEncoder())]
#else
private let gif: [PictureFormat] = []
#endif

#if os(Linux) && WebP
private let webp = [PictureFormat(encoder: WebPEncoder())]
#else
private let webp: [PictureFormat] = []
#endif
