import Foundation

/// An image with its source. A class, so that little is copied on the way to the callers.
final class LoadedImage: Sendable {
    let image: DecodedImage
    let source: ImageSource
    /// The response that the image was made from; nil if there was none.
    let response: StoredResponse?
    /// The URL of the response; nil for the request's URL.
    let url: URL?
    /// The reason for using the image although its response is stale; nil if it isn't stale.
    let staleReason: StaleReason?
    let timings: LoadTimings
    /// The tickets for storing images made from this one: those of its load, or later ones if it has replaced an
    /// earlier image in the caches. Nil if nothing made from it may be stored.
    let tickets: Load.Tickets?

    init(
        _ image: DecodedImage, from source: ImageSource, _ response: StoredResponse? = nil,
        at url: URL? = nil, staleReason: StaleReason? = nil, timings: LoadTimings = LoadTimings(),
        tickets: Load.Tickets? = nil
    ) {
        (self.image, self.source, self.response, self.url) = (image, source, response, url)
        (self.staleReason, self.timings, self.tickets) = (staleReason, timings, tickets)
    }

    /// An image found in memory.
    convenience init(_ found: MemoryCache.Found, staleReason: StaleReason? = nil) {
        self.init(found.image, from: .memory, found.response, staleReason: staleReason)
    }

    var freshness: Freshness? { response?.freshness }

    func with(_ tickets: Load.Tickets?) -> LoadedImage {
        LoadedImage(
            image, from: source, response, at: url, staleReason: staleReason, timings: timings, tickets: tickets)
    }

    /// Returns this image as that of a fallback.
    func at(_ url: URL?) -> LoadedImage {
        LoadedImage(
            image, from: source, response, at: url, staleReason: staleReason, timings: timings, tickets: tickets)
    }
}
