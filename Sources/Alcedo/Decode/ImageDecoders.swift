public import Foundation

/// An ordered list of decoders.
///
/// To read a format that ``builtIn`` doesn't read, or to read one differently, put your own decoder first:
/// `ImageDecoders([mine] + ImageDecoders.builtIn.decoders)`. The possible formats are those of ``ImageFormat``.
public struct ImageDecoders: Sendable {
    /// The decoders, in order of precedence.
    public let decoders: [any ImageDecoding]

    /// Creates a list of decoders.
    ///
    /// - Parameter decoders: the first decoder whose format matches the bytes is used.
    public init(_ decoders: [any ImageDecoding]) {
        self.decoders = decoders
    }

    /// Alcedo's decoders for this platform, as selected by the package traits.
    public static let builtIn = ImageDecoders(builtInDecoders)

    /// Returns the decoder for `data`, chosen by its first bytes.
    ///
    /// - Throws: ``ImageLoaderError/notAnImage(found:)`` when the bytes are no image, and
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

    /// Reads the header of `data` and checks it against `limits`, without decoding pixels.
    ///
    /// - Throws: as ``decoder(for:)`` and ``ImageDecoding/header(of:limits:)``.
    public func header(
        of data: Data, limits: DecodeLimits = DecodeLimits()
    ) throws(ImageLoaderError) -> ImageHeader {
        try decoder(for: data).header(of: data, limits: limits)
    }

    /// Decodes `data` with the matching decoder. Blocks the calling thread.
    ///
    /// - Throws: as ``decoder(for:)`` and ``ImageDecoding/decode(_:_:)``.
    public func decode(
        _ data: Data, _ request: DecodeRequest = DecodeRequest()
    ) throws(ImageLoaderError) -> DecodedImage {
        try decoder(for: data).decode(data, request)
    }
}
