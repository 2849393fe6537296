/// A picture that is still being loaded, as far as it has come.
///
/// It is shown in the place of the picture until that is there. It is no ``DecodedImage``, and no cache takes one.
public struct ImagePreview: Sendable {
    /// The pixels: premultiplied RGBA8, upright, of the size that the picture itself will have. What has not come yet
    /// is transparent.
    public let bitmap: Bitmap
    /// Bytes of the file that it was made of.
    public let receivedBytes: Int
    /// Bytes of the whole file; nil when the server has not said.
    public let expectedBytes: Int?
    /// How much of the picture is drawn, from 0 to 1: the share of its rows as the file stores them. Of a progressive
    /// JPEG or an interlaced PNG that is soon all of it, and ``quality`` tells how well.
    public let coverage: Double
    /// How fine what is drawn is.
    public let quality: Quality

    package init(
        bitmap: Bitmap, receivedBytes: Int, expectedBytes: Int?, coverage: Double, quality: Quality
    ) {
        self.bitmap = bitmap
        self.receivedBytes = receivedBytes
        self.expectedBytes = expectedBytes
        self.coverage = coverage
        self.quality = quality
    }

    /// How fine what a preview draws is.
    public enum Quality: Sendable, Hashable {
        /// It will become finer. `pass` counts from 1 how often the file has gone over the picture, the one under way
        /// included: the scans of a JPEG, the passes of an interlaced PNG.
        case coarse(pass: Int)
        /// It is as it will be.
        case final
    }
}
