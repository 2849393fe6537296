extension DecodeGate {
    /// Whether two images have the same pixels. Animations only do if they are the same.
    ///
    /// Large ones are compared on a thread outside the cooperative pool: all their bytes take milliseconds.
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

    /// Comparing so many bytes takes less than 0.1 ms.
    private static let mostComparedHere = 256 << 10
}
