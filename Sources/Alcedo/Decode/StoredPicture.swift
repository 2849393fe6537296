package import Foundation

/// A decoded picture as the file stores it, before it is turned upright.
package struct StoredPicture: Sendable {
    package let bitmap: Bitmap
    package let orientation: Orientation

    /// The one place where the orientation is applied.
    func upright(as format: ImageFormat, limits: DecodeLimits) throws(ImageLoaderError) -> DecodedImage {
        DecodedImage(bitmap: try bitmap.upright(from: orientation, limits: limits), format: format)
    }
}

/// A decoder that can stop before the orientation: the common path of all of Alcedo's own.
package protocol StoredPictureDecoding: ImageDecoding {
    func decodeStored(_ data: Data, limits: DecodeLimits) throws(ImageLoaderError) -> StoredPicture
}

extension StoredPictureDecoding {
    public func decode(_ data: Data, limits: DecodeLimits) throws(ImageLoaderError) -> DecodedImage {
        try decodeStored(data, limits: limits).upright(as: format, limits: limits)
    }
}
