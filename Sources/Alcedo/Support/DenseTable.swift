/// The entries of a table in contiguous storage, each found by its key.
struct DenseTable<Key: PrehashedKey, Element: Sendable>: Sendable {
    struct Row: Sendable {
        let key: Key
        /// The key's hash, mixed.
        let hash: UInt64
        let element: Element
    }

    private(set) var rows: [Row] = []
    private var index = SlotIndex()

    var count: Int { rows.count }

    @inline(__always)
    func place(of key: Key) -> Int? {
        index.place(of: SlotIndex.hash(key.prehash)) { rows[$0].key == key }
    }

    /// The index of the first entry whose key has this hash.
    func place(ofHash hash: UInt64) -> Int? { index.place(of: hash) { rows[$0].hash == hash } }

    /// Appends an entry whose key isn't in the table yet.
    mutating func append(_ key: Key, _ element: consuming Element) {
        if index.isFull(count: count) { rebuildIndex() }
        let hash = SlotIndex.hash(key.prehash)
        index.insert(hash, at: count)
        rows.append(Row(key: key, hash: hash, element: element))
    }

    /// Replaces the entry at an index and returns the old one.
    mutating func exchange(_ at: Int, _ key: Key, _ element: consuming Element) -> Row {
        var row = Row(key: key, hash: SlotIndex.hash(key.prehash), element: element)
        if rows[at].hash != row.hash { index.replace(rows[at].hash, by: row.hash, at: at) }
        swap(&rows[at], &row)
        return row
    }

    /// Removes the entry at an index. The last entry moves there.
    mutating func takeOut(_ at: Int) -> Row {
        index.remove(rows[at].hash, at: at)
        var row = rows.removeLast()
        if at < count {
            index.move(row.hash, from: count, to: at)
            swap(&rows[at], &row)
        }
        if index.isWasteful(count: count) {
            rebuildIndex()
            rows.giveBackRoom()
        }
        return row
    }

    private mutating func rebuildIndex() {
        index = SlotIndex(count: 2 * count)
        for at in rows.indices { index.insert(rows[at].hash, at: at) }
    }

    /// Describes a broken invariant, or nil when there is none; for tests.
    var brokenInvariant: String? {
        if let problem = index.brokenInvariant(count: count) { return problem }
        return rows.indices.allSatisfy { place(of: rows[$0].key) == $0 } ? nil : "an entry is not found"
    }
}

extension Array {
    /// Removes the element at an index. The last element moves there.
    mutating func takeOut(_ at: Int) {
        let last = removeLast()
        if at < count { self[at] = last }
        if capacity > 64 + 16 * count { giveBackRoom() }
    }

    /// Arrays never shrink their storage, so this copies the elements to a new array of the right size.
    fileprivate mutating func giveBackRoom() {
        var smaller: Self = []
        smaller.reserveCapacity(2 * count)
        smaller += self
        self = smaller
    }
}
