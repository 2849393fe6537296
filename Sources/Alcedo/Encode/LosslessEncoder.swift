import Foundation

// What is decoded again to the same pixels: each encoder throws where that can't be, and is nil where there is none.

#if os(Linux) && PNG
let losslessEncoder: (any ImageEncoding)? = PNGEncoder.exact
let losslessAnimationEncoder: (any AnimationEncoding)? = PNGEncoder.exact

/// `file`, which ``losslessEncoder`` wrote, with a colour profile that is read again as it is; nil where the file can't
/// hold it.
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

/// Nil: ImageIO would convert the colours by the profile when it reads them.
func losslessFile(_ file: Data, with profile: Data, limits: DecodeLimits) -> Data? { nil }
#endif
