/// A response in a cache that may only be used once its server has confirmed it.
struct HeldResponse: Sendable {
    let response: StoredResponse
    /// The image made from it, if that is in memory.
    let image: DecodedImage?
}

/// What a cache has for a load.
enum CacheAnswer<Usable: Sendable>: Sendable {
    case usable(Usable)
    case held(HeldResponse)
    case nothing

    var held: HeldResponse? { if case .held(let held) = self { held } else { nil } }
}
