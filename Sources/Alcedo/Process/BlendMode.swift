/// The way an image is combined with the one beneath it (W3C, "Compositing and Blending Level 1").
///
/// The first twelve modes blend the colors where both images are visible. The others keep or leave out the parts of the
/// image above (the source) and of the image beneath (the destination) that lie inside or outside the other;
/// ``lighter`` adds the images. There is no `clear`, `copy` or `destination`, which combine nothing.
public enum BlendMode: String, Sendable, Hashable, CaseIterable {
    /// The image above covers the one beneath. The same as ``sourceOver``.
    case normal
    /// The product of the colors: never lighter than either.
    case multiply
    /// The inverted product of the inverted colors: never darker than either.
    case screen
    /// Multiplies where the image beneath is dark, and screens where it is light.
    case overlay
    /// The darker of the colors, for each channel.
    case darken
    /// The lighter of the colors, for each channel.
    case lighten
    /// Lightens the image beneath so as to reflect the one above.
    case colorDodge
    /// Darkens the image beneath so as to reflect the one above.
    case colorBurn
    /// Multiplies where the image above is dark, and screens where it is light.
    case hardLight
    /// Darkens or lightens the image beneath, more softly than ``hardLight``.
    case softLight
    /// The difference of the colors.
    case difference
    /// Like ``difference``, with less contrast.
    case exclusion

    /// The part of the image above that lies within the one beneath.
    case sourceIn
    /// The part of the image above that lies outside the one beneath.
    case sourceOut
    /// The image above within the one beneath, and the rest of the latter.
    case sourceAtop
    /// The image beneath covers the one above.
    case destinationOver
    /// The part of the image beneath that lies within the one above.
    case destinationIn
    /// The part of the image beneath that lies outside the one above.
    case destinationOut
    /// The image beneath within the one above, and the rest of the latter.
    case destinationAtop
    /// The parts of each image that lie outside the other.
    case xor
    /// The sums of the colors and of the alpha of both images, up to full scale.
    case lighter

    /// The image above covers the one beneath. The same as ``normal``.
    public static let sourceOver = BlendMode.normal
}
