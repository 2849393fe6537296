/// The reduced size at which a JPEG is decoded. libjpeg reduces at almost no cost, but has vector instructions only for
/// these sizes.
struct JPEGReduction: Sendable, Hashable {
    /// The stored size.
    let original: PixelSize
    /// 1, 2, 4 or 8.
    let denominator: Int
    /// The decoded size: the sides divided by the denominator, rounded up.
    let size: PixelSize

    /// Chooses the smallest size that is at least twice as large as `least` in both dimensions.
    ///
    /// Resampling then does the last halving, which it does better: the result differs from scaling the full-size
    /// picture by less than the eye, or JPEG itself, would notice (about 50 dB). Decoding directly to the size would
    /// differ far more (40 dB).
    init(of original: PixelSize, atLeast least: PixelSize?) {
        func reduced(by denominator: Int) -> PixelSize {
            PixelSize(
                width: (original.width + denominator - 1) / denominator,
                height: (original.height + denominator - 1) / denominator)
        }
        self.original = original
        denominator =
            least.flatMap { least in
                // Halves the size instead of doubling `least`, which may be as large as `Int.max`.
                [8, 4, 2].first {
                    let size = reduced(by: $0)
                    return size.width / 2 >= least.width && size.height / 2 >= least.height
                }
            } ?? 1
        size = reduced(by: denominator)
    }
}
