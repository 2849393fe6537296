#if GIF
public import Foundation

/// Writes GIF, still and animated, without a library.
///
/// GIF has 256 colours for each frame. Frames that have no more are kept exactly; of others the best ones are looked
/// for. A pixel is seen or not: one whose alpha is less than 128 is transparent, any other one opaque. Of each frame
/// only what has changed is written. Delays are rounded to hundredths of a second in such a way that the whole lasts as
/// long as it should, and those of 10 ms or less, which browsers show for 100 ms, stay what they are.
///
/// Costs some 100 ms per megapixel of a photo, 150 with ``dithers``, and 15 where colours are kept exactly; and three
/// canvases besides the file while it writes. Photos come to some 36 to 39 dB without dots, to 3 or 4 less with them.
public struct GIFEncoder: ImageEncoding, AnimationEncoding {
    /// Whether colours that are missing are made of dots of others (Floyd and Steinberg's way), so that soft gradients
    /// do not turn into steps; such files are larger. True by default. Has no effect on frames that are kept exactly.
    public var dithers: Bool

    public var format: ImageFormat { .gif }

    /// - Parameter dithers: see ``dithers``.
    public init(dithers: Bool = true) {
        self.dithers = dithers
    }

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
