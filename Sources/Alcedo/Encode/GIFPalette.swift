#if GIF
/// Up to 256 colours, each as 0xFFBBGGRR.
struct GIFPalette {
    let colours: [UInt32]

    /// 2 to the power of it are written: at least 2, which is the least that pixels may have, and where that is
    /// possible with an index to spare, that of ``transparentIndex``.
    let bits: Int

    init(_ colours: [UInt32]) {
        self.colours = colours
        bits = (2...8).first { colours.count < 1 << $0 } ?? 8
    }

    /// The index of no colour; nil when there are 256 of them.
    var transparentIndex: UInt8? { UInt8(exactly: colours.count) }

    /// Red, green and blue of each colour, filled up with black.
    var bytes: [UInt8] {
        var bytes: [UInt8] = []
        for colour in colours { bytes += [0, 8, 16].map { UInt8(truncatingIfNeeded: colour >> $0) } }
        return bytes + [UInt8](repeating: 0, count: (3 << bits) - bytes.count)
    }
}

/// The places of colours in a palette: a table of fixed size, at most a quarter full.
struct GIFColourTable {
    private var colours = [UInt32](repeating: 0, count: 1024)
    private var places = [UInt8](repeating: 0, count: 1024)
    /// In the order they were added.
    private(set) var all: [UInt32] = []

    /// Where the colour, which is not 0, has its place; nil when it has none.
    func place(of colour: UInt32) -> UInt8? {
        let slot = slot(of: colour)
        return colours[slot] == 0 ? nil : places[slot]
    }

    /// Gives the colour a place; false when it has none and 256 others have.
    mutating func add(_ colour: UInt32) -> Bool {
        let slot = slot(of: colour)
        if colours[slot] != 0 { return true }
        guard all.count < 256 else { return false }
        colours[slot] = colour
        places[slot] = UInt8(all.count)
        all.append(colour)
        return true
    }

    /// Where the colour is, or would be.
    private func slot(of colour: UInt32) -> Int {
        var slot = Int((colour &* 0x9E37_79B1) >> 22)
        while colours[slot] != 0, colours[slot] != colour { slot = (slot + 1) & 1023 }
        return slot
    }
}
#endif
