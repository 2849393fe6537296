public import Foundation

/// A codec: reads one format.
///
/// Calls are synchronous and take as long as the picture needs; Alcedo makes them on threads of its own, never on the
/// cooperative pool.
public protocol ImageDecoding: Sendable {
    var format: ImageFormat { get }

    /// What the head of the file says; allocates no pixels and holds the claims against `limits`.
    func header(of data: Data, limits: DecodeLimits) throws(ImageLoaderError) -> ImageHeader

    /// The picture, upright, whole or not at all: bytes that end too early are an error.
    func decode(_ data: Data, limits: DecodeLimits) throws(ImageLoaderError) -> DecodedImage
}

/// What a file says of itself before its pixels are decoded.
public struct ImageHeader: Sendable, Hashable {
    public var format: ImageFormat
    /// The stored size, before the orientation is applied.
    public var size: PixelSize
    public var orientation: Orientation

    public init(format: ImageFormat, size: PixelSize, orientation: Orientation = .up) {
        self.format = format
        self.size = size
        self.orientation = orientation
    }
}

/// How the stored rows and columns lie in the upright picture, numbered as EXIF does (tag 0x0112).
public enum Orientation: UInt8, Sendable, Hashable, CaseIterable {
    case up = 1, upMirrored, down, downMirrored, leftMirrored, right, rightMirrored, left

    /// Whether width and height change places.
    public var swapsSides: Bool { rawValue >= 5 }
}
