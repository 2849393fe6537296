#if GIF || canImport(Darwin)
public import Foundation

/// Writes GIF, still and animated, without a library.
///
/// GIF supports 256 colors per frame, or 255 in a frame that has transparent parts or precedes a frame with new ones.
/// Frames with no more colors are kept exactly; for others, a palette is computed that represents them best. Pixels are
/// either visible or not: one with an alpha of less than 128 becomes transparent, any other one opaque. Only the part
/// that changed is written for each frame. Delays are rounded to hundredths of a second in a way that preserves the
/// total duration. Delays of 10 ms or less, which browsers replace with 100 ms, stay within 10 ms. An animation plays
/// at most 65,536 times, and a frame is shown for at most 655.35 seconds; larger values are lowered to these. GIF has
/// no color profiles: an image's colors are converted to sRGB.
///
/// Costs about 100 ms per megapixel of a photo, 150 ms with ``dithers``, and 15 ms where colors are kept exactly.
/// While writing, it holds three canvases besides the file. Photos reach about 36 to 39 dB without dithering, and 3 or
/// 4 dB less with it.
public struct GIFEncoder: ImageEncoding, AnimationEncoding {
    /// Whether to approximate missing colors by dithering (Floyd-Steinberg), so that soft gradients don't turn into
    /// steps. Default: true.
    ///
    /// Dithered files are larger. Has no effect on frames whose colors are kept exactly.
    public var dithers: Bool

    public var format: ImageFormat { .gif }

    public var identity: String { "GIF 1 \(dithers)" }

    /// Creates an encoder.
    ///
    /// - Parameter dithers: see ``dithers``.
    public init(dithers: Bool = true) { self.dithers = dithers }

    public func encode(_ bitmap: Bitmap) throws(ImageLoaderError) -> Data {
        try encode(CollectionOfOne(AnimationFrame(bitmap, delay: .zero)), loopCount: .times(1))
    }

    public func makeWriter(
        size: PixelSize, loopCount: LoopCount
    ) throws(ImageLoaderError) -> sending any AnimationWriting {
        try GIFWriter(size, loopCount, dithers: dithers)
    }
}
#endif
