import Foundation

/// An image as a parameter of a processor, with the digests that identify it.
struct IdentifiedPicture: Sendable {
    private let bitmap: Bitmap
    /// The color profile; nil for sRGB.
    private let profile: Data?
    private let digests: [[UInt8]]

    var size: PixelSize { bitmap.size }

    /// Computes the digests.
    init(_ bitmap: Bitmap, _ profile: Data? = nil) {
        (self.bitmap, self.profile) = (bitmap, profile)
        digests =
            [bitmap.withUnsafeBytes { SHA256.digest(of: $0) }]
            + (profile.map { [$0.withUnsafeBytes { SHA256.digest(of: $0) }] } ?? [])
    }

    func identify(in identity: inout ProcessorIdentity) {
        identity.add(bitmap.size)
        for digest in digests { identity.add(digest) }
    }

    /// The bitmap in the colors of the image that is processed.
    func bitmap(in context: ProcessingContext) throws(ImageLoaderError) -> Bitmap {
        try context.converted(bitmap, from: profile)
    }
}
