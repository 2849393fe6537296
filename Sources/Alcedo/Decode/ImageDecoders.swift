public import Foundation

/// An ordered list of decoders.
///
/// Put a decoder of your own before those of ``builtIn`` to read another format, or to read a format differently:
/// `ImageDecoders([mine] + ImageDecoders.builtIn.decoders)`.
public struct ImageDecoders: Sendable {
    /// The decoders in the order in which they are tried.
    public let decoders: [any ImageDecoding]

    /// Creates a list of decoders.
    ///
    /// - Parameter decoders: The decoders in the order in which they are tried. The first one that recognizes a file
    ///   decodes it.
    public init(_ decoders: [any ImageDecoding]) { self.decoders = decoders }

    /// Alcedo's decoders for this platform and the enabled package traits.
    public static let builtIn = ImageDecoders(builtInDecoders)

    /// Returns the decoder for `data`, chosen by its first bytes.
    ///
    /// - Throws: ``ImageLoaderError/notAnImage(found:)`` if the bytes aren't an image, and
    ///   ``ImageLoaderError/unsupportedFormat(_:)`` if no decoder reads that format.
    public func decoder(for data: Data) throws(ImageLoaderError) -> any ImageDecoding {
        let head = data.prefix(512)
        let format = ImageFormat(sniffing: head)
        if let decoder = decoders.first(where: { $0.recognizes(head, detected: format) }) { return decoder }
        throw format.map { .unsupportedFormat($0) } ?? .notAnImage(found: ContentDescription(of: data).text)
    }

    /// The value of the `Accept` field: the formats that the decoders read, and anything else as a second choice.
    func accept(without others: Set<ImageFormat>) -> String {
        var types: [String] = []
        for format in decoders.map(\.format) where !others.contains(format) {
            types += format.mediaTypes.filter { !types.contains($0) }
        }
        return (types + ["*/*;q=0.8"]).joined(separator: ",")
    }

    /// Identifies the decoders by a number that is the same in every process; 0 for ``builtIn``.
    var identity: UInt64 {
        let identities = decoders.map(\.identity)
        if identities == Self.builtIn.decoders.map(\.identity) { return 0 }
        return max(1, FastHash.hash(identities.joined(separator: ","), seed: 6))
    }

    /// Reads the header of `data` and checks it against `limits`, without decoding pixels.
    ///
    /// - Throws: The errors of ``decoder(for:)`` and ``ImageDecoding/header(of:limits:)``.
    public func header(of data: Data, limits: DecodeLimits = DecodeLimits()) throws(ImageLoaderError) -> ImageHeader {
        try decoder(for: data).header(of: data, limits: limits)
    }

    /// Decodes `data` with the matching decoder. Blocks the calling thread.
    ///
    /// - Throws: The errors of ``decoder(for:)`` and ``ImageDecoding/decode(_:_:)``.
    public func decode(
        _ data: Data, _ request: DecodeRequest = DecodeRequest()
    ) throws(ImageLoaderError) -> DecodedImage {
        try decoder(for: data).decode(data, request)
    }
}
