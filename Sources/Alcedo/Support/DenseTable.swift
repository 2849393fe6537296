/// The entries of a table, each found by its key.
///
/// They are stored in blocks of 64, so a growing table copies none of them and reserves room for less than a block. An
/// array would reserve up to twice the room.
struct DenseTable<Key: PrehashedKey, Element: Sendable>: Sendable {
    struct Row: Sendable {
        let key: Key
        var element: Element
    }

    private(set) var blocks: [[Row]] = []
    private(set) var count = 0
    private(set) var index = SlotIndex()

    subscript(place: Int) -> Row {
        // Lends the row instead of copying it, because callers read only a part of it.
        @inline(__always) _read { yield blocks[place &>> 6][place & 63] }
        @inline(__always) _modify { yield &blocks[place &>> 6][place & 63] }
    }

    @inline(__always)
    func place(of key: Key) -> Int? {
        index.place(of: key.slotHash) { self[$0].key == key }
    }

    /// The index of the first entry whose key has this hash.
    func place(ofHash hash: UInt64) -> Int? { index.place(of: hash) { self[$0].key.slotHash == hash } }

    /// The index of the first entry that satisfies `matches`, among those whose keys are found together with `key`.
    @inline(__always)
    func place(near key: Key, where matches: (Int) -> Bool) -> Int? {
        index.place(of: key.slotHash, bits: 24, where: matches)
    }

    /// Appends an entry whose key isn't in the table yet.
    mutating func append(_ key: Key, _ element: consuming Element) {
        if index.isFull(count: count) { rebuildIndex(for: count + 1) }
        index.insert(key.slotHash, at: count)
        if count & 63 == 0 {
            blocks.append([])
            // A small table needs no whole block.
            if count > 0 { blocks[blocks.count - 1].reserveCapacity(64) }
        }
        blocks[blocks.count - 1].append(Row(key: key, element: consume element))
        count += 1
    }

    /// Replaces the entry at an index and returns the old one.
    mutating func exchange(_ at: Int, _ key: Key, _ element: consuming Element) -> Row {
        var row = Row(key: key, element: consume element)
        let (old, new) = (self[at].key.slotHash, key.slotHash)
        if old != new { index.replace(old, by: new, at: at) }
        swap(&self[at], &row)
        return row
    }

    /// Removes the entry at an index. The last entry moves there.
    @discardableResult
    mutating func takeOut(_ at: Int) -> Row {
        index.remove(self[at].key.slotHash, at: at)
        count -= 1
        var row = blocks[blocks.count - 1].removeLast()
        if count & 63 == 0 { blocks.removeLast() }
        if at < count {
            index.move(row.key.slotHash, from: count, to: at)
            swap(&self[at], &row)
        }
        if index.isWasteful(count: count) { rebuildIndex(for: 2 * count) }
        return row
    }

    private mutating func rebuildIndex(for count: Int) {
        index = SlotIndex(count: count)
        for at in 0..<self.count { index.insert(self[at].key.slotHash, at: at) }
    }
}

extension Array {
    /// Appends an element. Grows by an eighth, because most of a doubled capacity would stay unused.
    mutating func appendTightly(_ element: Element) {
        if count == capacity { reserveCapacity(count + Swift.max(16, count / 8)) }
        append(element)
    }

    /// Removes the element at an index. The last element moves there.
    mutating func takeOut(_ at: Int) {
        let last = removeLast()
        if at < count { self[at] = last }
        // Arrays never shrink their storage.
        if capacity > 64 + 16 * count { self = map { $0 } }
    }
}
