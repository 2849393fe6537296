public import Foundation

/// A value that specifies which image to load, such as a URL or your own model of an image.
///
/// ``ImageSlot`` and ``ImagePrefetcher`` take such values where they take requests.
public protocol ImageRequestConvertible {
    /// The request that loads the image.
    var imageRequest: ImageRequest { get }
}

extension ImageRequest: ImageRequestConvertible {
    /// The request itself.
    public var imageRequest: ImageRequest { self }
}

extension URL: ImageRequestConvertible {
    /// A request for the image at this URL.
    public var imageRequest: ImageRequest { ImageRequest(url: self) }
}
