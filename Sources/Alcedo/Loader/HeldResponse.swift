/// A response in a cache that may only be used once its server has confirmed it.
struct HeldResponse: Sendable {
    let response: StoredResponse
    /// The image made from it, if that is in memory.
    let image: DecodedImage?
}

/// A cache's answer to a load.
enum CacheAnswer<Usable: Sendable, Held: Sendable>: Sendable {
    case usable(Usable)
    /// Usable once its server has confirmed it.
    case held(Held)
    case nothing

    var held: Held? { if case .held(let held) = self { held } else { nil } }
}
