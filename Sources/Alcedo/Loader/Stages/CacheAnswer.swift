/// A cache's answer to a load.
enum CacheAnswer<Usable: Sendable, Held: Sendable>: Sendable {
    case usable(Usable)
    /// Usable once its server has confirmed it.
    case held(Held)
    case nothing
}

/// An image in a cache that may only be used once its server has confirmed its response.
struct HeldImage: Sendable {
    let response: StoredResponse
    /// Nil if it is on disk.
    let image: DecodedImage?
}
