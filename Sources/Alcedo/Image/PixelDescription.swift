#if canImport(CoreGraphics)
package import Foundation

/// The properties of a bitmap's pixels that the bitmap itself doesn't know.
package struct PixelDescription: Sendable, Equatable {
    /// Whether no pixel is transparent, so that the system needn't blend them.
    package let isOpaque: Bool
    /// The profile of the colors; nil for sRGB. An unusable profile is ignored.
    package let profile: Data?

    package init(isOpaque: Bool = false, profile: Data? = nil) {
        self.isOpaque = isOpaque
        self.profile = profile
    }
}
#endif
