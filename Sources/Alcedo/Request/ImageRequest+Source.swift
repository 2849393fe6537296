public import Foundation

extension ImageRequest {
    /// Creates a request for bytes in memory.
    ///
    /// - Parameters:
    ///   - data: A file's bytes, in a format that can be decoded.
    ///   - id: Identifies the image in the memory cache. Two requests with the same id are for the same image.
    public init(data: Data, id: String) { origin = Origin(ProvidedSource(id: id) { .bytes(data) }) }

    /// Creates a request for bytes that a closure provides.
    ///
    /// The closure runs on no particular actor, once for all callers that load `id` at the same time, and is cancelled
    /// with the last of them. No caller waits for it to react to cancellation.
    ///
    /// - Parameters:
    ///   - id: Identifies the image in the memory cache. Two requests with the same id are for the same image.
    ///   - bytes: Provides the bytes. An error that it throws is reported as ``ImageLoaderError/sourceFailed(_:)``.
    public init(id: String, bytes: @escaping @Sendable () async throws -> Data) {
        origin = Origin(ProvidedSource(id: id) { .bytes(try await bytes()) })
    }

    /// Creates a request to scale and process a decoded image, such as a frame of a video.
    ///
    /// ``targetSize``, ``region``, ``convertsToSRGB``, ``scale`` and ``processors`` apply as to other images, and
    /// ``ImageLoader/encoded(for:as:)-(ImageRequest,_)`` encodes it. Such a request has no bytes:
    /// ``ImageLoader/data(for:)-(ImageRequest)`` and prefetching to disk throw
    /// ``ImageLoaderError/unsupportedConfiguration(_:)``.
    ///
    /// - Parameters:
    ///   - image: The image; its pixels must be upright.
    ///   - id: Identifies the image in the memory cache, among images that the program provides. Two requests with the
    ///     same id are for the same image.
    public init(image: DecodedImage, id: String) {
        origin = Origin(ProvidedSource(id: id, isImage: true) { .image(image) })
    }

    /// Creates a request for an image that a closure provides. It works like ``init(image:id:)-(DecodedImage,_)``.
    ///
    /// - Parameters:
    ///   - image: Provides the image. Runs as the closure of ``init(id:bytes:)`` does.
    ///   - id: As for ``init(image:id:)-(DecodedImage,_)``.
    public init(image: @escaping @Sendable () async throws -> DecodedImage, id: String) {
        origin = Origin(ProvidedSource(id: id, isImage: true) { .image(try await image()) })
    }
}

extension ImageRequest {
    /// The source of the bytes.
    package enum Source: Sendable, Hashable {
        case url(ParsedURL)
        case provided(ProvidedSource)
    }

    /// The source, with the text that names it in keys and that text's hash, which each look-up needs.
    final class Origin: Sendable {
        let source: Source
        let text: String
        let prehash: UInt64
        /// Whether the text is a custom cache key.
        let hasOwnKey: Bool

        init(_ url: URL) {
            hasOwnKey = false
            let text = url.absoluteString
            if let (scheme, prehash) = FastHash.ofProcess(text, where: PlainURL.scheme) {
                (self.text, self.prehash) = (text, prehash)
                source = .url(ParsedURL(normal: url, scheme))
            } else {
                (source, self.text, self.prehash) = Self.values(ParsedURL(url))
            }
        }

        init(_ url: ParsedURL) {
            hasOwnKey = false
            (source, text, prehash) = Self.values(url)
        }

        private static func values(_ url: ParsedURL) -> (Source, String, UInt64) {
            let text = ResourceKey.withoutFragment(url.text)
            return (.url(url), text, FastHash.ofProcess(text))
        }

        init(_ url: URL, cacheKey: String) {
            hasOwnKey = true
            text = ParsedURL.normalKey(cacheKey)
            prehash = FastHash.ofProcess(text)
            source = .url(ParsedURL(url))
        }

        init(_ provided: ProvidedSource) {
            hasOwnKey = false
            // No URL begins with a null character.
            text = (provided.isImage ? "\0\0" : "\0") + provided.id
            prehash = FastHash.ofProcess(text)
            source = .provided(provided)
        }
    }

    /// Bytes or an image that the program provides.
    package final class ProvidedSource: Sendable, Hashable {
        package enum Content: Sendable {
            case bytes(Data)
            case image(DecodedImage)
        }

        package let id: String
        package let isImage: Bool
        package let fetch: @Sendable () async throws -> Content

        init(id: String, isImage: Bool = false, fetch: @escaping @Sendable () async throws -> Content) {
            self.id = id
            self.isImage = isImage
            self.fetch = fetch
        }

        package static func == (left: ProvidedSource, right: ProvidedSource) -> Bool {
            left.id == right.id && left.isImage == right.isImage
        }

        package func hash(into hasher: inout Hasher) { hasher.combine(id) }
    }
}
