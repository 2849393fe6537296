/// Finds the entries of a dense array by hash: open addressing, linear probing, no tombstones.
///
/// Each slot is one word, which holds the upper half of a hash and the index of its entry. So a search reads one cache
/// line and compares whole keys only where half a hash matches. At most half of the slots are in use. That takes up to
/// 32 bytes per entry, and most searches end at the first or second slot.
struct SlotIndex: Sendable {
    /// With more, the 24 bits that the hashes of a group share would no longer determine their home.
    static var mostPlaces: Int { 1 << 23 }
    static var fewestSlots: Int { 16 }

    /// Zero when free; otherwise the upper half of the hash and the index plus one.
    private var slots: [UInt64]
    /// The upper bits of a hash are where its search begins. Shifting by this amount leaves only them.
    private let shift: UInt64

    /// - Parameter count: The number of entries to make room for.
    init(count: Int = 0) {
        var size = Self.fewestSlots
        while size < 2 * count { size *= 2 }
        slots = [UInt64](repeating: 0, count: size)
        shift = UInt64(64 - size.trailingZeroBitCount)
    }

    /// Mixes a hash into its upper bits, because two hashes may differ in their lower bits only.
    static func hash(_ prehash: UInt64) -> UInt64 { prehash &* 0x9E37_79B9_7F4A_7C15 }

    /// Whether one more entry needs more slots.
    func isFull(count: Int) -> Bool { 2 * (count + 1) > slots.count }

    /// Whether there are far more slots than this many entries need.
    func isWasteful(count: Int) -> Bool { slots.count > Self.fewestSlots && 32 * count < slots.count }

    /// The index of the first entry with this hash that satisfies `matches`.
    ///
    /// - Parameter bits: How many of the upper bits of the hashes are compared: at least 24, the bits that determine
    ///   where a search begins, and at most 32. Hashes that differ in the other bits form a group.
    @inline(__always)
    func place(of hash: UInt64, bits: UInt64 = 32, where matches: (_ place: Int) -> Bool) -> Int? {
        var at = Self.home(of: hash, shift)
        while true {
            let slot = slots[at]
            if slot == 0 { return nil }
            if (slot ^ hash) >> (64 - bits) == 0 {
                let place = Self.place(in: slot)
                if matches(place) { return place }
            }
            at = (at + 1) & (slots.count - 1)
        }
    }

    /// Adds an entry that isn't in the index; there must be a free slot.
    mutating func insert(_ hash: UInt64, at place: Int) {
        let shift = shift
        slots.withUnsafeMutableBufferPointer { Self.insert(hash, at: place, in: $0, shift) }
    }

    /// Updates the index of an entry that has moved.
    mutating func move(_ hash: UInt64, from place: Int, to newPlace: Int) {
        let shift = shift
        slots.withUnsafeMutableBufferPointer { slots in
            slots[Self.position(of: hash, place, in: slots, shift)] = Self.slot(hash, newPlace)
        }
    }

    /// Removes an entry.
    mutating func remove(_ hash: UInt64, at place: Int) {
        let shift = shift
        slots.withUnsafeMutableBufferPointer { Self.remove(hash, at: place, in: $0, shift) }
    }

    /// Removes an entry and adds another, which isn't in the index, in its place.
    mutating func replace(_ hash: UInt64, by newHash: UInt64, at place: Int) {
        let shift = shift
        slots.withUnsafeMutableBufferPointer { slots in
            Self.remove(hash, at: place, in: slots, shift)
            Self.insert(newHash, at: place, in: slots, shift)
        }
    }

    // MARK: Slots, without bounds checks: a position is always below their number

    private typealias Slots = UnsafeMutableBufferPointer<UInt64>

    @inline(__always)
    private static func insert(_ hash: UInt64, at place: Int, in slots: Slots, _ shift: UInt64) {
        var at = home(of: hash, shift)
        while slots[at] != 0 { at = (at + 1) & (slots.count - 1) }
        slots[at] = slot(hash, place)
    }

    /// Entries behind the removed one that it had displaced from their homes move up.
    @inline(__always)
    private static func remove(_ hash: UInt64, at place: Int, in slots: Slots, _ shift: UInt64) {
        let mask = slots.count - 1
        var hole = position(of: hash, place, in: slots, shift)
        var at = (hole + 1) & mask
        while slots[at] != 0 {
            // Whether the home is outside (hole, at], modulo the size: then the hole is on the entry's probe path.
            if (at &- home(of: slots[at], shift)) & mask >= (at &- hole) & mask {
                slots[hole] = slots[at]
                hole = at
            }
            at = (at + 1) & mask
        }
        slots[hole] = 0
    }

    /// The slot of an entry that is in the index.
    @inline(__always)
    private static func position(of hash: UInt64, _ place: Int, in slots: Slots, _ shift: UInt64) -> Int {
        let wanted = slot(hash, place)
        var at = home(of: hash, shift)
        while slots[at] != wanted { at = (at + 1) & (slots.count - 1) }
        return at
    }

    @inline(__always)
    private static func home(of hash: UInt64, _ shift: UInt64) -> Int { Int(truncatingIfNeeded: hash &>> shift) }

    private static func slot(_ hash: UInt64, _ place: Int) -> UInt64 {
        hash & 0xFFFF_FFFF_0000_0000 | UInt64(truncatingIfNeeded: place + 1)
    }

    @inline(__always)
    private static func place(in slot: UInt64) -> Int { Int(truncatingIfNeeded: slot & 0xFFFF_FFFF) - 1 }

    /// Describes a broken invariant, or nil when there is none; for tests.
    func brokenInvariant(count: Int) -> String? {
        if slots.count < Self.fewestSlots || 2 * count > slots.count { return "the index is too small" }
        if isWasteful(count: count) { return "the index is too large" }
        return slots.count { $0 != 0 } == count ? nil : "the index knows another number of entries"
    }
}
