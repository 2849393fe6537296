extension DecodeGate {
    /// Whether two images have the same pixels. Animations are the same only if they share their first bitmap.
    ///
    /// Large images are compared on a thread outside the cooperative pool, because that takes milliseconds.
    @concurrent func isSame(
        _ one: DecodedImage, _ other: DecodedImage,
        by compare: @escaping @Sendable (Bitmap, Bitmap) -> Bool = { $0 == $1 }
    ) async -> Bool {
        let (first, second) = (one.bitmap, other.bitmap)
        if first === second { return true }
        guard one.animation == nil, other.animation == nil, first.size == second.size else { return false }
        if first.byteCount <= Self.mostComparedHere { return compare(first, second) }
        return await workers.run { compare(first, second) }
    }

    /// Comparing this many bytes takes less than 0.1 ms.
    private static let mostComparedHere = 256 << 10
}
