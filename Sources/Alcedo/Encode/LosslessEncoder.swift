import Foundation

// Encoders whose files decode to exactly the same pixels. They throw when that isn't possible, and are nil where there
// is none.

#if os(Linux) && PNG
let losslessEncoder: (any ImageEncoding)? = PNGEncoder.exact
let losslessAnimationEncoder: (any AnimationEncoding)? = PNGEncoder.exact

/// Returns `file`, which ``losslessEncoder`` wrote, with a colour profile that decodes unchanged; nil when the file
/// can't hold the profile.
func losslessFile(_ file: Data, with profile: Data, limits: DecodeLimits) -> Data? {
    PNGProfile.embedded(profile, in: file, limits: limits)
}
#else
#if canImport(ImageIO)
let losslessEncoder: (any ImageEncoding)? = PNGEncoder.exact
#else
let losslessEncoder: (any ImageEncoding)? = nil
#endif
let losslessAnimationEncoder: (any AnimationEncoding)? = nil

/// Returns nil: ImageIO would convert the colours with the profile when reading the file.
func losslessFile(_ file: Data, with profile: Data, limits: DecodeLimits) -> Data? { nil }
#endif
