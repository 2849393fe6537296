import Foundation

/// The properties of a stored image that its file doesn't state.
package struct StoredImageDetails: Sendable {
    /// Whether the file was stored as received, without having been decoded.
    var isUndecoded = false
    /// The format of the file; nil if it isn't known.
    var format: ImageFormat?
    /// Nil for a file stored as received.
    var reencoded: Reencoded?

    /// An image that was encoded to a new file.
    struct Reencoded: Sendable {
        /// The format that the image was decoded from, and its size in that file.
        var format: ImageFormat?
        var originalSize: PixelSize?
        /// Whether the image was scaled or processed.
        var isMade: Bool
        var isOpaque: Bool
        var profile: Data?
    }
}

extension DecodedImage {
    /// The image as it was before it was written to a file.
    ///
    /// - Parameter mayBeEnlarged: Whether the image may be larger than its original.
    func restored(_ details: StoredImageDetails.Reencoded, mayBeEnlarged: Bool) -> DecodedImage {
        var original = originalSize
        // The details may be wrong. A loaded image is no larger than its original unless it was scaled up.
        let least = !details.isMade || mayBeEnlarged ? PixelSize(width: 1, height: 1) : size
        if let told = details.originalSize, told.width >= least.width, told.height >= least.height { original = told }
        let profile = profile ?? details.profile
        return DecodedImage(
            bitmap: bitmap, format: details.format ?? format, originalSize: original,
            isOpaque: details.isOpaque, profile: profile, animation: animation?.withProfile(profile),
            scale: scale, isComplete: isComplete, metadata: metadata)
    }
}
