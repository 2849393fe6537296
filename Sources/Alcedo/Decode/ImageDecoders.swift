public import Foundation

/// An ordered list of decoders.
///
/// Put a decoder of your own before those of ``builtIn`` to read another format, or to read a format differently:
/// `ImageDecoders([mine] + ImageDecoders.builtIn.decoders)`.
public struct ImageDecoders: Sendable {
    /// The decoders in the order they are asked.
    public let decoders: [any ImageDecoding]

    /// - Parameter decoders: the first one that recognizes a file decodes it.
    public init(_ decoders: [any ImageDecoding]) { self.decoders = decoders }

    /// Alcedo's own decoders for this platform, as the package traits select them.
    public static let builtIn = ImageDecoders(builtInDecoders)

    /// Returns the decoder for `data`, chosen by its first bytes.
    ///
    /// - Throws: ``ImageLoaderError/notAnImage(found:)`` when the bytes are no image, and
    ///   ``ImageLoaderError/unsupportedFormat(_:)`` when no decoder reads that format.
    public func decoder(for data: Data) throws(ImageLoaderError) -> any ImageDecoding {
        let head = data.prefix(512)
        let format = ImageFormat(sniffing: head)
        if let decoder = decoders.first(where: { $0.recognizes(head, detected: format) }) { return decoder }
        throw format.map { .unsupportedFormat($0) } ?? .notAnImage(found: ContentDescription(of: data).text)
    }

    /// The value of the `Accept` field: what the decoders read, and anything else as a second choice.
    func accept(without others: Set<ImageFormat>) -> String {
        var types: [String] = []
        for format in decoders.map(\.format) where !others.contains(format) {
            types += format.mediaTypes.filter { !types.contains($0) }
        }
        return (types + ["*/*;q=0.8"]).joined(separator: ",")
    }

    /// Distinguishes the images they make from those of other decoders, in every process alike; 0 for ``builtIn``.
    var identity: UInt64 {
        let identities = decoders.map(\.identity)
        if identities == Self.builtIn.decoders.map(\.identity) { return 0 }
        return max(1, FastHash.hash(identities.joined(separator: ","), seed: 6))
    }

    /// Reads the header of `data` and checks it against `limits`, without decoding pixels.
    ///
    /// - Throws: as ``decoder(for:)`` and ``ImageDecoding/header(of:limits:)``.
    public func header(of data: Data, limits: DecodeLimits = DecodeLimits()) throws(ImageLoaderError) -> ImageHeader {
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
