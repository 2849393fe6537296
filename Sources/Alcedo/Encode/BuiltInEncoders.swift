import Foundation

// The defaults of ``AutomaticEncoder``: the most suitable encoders of this build; nil where there is none.

#if canImport(ImageIO) || os(Linux) && JPEG
let builtInOpaqueEncoder: (any ImageEncoding)? = JPEGEncoder()
#else
let builtInOpaqueEncoder: (any ImageEncoding)? = builtInTransparentEncoder
#endif

#if os(Linux) && WebP
let builtInTransparentEncoder: (any ImageEncoding)? = WebPEncoder()
let builtInDrawnEncoder: (any ImageEncoding)? = WebPEncoder(.lossless)
let builtInAnimationEncoder: (any AnimationEncoding)? = WebPEncoder(.automatic(quality: 80))
#elseif os(Linux) && PNG
let builtInTransparentEncoder: (any ImageEncoding)? = PNGEncoder()
let builtInDrawnEncoder: (any ImageEncoding)? = PNGEncoder()
let builtInAnimationEncoder: (any AnimationEncoding)? = PNGEncoder()
#elseif canImport(ImageIO)
let builtInTransparentEncoder: (any ImageEncoding)? = PNGEncoder()
let builtInDrawnEncoder: (any ImageEncoding)? = PNGEncoder()
let builtInAnimationEncoder: (any AnimationEncoding)? = GIFEncoder()
#elseif GIF
let builtInTransparentEncoder: (any ImageEncoding)? = GIFEncoder()
let builtInDrawnEncoder: (any ImageEncoding)? = nil
let builtInAnimationEncoder: (any AnimationEncoding)? = GIFEncoder()
#else
let builtInTransparentEncoder: (any ImageEncoding)? = nil
let builtInDrawnEncoder: (any ImageEncoding)? = nil
let builtInAnimationEncoder: (any AnimationEncoding)? = nil
#endif

// The encoders that ``AutomaticEncoder/init(accept:)`` chooses from, the one with the smallest files first.

#if os(Linux) && AVIF
let avifChoice = [EncoderChoice("image/avif", AVIFEncoder())]
#else
let avifChoice: [EncoderChoice] = []
#endif

#if os(Linux) && WebP
let webPChoice = [
    EncoderChoice(
        "image/webp", WebPEncoder(), drawn: WebPEncoder(.lossless),
        animation: WebPEncoder(.automatic(quality: 80)))
]
#else
let webPChoice: [EncoderChoice] = []
#endif

#if canImport(ImageIO) || os(Linux) && JPEG
let jpegChoice = [EncoderChoice("image/jpeg", JPEGEncoder(), holdsTransparency: false)]
#else
let jpegChoice: [EncoderChoice] = []
#endif

#if canImport(ImageIO) || os(Linux) && PNG
let pngChoice = [EncoderChoice("image/png", PNGEncoder(), drawn: PNGEncoder())]
#else
let pngChoice: [EncoderChoice] = []
#endif

#if GIF || canImport(Darwin)
let gifChoice = [EncoderChoice("image/gif", GIFEncoder(), animation: GIFEncoder())]
#else
let gifChoice: [EncoderChoice] = []
#endif

// Encoders whose files decode to exactly the same pixels. They throw when that isn't possible, and are nil in builds
// without one.

#if os(Linux) && PNG
let losslessEncoder: (any ImageEncoding)? = PNGEncoder.exact
let losslessAnimationEncoder: (any AnimationEncoding)? = PNGEncoder.exact

/// Returns `file`, which ``losslessEncoder`` wrote, with a color profile that decodes unchanged; nil when the file
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

/// Returns nil: it isn't known whether ImageIO returns a profile unchanged.
func losslessFile(_ file: Data, with profile: Data, limits: DecodeLimits) -> Data? { nil }
#endif
