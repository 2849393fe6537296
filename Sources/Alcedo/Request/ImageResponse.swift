import Foundation

/// A loaded image, its source and its timings.
public struct ImageResponse: Sendable {
    /// The image.
    public let image: DecodedImage
    /// The source of the image.
    public let source: ImageSource
    /// Why the image is shown although its response is no longer fresh, or although its server couldn't confirm it when
    /// the request demanded that; nil otherwise.
    public internal(set) var staleReason: StaleReason?
    /// How long the load and its stages took.
    public let timings: LoadTimings
    /// Whether this is the image of ``ImageRequest/lowResolution``, which the one asked for follows.
    public internal(set) var isLowResolution = false
    /// Nil if no server was involved.
    let exchange: Exchange?

    /// The response that an image was made from.
    struct Exchange {
        let response: StoredResponse
        let url: URL
        /// When a cache answered, in seconds since 1970.
        let answered: Int64
    }

    /// How long the server's response may be used, including one from a cache. Nil if no server was involved, as for
    /// files.
    public var freshness: Freshness? { exchange?.response.freshness }

    /// The status and the header fields of the server's response that a cache may store, without those of the
    /// connection and without cookies. From a cache, they include its age. The URL is that of the request, or
    /// of the fallback. Nil if no server was involved.
    ///
    /// A server that hands the image on finds there what its own clients may do with it: `Cache-Control`, `ETag`,
    /// `Last-Modified` and `Vary`.
    public var head: ResponseHead? {
        guard let exchange else { return nil }
        let isCached = source == .memory || source == .disk
        return exchange.response.head(at: exchange.url, cachedAt: isCached ? exchange.answered : nil)
    }

    /// Whether there is a ``staleReason``.
    public var isStale: Bool { staleReason != nil }
}

/// The source of an image.
public enum ImageSource: String, Sendable, Hashable, CaseIterable {
    /// Decoded already, in the memory cache.
    case memory
    /// Made from bytes in the disk cache.
    case disk
    /// Downloaded.
    case network
    /// A file of this machine, a data URL, or bytes of the program's own.
    case local
}

/// How long the stages of a load took. A stage that wasn't needed is nil.
///
/// Callers that share a load share its stages as well, so for a caller that joined late, a stage may be longer than the
/// total.
public struct LoadTimings: Sendable, Hashable {
    /// From the call to its return, as this caller saw it.
    public internal(set) var total: Duration = .zero
    /// Reading the disk cache or a local file.
    public internal(set) var disk: Duration?
    /// The download, waiting for its turn included.
    public internal(set) var download: Duration?
    /// Decoding, waiting for its turn included.
    public internal(set) var decode: Duration?
    /// Processing, waiting for its turn included.
    public internal(set) var process: Duration?
}
