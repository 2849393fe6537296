import Foundation

// The defaults of ``AutomaticEncoder``: the most suitable encoders of this build; nil where there is none.

#if canImport(ImageIO) || os(Linux) && JPEG
let builtInOpaqueEncoder: (any ImageEncoding)? = JPEGEncoder()
#else
let builtInOpaqueEncoder: (any ImageEncoding)? = builtInTransparentEncoder
#endif

#if os(Linux) && WebP
let builtInTransparentEncoder: (any ImageEncoding)? = WebPEncoder()
let builtInAnimationEncoder: (any AnimationEncoding)? = WebPEncoder()
#elseif os(Linux) && PNG
let builtInTransparentEncoder: (any ImageEncoding)? = PNGEncoder()
let builtInAnimationEncoder: (any AnimationEncoding)? = PNGEncoder()
#elseif canImport(ImageIO)
let builtInTransparentEncoder: (any ImageEncoding)? = PNGEncoder()
let builtInAnimationEncoder: (any AnimationEncoding)? = GIFEncoder()
#elseif GIF
let builtInTransparentEncoder: (any ImageEncoding)? = GIFEncoder()
let builtInAnimationEncoder: (any AnimationEncoding)? = GIFEncoder()
#else
let builtInTransparentEncoder: (any ImageEncoding)? = nil
let builtInAnimationEncoder: (any AnimationEncoding)? = nil
#endif

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
