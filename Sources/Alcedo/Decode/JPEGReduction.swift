/// The reduced size at which a JPEG is decoded. libjpeg reduces at almost no cost, but has vector instructions only for
/// these sizes.
struct JPEGReduction: Sendable, Hashable {
    /// The stored size.
    let original: PixelSize
    /// 1, 2, 4 or 8.
    let denominator: Int
    /// The original's sides divided by the denominator, rounded up.
    let whole: PixelSize
    /// The part of the reduced image that is decoded; nil for all of it.
    let part: PixelRectangle?
    /// The decoded size.
    var size: PixelSize { part?.size ?? whole }

    /// Chooses the smallest size that is at least twice as large as `least` in both dimensions.
    ///
    /// The final scaling step then halves the size once more, with better quality: the result differs from scaling the
    /// full-size image by less than the eye, or JPEG itself, would notice (about 50 dB). Decoding directly to the final
    /// size would differ far more (40 dB).
    ///
    /// For a region, all pixels that contribute to its pixels are decoded.
    ///
    /// If the bitmap would take more than `bitmapBytes`, this chooses the largest size that doesn't, provided that it
    /// is no smaller than `least`.
    init(
        of original: PixelSize, region: PixelRectangle? = nil, atLeast least: PixelSize?, bitmapBytes: Int = .max
    ) {
        func reduced(_ size: PixelSize, by denominator: Int) -> PixelSize {
            PixelSize(
                width: (size.width + denominator - 1) / denominator,
                height: (size.height + denominator - 1) / denominator)
        }
        let shown = region?.size ?? original
        func reduced(by denominator: Int) -> PixelSize { reduced(shown, by: denominator) }
        self.original = original
        func suits(_ denominator: Int, halved times: Int) -> Bool {
            // Halves the size instead of doubling `least`, which may be as large as `Int.max`.
            let size = reduced(by: denominator)
            return least.map { size.width / times >= $0.width && size.height / times >= $0.height } ?? false
        }
        func fits(_ denominator: Int) -> Bool {
            let size = reduced(by: denominator)
            return size.width.multiplied(by: size.height).multiplied(by: 4) <= bitmapBytes
        }
        let best = [8, 4, 2].first { suits($0, halved: 2) } ?? 1
        let affordable = fits(best) ? nil : [2, 4, 8].first { $0 > best && suits($0, halved: 1) && fits($0) }
        let denominator = affordable ?? best
        self.denominator = denominator
        whole = reduced(original, by: denominator)
        part = region.map { region in
            PixelRectangle(
                region.x / denominator..<(region.x + region.size.width + denominator - 1) / denominator,
                region.y / denominator..<(region.y + region.size.height + denominator - 1) / denominator)
        }
    }

    /// The pixels of the original that are decoded; nil for all.
    var covered: PixelRectangle? {
        part.map { part in
            let (x, y) = (part.x * denominator, part.y * denominator)
            return PixelRectangle(
                x..<min(original.width, x + part.size.width * denominator),
                y..<min(original.height, y + part.size.height * denominator))
        }
    }
}
