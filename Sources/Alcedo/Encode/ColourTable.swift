/// Up to 256 colours and their indices: a hash table of fixed size, at most a quarter full.
struct ColourTable {
    private var colours = [UInt32](repeating: 0, count: 1024)
    private var places = [UInt8](repeating: 0, count: 1024)
    /// In the order they were added.
    private(set) var all: [UInt32] = []

    /// The index of the colour, which must not be 0; nil when it isn't in the table.
    func place(of colour: UInt32) -> UInt8? {
        let slot = slot(of: colour)
        return colours[slot] == 0 ? nil : places[slot]
    }

    /// Adds the colour, which must not be 0, unless it is present. Returns false when there are already 256 other
    /// colours.
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
