#if GIF || canImport(Darwin)
/// Packs indices as GIF's LZW codes. The counterpart of ``GIFUnpacker``.
struct GIFPacker {
    /// The codes, not yet divided into blocks.
    private(set) var bytes: [UInt8] = []
    private let indexBits: Int
    private var next = 0
    private var codeBits = 0
    /// Bits that don't fill a byte yet.
    private var pending: UInt32 = 0
    private var pendingBits = 0
    /// Strings, as a hash table: 12 bits for the code of all but the last index, that index, and 12 bits for the
    /// string's own code.
    private var table = [UInt32](repeating: Self.empty, count: Self.slots)

    private static let slots = 1 << 13
    /// Never equal to a string's entry: codes of strings are greater than the end code.
    private static let empty = UInt32.max

    /// - Parameter indexBits: from 2 to 8.
    init(indexBits: Int) { self.indexBits = indexBits }

    private var clear: UInt32 { 1 << UInt32(indexBits) }

    /// Packs all indices, none of which may have more bits than `indexBits`. Called once.
    mutating func pack(_ indices: [UInt8]) {
        bytes.reserveCapacity(indices.count / 2)
        start()
        guard var code = indices.first.map(UInt32.init) else { return finish() }
        for index in indices.dropFirst() {
            let key = code << 8 | UInt32(index)
            let slot = slot(of: key)
            if table[slot] != Self.empty {
                code = table[slot] & 0xFFF
                continue
            }
            put(code)
            if next < 1 << 12 {
                table[slot] = key << 12 | UInt32(next)
                next += 1
            } else {
                start()
            }
            code = UInt32(index)
        }
        put(code)
        finish()
    }

    private mutating func start() {
        // The reader counts the codes it receives: this clear code is the last one of the old width.
        if codeBits == 0 { codeBits = indexBits + 1 }
        put(clear)
        codeBits = indexBits + 1
        next = Int(clear) + 2
        for slot in table.indices { table[slot] = Self.empty }
    }

    private mutating func finish() {
        put(clear + 1)
        if pendingBits > 0 { bytes.append(UInt8(truncatingIfNeeded: pending)) }
    }

    private mutating func put(_ code: UInt32) {
        pending |= code << UInt32(pendingBits)
        pendingBits += codeBits
        while pendingBits >= 8 {
            bytes.append(UInt8(truncatingIfNeeded: pending))
            pending >>= 8
            pendingBits -= 8
        }
        // The reader has now defined the same number of strings, not counting the one that this code begins.
        if next == 1 << codeBits, codeBits < 12 { codeBits += 1 }
    }

    /// The slot of the string, or the one to insert it in.
    private func slot(of key: UInt32) -> Int {
        var slot = Int((key &* 0x9E37_79B1) >> 19)
        while table[slot] != Self.empty, table[slot] >> 12 != key { slot = (slot + 1) & (Self.slots - 1) }
        return slot
    }
}
#endif
