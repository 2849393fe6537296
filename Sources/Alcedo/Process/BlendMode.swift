/// The way a picture is combined with the one beneath it (W3C, "Compositing and Blending Level 1").
///
/// The first twelve blend the colours where both are visible. The others keep, or leave out, the parts of the picture
/// above (the source) and beneath (the destination) that lie inside or outside of the other; ``lighter`` adds them up.
/// There is no `clear`, `copy` or `destination`, which combine nothing.
public enum BlendMode: String, Sendable, Hashable, CaseIterable {
    /// The picture above covers the one beneath. The same as ``sourceOver``.
    case normal
    /// The product of the colours: never lighter than either.
    case multiply
    /// The inverted product of the inverted colours: never darker than either.
    case screen
    /// Multiplies where the picture beneath is dark, and screens where it is light.
    case overlay
    /// The darker of the colours, for each channel.
    case darken
    /// The lighter of the colours, for each channel.
    case lighten
    /// Lightens the picture beneath so as to reflect the one above.
    case colorDodge
    /// Darkens the picture beneath so as to reflect the one above.
    case colorBurn
    /// Multiplies where the picture above is dark, and screens where it is light.
    case hardLight
    /// Darkens or lightens the picture beneath, more softly than ``hardLight``.
    case softLight
    /// The difference of the colours.
    case difference
    /// Like ``difference``, with less contrast.
    case exclusion

    /// The part of the picture above that lies within the one beneath.
    case sourceIn
    /// The part of the picture above that lies outside of the one beneath.
    case sourceOut
    /// The picture above within the one beneath, and the rest of the latter.
    case sourceAtop
    /// The picture beneath covers the one above.
    case destinationOver
    /// The part of the picture beneath that lies within the one above.
    case destinationIn
    /// The part of the picture beneath that lies outside of the one above.
    case destinationOut
    /// The picture beneath within the one above, and the rest of the latter.
    case destinationAtop
    /// The parts of both that lie outside of the other.
    case xor
    /// The sum of both, of their colours and of their alpha, up to full scale.
    case lighter

    /// The picture above covers the one beneath. The same as ``normal``.
    public static let sourceOver = BlendMode.normal
}
