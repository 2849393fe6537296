public import Foundation

/// The decoders that are asked, in order.
///
/// Put one of your own before those of ``builtIn`` to read a format that they do not, or to read one differently:
/// `ImageDecoders([mine] + ImageDecoders.builtIn.decoders)`. The formats are those of ``ImageFormat``.
public struct ImageDecoders: Sendable {
    /// In the order they are asked.
    public let decoders: [any ImageDecoding]

    /// - Parameter decoders: the first one whose format the bytes have is the one that decodes.
    public init(_ decoders: [any ImageDecoding]) {
        self.decoders = decoders
    }

    /// Those that Alcedo brings for this platform, as the package traits select them.
    public static let builtIn = ImageDecoders(builtInDecoders)

    /// The decoder for `data`, chosen by its first bytes.
    ///
    /// - Throws: ``ImageLoaderError/notAnImage(found:)`` when they are no image's, and
    ///   ``ImageLoaderError/unsupportedFormat(_:)`` when no decoder reads that format.
    public func decoder(for data: Data) throws(ImageLoaderError) -> any ImageDecoding {
        guard let format = ImageFormat(sniffing: data) else {
            throw .notAnImage(found: ContentDescription(of: data).text)
        }
        guard let decoder = decoders.first(where: { $0.format == format }) else {
            throw .unsupportedFormat(format)
        }
        return decoder
    }

    /// What `data` says of itself, held against `limits`, without decoding its pixels.
    ///
    /// - Throws: as ``decoder(for:)`` and ``ImageDecoding/header(of:limits:)``.
    public func header(
        of data: Data, limits: DecodeLimits = DecodeLimits()
    ) throws(ImageLoaderError) -> ImageHeader {
        try decoder(for: data).header(of: data, limits: limits)
    }

    /// Decodes `data` with the decoder for it, on the calling thread, which it keeps busy.
    ///
    /// - Throws: as ``decoder(for:)`` and ``ImageDecoding/decode(_:_:)``.
    public func decode(
        _ data: Data, _ request: DecodeRequest = DecodeRequest()
    ) throws(ImageLoaderError) -> DecodedImage {
        try decoder(for: data).decode(data, request)
    }
}
