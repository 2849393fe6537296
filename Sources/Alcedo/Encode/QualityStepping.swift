public import Foundation

/// An encoder with a quality that determines the size of its files.
public protocol QualityStepping: Sendable {
    /// The current quality, from 0 to 100; nil when the encoder is lossless.
    var steppedQuality: Int? { get }

    /// Returns the same encoder with another quality from 0 to 100; all other settings are kept.
    func stepped(to quality: Int) -> Self
}

#if canImport(ImageIO) || os(Linux) && JPEG
extension JPEGEncoder: QualityStepping {
    public var steppedQuality: Int? { quality }

    public func stepped(to quality: Int) -> JPEGEncoder {
        var encoder = self
        encoder.quality = quality
        return encoder
    }
}
#endif

#if os(Linux) && WebP
extension WebPEncoder: QualityStepping {
    public var steppedQuality: Int? {
        switch compression {
        case .lossy(let quality), .automatic(let quality): quality
        case .lossless, .nearLossless: nil
        }
    }

    public func stepped(to quality: Int) -> WebPEncoder {
        var encoder = self
        if case .automatic = compression {
            encoder.compression = .automatic(quality: quality)
        } else {
            encoder.compression = .lossy(quality: quality)
        }
        return encoder
    }
}
#endif

#if os(Linux) && AVIF
extension AVIFEncoder: QualityStepping {
    public var steppedQuality: Int? { quality }

    public func stepped(to quality: Int) -> AVIFEncoder {
        var encoder = self
        encoder.quality = quality
        return encoder
    }
}
#endif

extension ImageEncoding {
    /// Returns a file of at most `byteLimit` bytes that shows `bitmap`, taken as sRGB, with the best quality that fits.
    ///
    /// An encoder that conforms to ``QualityStepping`` tries its own quality first, and then searches the range down to
    /// `lowestQuality` by halving it: up to seven more tries for the full range. The sizes of neighboring qualities may
    /// be out of order by a few bytes, so the search may miss the best one by a step. Any other encoder tries only
    /// once.
    ///
    /// - Throws: ``ImageLoaderError/limitExceeded(_:value:allowed:)`` with ``ImageLoaderError/Limit/encodedBytes`` and
    ///   the size of the smallest file that was tried, when none fits, and as ``encode(_:)-(Bitmap)`` does.
    public func encode(
        _ bitmap: Bitmap, atMost byteLimit: Int, lowestQuality: Int = 0
    ) throws(ImageLoaderError) -> Data {
        try best(atMost: byteLimit, lowestQuality) { (encoder) throws(ImageLoaderError) in try encoder.encode(bitmap) }
    }

    /// Returns a file of at most `byteLimit` bytes that shows `image` in its colors, with the best quality that fits.
    ///
    /// The size includes the color profile, if one is written. Searches as
    /// ``encode(_:atMost:lowestQuality:)-(Bitmap,_,_)`` does, and throws as it and ``encode(_:)-(DecodedImage)`` do.
    public func encode(
        _ image: DecodedImage, atMost byteLimit: Int, lowestQuality: Int = 0
    ) throws(ImageLoaderError) -> Data {
        try best(atMost: byteLimit, lowestQuality) { (encoder) throws(ImageLoaderError) in try encoder.encode(image) }
    }

    /// Returns the bytes of a file of at most `byteLimit` bytes, as
    /// ``encode(_:atMost:lowestQuality:)-(DecodedImage,_,_)`` does, without blocking the calling Task's thread.
    ///
    /// Uses its own threads, one per core. A cancelled call throws ``ImageLoaderError/cancelled`` immediately, and
    /// tries no further quality.
    public func encodedFile(
        of image: DecodedImage, atMost byteLimit: Int, lowestQuality: Int = 0
    ) async throws(ImageLoaderError) -> Data {
        try await EncodingThreads.run { (cancellation) throws(ImageLoaderError) in
            try best(atMost: byteLimit, lowestQuality) { (encoder) throws(ImageLoaderError) in
                try cancellation.check()
                return try encoder.encode(image)
            }
        }
    }

    private func best(
        atMost byteLimit: Int, _ lowestQuality: Int, _ encode: (any ImageEncoding) throws(ImageLoaderError) -> Data
    ) throws(ImageLoaderError) -> Data {
        let stepping = self as? any ImageEncoding & QualityStepping
        var search = QualitySearch(from: stepping?.steppedQuality, downTo: lowestQuality, byteLimit: byteLimit)
        search.add(try encode(self))
        while let stepping, let quality = search.next { search.add(try encode(stepping.stepped(to: quality))) }
        return try search.outcome()
    }
}

extension AnimationEncoding {
    /// Returns a file of at most `byteLimit` bytes that shows `animation` with the best quality that fits.
    ///
    /// Searches as ``ImageEncoding/encode(_:atMost:lowestQuality:)-(Bitmap,_,_)`` does for a still image; each try
    /// decodes and encodes the whole animation. A cancelled call throws immediately.
    ///
    /// - Parameters:
    ///   - animation: the animation to encode.
    ///   - byteLimit: the largest size of the file, in bytes.
    ///   - lowestQuality: the lowest quality to try.
    ///   - delays: as for ``encode(_:delays:loopCount:)``.
    ///   - loopCount: as for ``encode(_:delays:loopCount:)``.
    /// - Throws: as ``ImageEncoding/encode(_:atMost:lowestQuality:)-(Bitmap,_,_)`` when no file fits, and as
    ///   ``encode(_:delays:loopCount:)`` does.
    public func encode(
        _ animation: AnimatedImage, atMost byteLimit: Int, lowestQuality: Int = 0, delays: [Duration]? = nil,
        loopCount: LoopCount? = nil
    ) async throws(ImageLoaderError) -> Data {
        let stepping = self as? any AnimationEncoding & QualityStepping
        var search = QualitySearch(from: stepping?.steppedQuality, downTo: lowestQuality, byteLimit: byteLimit)
        search.add(try await encode(animation, delays: delays, loopCount: loopCount))
        while let stepping, let quality = search.next {
            search.add(
                try await stepping.stepped(to: quality).encode(animation, delays: delays, loopCount: loopCount))
        }
        return try search.outcome()
    }
}
