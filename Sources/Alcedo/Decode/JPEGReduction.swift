/// How much smaller than it is stored a JPEG is decoded: libjpeg does so for next to nothing, and has vector
/// instructions for these sizes alone.
struct JPEGReduction: Sendable, Hashable {
    /// As it is stored.
    let original: PixelSize
    /// 1, 2, 4 or 8.
    let denominator: Int
    /// As it is decoded: the sides divided by the denominator, rounded up.
    let size: PixelSize

    /// The smallest size that is at least twice as large as what is wanted, either way. Then half of the picture's
    /// detail is left to the resampling, which does it better: the result differs from that of the whole picture by
    /// less than the eye or JPEG itself would notice (some 50 dB), at once the size by far more (40 dB).
    init(of original: PixelSize, atLeast least: PixelSize?) {
        func reduced(by denominator: Int) -> PixelSize {
            PixelSize(
                width: (original.width + denominator - 1) / denominator,
                height: (original.height + denominator - 1) / denominator)
        }
        self.original = original
        denominator =
            least.flatMap { least in
                // Halves and not doubles: a target may be as large as there are numbers.
                [8, 4, 2].first {
                    let size = reduced(by: $0)
                    return size.width / 2 >= least.width && size.height / 2 >= least.height
                }
            } ?? 1
        size = reduced(by: denominator)
    }
}
