/// A cache's answer to a load.
enum CacheAnswer<Usable: Sendable, Unconfirmed: Sendable>: Sendable {
    case usable(Usable)
    /// Usable once its server has confirmed it.
    case unconfirmed(Unconfirmed)
    case nothing
}

extension LoadPath {
    /// Returns whether a cached response may be used for a request, with the reason if it is stale.
    ///
    /// - Parameter response: The cached response; nil for an entry that the program stored, which no server can
    ///   confirm.
    func answer(
        of response: StoredResponse?, to request: ImageRequest
    ) -> CacheAnswer<StaleReason?, StoredResponse> {
        guard let response else { return request.query.policy == .revalidate ? .nothing : .usable(nil) }
        switch request.query.decision(on: response.freshness, at: time.secondsSince1970()) {
        case .use(let reason): return .usable(reason)
        case .useAndRevalidate: return .usable(.whileRevalidating)
        case .revalidate: return .unconfirmed(response)
        case .fetch, .fail: return .nothing
        }
    }
}

/// An image in a cache that may only be used once its server has confirmed its response.
struct UnconfirmedImage: Sendable {
    let response: StoredResponse
    /// Nil if the image is on disk.
    let image: DecodedImage?
}
