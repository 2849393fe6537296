/// The part of an image that has been received while it is still loading.
///
/// Show it until the image itself is available. It isn't a ``DecodedImage``, and no cache stores it.
public struct ImagePreview: Sendable {
    /// The pixels: premultiplied RGBA8, upright, in the size that the final image will have.
    ///
    /// Parts that haven't arrived yet are transparent.
    public let bitmap: Bitmap
    /// The number of bytes of the file that the preview was made from.
    public let receivedBytes: Int
    /// The size of the whole file in bytes; nil if the server hasn't said.
    public let expectedBytes: Int?
    /// The drawn share of the image's stored rows, from 0 to 1.
    ///
    /// For a progressive JPEG or an interlaced PNG, the share soon reaches 1; ``quality`` then says how fine it is.
    public let coverage: Double
    /// The quality of the drawn part.
    public let quality: Quality

    /// The quality of the drawn part of a preview.
    public enum Quality: Sendable, Hashable {
        /// The drawn part will become finer.
        ///
        /// `pass` counts the passes over the image from 1, including the current one: the scans of a JPEG, the passes
        /// of an interlaced PNG.
        case coarse(pass: Int)
        /// The drawn part won't change anymore.
        case final
    }
}
