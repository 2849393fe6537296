/// Up to 256 colors and their indices: a hash table of fixed size, at most a quarter full.
struct ColorTable {
    private var colors = [UInt32](repeating: 0, count: 1024)
    private var places = [UInt8](repeating: 0, count: 1024)
    /// The colors, in the order they were added.
    private(set) var all: [UInt32] = []

    /// The index of the color, which must not be 0; nil when it isn't in the table.
    func place(of color: UInt32) -> UInt8? {
        let slot = slot(of: color)
        return colors[slot] == 0 ? nil : places[slot]
    }

    /// Adds the color, which must not be 0, unless it is present. Returns false when there are already 256 other
    /// colors.
    mutating func add(_ color: UInt32) -> Bool {
        let slot = slot(of: color)
        if colors[slot] != 0 { return true }
        guard all.count < 256 else { return false }
        colors[slot] = color
        places[slot] = UInt8(all.count)
        all.append(color)
        return true
    }

    /// The slot of the color, or the one to insert it in.
    private func slot(of color: UInt32) -> Int {
        var slot = Int((color &* 0x9E37_79B1) >> 22)
        while colors[slot] != 0, colors[slot] != color { slot = (slot + 1) & 1023 }
        return slot
    }
}
