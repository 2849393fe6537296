import Alcedo
import Foundation

/// A format in which `alcedo load` can save images.
struct PictureFormat: Sendable {
    let encoder: any ImageEncoding

    var format: ImageFormat { encoder.format }

    /// All formats of this build.
    private static func all(_ options: EncodingOptions) -> [PictureFormat] {
        (jpeg(options) + png + gif + webp(options) + avif(options)).map { PictureFormat(encoder: $0) }
    }

    /// The values of `--format`.
    static var names: [String] { all(EncodingOptions()).map(\.format.rawValue) }

    static func named(_ name: String, _ options: EncodingOptions = EncodingOptions()) -> PictureFormat? {
        all(options).first { $0.format.rawValue == name }
    }

    /// Returns the bytes of a file that shows `image`, with all frames if the format supports that.
    func encode(_ image: DecodedImage, _ metadata: MetadataWriting?) async throws(ImageLoaderError) -> Data {
        var automatic = AutomaticEncoder()
        automatic.metadata = metadata
        (automatic.opaque, automatic.transparent, automatic.drawn) = (encoder, encoder, nil)
        automatic.animation = encoder as? any AnimationEncoding
        return try await automatic.encode(image)
    }
}

#if canImport(ImageIO) || os(Linux) && JPEG
private func jpeg(_ options: EncodingOptions) -> [any ImageEncoding] {
    var encoder = JPEGEncoder()
    encoder.quality = options.quality ?? encoder.quality
    encoder.isProgressive = options.isProgressive
    return [encoder]
}
#else
private func jpeg(_ options: EncodingOptions) -> [any ImageEncoding] { [] }
#endif

#if canImport(ImageIO) || os(Linux) && PNG
private let png: [any ImageEncoding] = [PNGEncoder()]
#else
private let png: [any ImageEncoding] = []
#endif

#if GIF || canImport(Darwin)
private let gif: [any ImageEncoding] = [GIFEncoder()]
#else
private let gif: [any ImageEncoding] = []
#endif

#if os(Linux) && WebP
private func webp(_ options: EncodingOptions) -> [any ImageEncoding] {
    if options.isLossless { return [WebPEncoder(.lossless)] }
    // A quality given by the user means a lossy file.
    return [WebPEncoder(options.quality.map { .lossy(quality: $0) } ?? .automatic(quality: 80))]
}
#else
private func webp(_ options: EncodingOptions) -> [any ImageEncoding] { [] }
#endif

#if os(Linux) && AVIF
private func avif(_ options: EncodingOptions) -> [any ImageEncoding] {
    var encoder = AVIFEncoder()
    encoder.quality = options.quality ?? encoder.quality
    return [encoder]
}
#else
private func avif(_ options: EncodingOptions) -> [any ImageEncoding] { [] }
#endif
