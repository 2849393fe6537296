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

/// The indices of colours in a palette: a hash table of fixed size, at most a quarter full.
struct GIFColourTable {
    private var colours = [UInt32](repeating: 0, count: 1024)
    private var places = [UInt8](repeating: 0, count: 1024)
    /// In the order they were added.
    private(set) var all: [UInt32] = []

    /// The index of the colour, which must not be 0; nil when it isn't in the palette.
    func place(of colour: UInt32) -> UInt8? {
        let slot = slot(of: colour)
        return colours[slot] == 0 ? nil : places[slot]
    }

    /// Adds the colour unless it is present. Returns false when there are already 256 other colours.
    mutating func add(_ colour: UInt32) -> Bool {
        let slot = slot(of: colour)
        if colours[slot] != 0 { return true }
        guard all.count < 256 else { return false }
        colours[slot] = colour
        places[slot] = UInt8(all.count)
        all.append(colour)
        return true
    }

    /// The slot of the colour, or the one to insert it in.
    private func slot(of colour: UInt32) -> Int {
        var slot = Int((colour &* 0x9E37_79B1) >> 22)
        while colours[slot] != 0, colours[slot] != colour { slot = (slot + 1) & 1023 }
        return slot
    }
}
#endif
