/// A picture as a parameter of a processor, with the digest that identifies it.
struct IdentifiedPicture: Sendable {
    let bitmap: Bitmap
    private let digest: [UInt8]

    /// Computes the digest.
    init(_ bitmap: Bitmap) {
        self.bitmap = bitmap
        digest = bitmap.withUnsafeBytes { SHA256.digest(of: $0) }
    }

    func identify(in identity: inout ProcessorIdentity) {
        identity.add(bitmap.size)
        identity.add(digest)
    }
}
