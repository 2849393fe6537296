#if GIF || canImport(Darwin)
/// Up to 256 colors, each as 0xFFBBGGRR.
struct GIFPalette {
    let colors: [UInt32]

    /// 2 to the power of `bits` colors are written. At least 2, the minimum for pixel data, and if possible large
    /// enough to leave an unused index for ``transparentIndex``.
    let bits: Int

    init(_ colors: [UInt32]) {
        self.colors = colors
        bits = (2...8).first { colors.count < 1 << $0 } ?? 8
    }

    /// An index without a color; nil when there are 256 colors.
    ///
    /// It is the same in all palettes, because it is also the background index.
    var transparentIndex: UInt8? { colors.count < 256 ? Self.background : nil }

    /// The background index. Viewers clear with its color, unless it is transparent.
    static let background: UInt8 = 0

    /// The index of the first color.
    var firstIndex: UInt8 { transparentIndex == nil ? 0 : 1 }

    /// Red, green and blue of each color, padded with black.
    var bytes: [UInt8] {
        var bytes = [UInt8](repeating: 0, count: Int(firstIndex) * 3)
        for color in colors { bytes += [0, 8, 16].map { UInt8(truncatingIfNeeded: color >> $0) } }
        return bytes + [UInt8](repeating: 0, count: (3 << bits) - bytes.count)
    }
}
#endif
