import Foundation

/// A loaded image, its source and its timings.
public struct ImageResponse: Sendable {
    /// The image.
    public let image: DecodedImage
    /// The source of the image.
    public let source: ImageSource
    /// The reason for returning the image although its response is no longer fresh, or although its server couldn't
    /// confirm it when the request demanded that; nil otherwise.
    public internal(set) var staleReason: StaleReason?
    /// The durations of the load and its stages.
    public let timings: LoadTimings
    /// Whether this is the image of ``ImageRequest/lowResolution``, which the requested image follows.
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

    /// The freshness of the server's response, which may come from a cache: how long it may be used. Nil if no server
    /// was involved, as for files.
    public var freshness: Freshness? { exchange?.response.freshness }

    /// The status of the server's response and the header fields that a cache may store, without connection fields and
    /// cookies. For a response from a cache, they include its age. The URL is that of the request, or of the fallback.
    /// Nil if no server was involved.
    ///
    /// A server that passes the image on can tell from them how its own clients may use the image: `Cache-Control`,
    /// `ETag`, `Last-Modified` and `Vary`.
    public var head: ResponseHead? {
        guard let exchange else { return nil }
        let isCached = source == .memory || source == .disk
        return exchange.response.head(at: exchange.url, cachedAt: isCached ? exchange.answered : nil)
    }

    /// Whether the image is stale; see ``staleReason``.
    public var isStale: Bool { staleReason != nil }
}

/// The source of an image.
public enum ImageSource: String, Sendable, Hashable, CaseIterable {
    /// The memory cache, which holds decoded images.
    case memory
    /// The disk cache.
    case disk
    /// The network.
    case network
    /// A local file, a data URL, or bytes or an image that the program provides.
    case local
}

/// The durations of the stages of a load. A stage that wasn't needed is nil.
///
/// Callers that share a load also share its stages, so for a caller that joined late, a stage may be longer than the
/// total.
public struct LoadTimings: Sendable, Hashable {
    /// The time from this caller's call to its return.
    public internal(set) var total: Duration = .zero
    /// The time to read the disk cache or a local file.
    public internal(set) var disk: Duration?
    /// The time to download, including the wait for a slot.
    public internal(set) var download: Duration?
    /// The time to decode, including the wait for a turn.
    public internal(set) var decode: Duration?
    /// The time to process, including the wait for a turn.
    public internal(set) var process: Duration?
}
