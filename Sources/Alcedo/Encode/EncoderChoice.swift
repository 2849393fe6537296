/// An encoder that ``AutomaticEncoder/init(accept:)`` may choose, for clients that accept its format.
struct EncoderChoice: Sendable {
    let type: String
    let encoder: any ImageEncoding
    let holdsTransparency: Bool
    let drawn: (any ImageEncoding)?
    let animation: (any AnimationEncoding)?

    init(
        _ type: String, _ encoder: any ImageEncoding, holdsTransparency: Bool = true,
        drawn: (any ImageEncoding)? = nil, animation: (any AnimationEncoding)? = nil
    ) {
        (self.type, self.encoder, self.holdsTransparency) = (type, encoder, holdsTransparency)
        (self.drawn, self.animation) = (drawn, animation)
    }

    /// Whether all clients read the format: a wildcard then includes it, and it is used if the client accepts no
    /// format.
    private var isCommon: Bool { !["image/avif", "image/webp"].contains(type) }

    /// Returns the first encoder whose format the client accepts. A format listed by name gives way to formats listed
    /// with a higher weight. If the client accepts none, returns the first encoder whose format all clients read.
    static func best(of all: [EncoderChoice], for types: AcceptedTypes) -> EncoderChoice? {
        let accepted = all.filter { $0.isCommon ? types.accepts($0.type) : types.listedWeight(of: $0.type) ?? 0 > 0 }
        let highest = accepted.compactMap { types.listedWeight(of: $0.type) }.max()
        let best = accepted.first { [nil, highest].contains(types.listedWeight(of: $0.type)) }
        return best ?? all.first(where: \.isCommon)
    }
}
