#if GIF || canImport(Darwin)
/// Up to 256 colours, each as 0xFFBBGGRR.
struct GIFPalette {
    let colours: [UInt32]

    /// 2 to the power of `bits` colours are written. At least 2, the minimum for pixel data, and if possible large
    /// enough to leave an unused index for ``transparentIndex``.
    let bits: Int

    init(_ colours: [UInt32]) {
        self.colours = colours
        bits = (2...8).first { colours.count < 1 << $0 } ?? 8
    }

    /// An index without a colour; nil when there are 256 colours.
    ///
    /// The same in all palettes, as that of the background has to be.
    var transparentIndex: UInt8? { colours.count < 256 ? Self.background : nil }

    /// The index that viewers clear with, unless it is transparent.
    static let background: UInt8 = 0

    /// The index of the first colour.
    var firstIndex: UInt8 { transparentIndex == nil ? 0 : 1 }

    /// Red, green and blue of each colour, padded with black.
    var bytes: [UInt8] {
        var bytes = [UInt8](repeating: 0, count: Int(firstIndex) * 3)
        for colour in colours { bytes += [0, 8, 16].map { UInt8(truncatingIfNeeded: colour >> $0) } }
        return bytes + [UInt8](repeating: 0, count: (3 << bits) - bytes.count)
    }
}
#endif
