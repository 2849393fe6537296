import Foundation

extension ImageHeader {
    /// Reads the header of a JPEG: its segments up to the first scan.
    init(jpeg data: Data, limits: DecodeLimits) throws(ImageLoaderError) {
        let markers = try JPEGMarkers(scanning: data.span, limits: limits)
        self.init(format: .jpeg, size: markers.size, orientation: markers.orientation)
        hasAlpha = false
        // Other depths are rejected.
        bitsPerSample = 8
        frameCount = 1
        profileBytes = markers.profileBytes
        coefficientBytes = markers.coefficientBytes
        try limits.check(size)
    }

    /// Reads the header of a PNG, and the lengths of its chunks to find an orientation.
    init(png data: Data, limits: DecodeLimits) throws(ImageLoaderError) {
        let chunks = try PNGChunks(scanning: data.span, limits: limits)
        self.init(format: .png, size: chunks.size, orientation: chunks.orientation)
        hasAlpha = chunks.hasAlpha
        bitsPerSample = chunks.bitsPerSample
        // The header doesn't say whether the announced frames are well-formed.
        frameCount = chunks.isAnimated ? nil : 1
        profileBytes = chunks.profile?.count
        isInterlaced = chunks.isInterlaced
        try limits.check(size)
    }
}
