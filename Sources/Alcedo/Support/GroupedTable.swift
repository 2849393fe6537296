/// A key that belongs to a group of keys.
package protocol GroupedKey: Hashable, Sendable {
    associatedtype Group: Hashable & Sendable

    var group: Group { get }
}

/// Entries in an array that can be found by their keys, or by their group together.
///
/// The entries of a group are chained, so one dictionary serves both. A look-up costs O(entries of the group), a change
/// O(1).
struct GroupedTable<Key: GroupedKey, Element: Sendable>: Sendable {
    struct Row: Sendable {
        let key: Key
        var element: Element
        /// The indices of the neighbors in the group.
        fileprivate var next: Int?
        fileprivate var previous: Int?
    }

    private(set) var rows: [Row] = []
    /// The index of the first entry of each group.
    private var first: [Key.Group: Int] = [:]

    var count: Int { rows.count }

    subscript(at: Int) -> Row {
        // Lends the row instead of copying it, because callers read only a part of it.
        @inline(__always) _read { yield rows[at] }
        @inline(__always) _modify { yield &rows[at] }
    }

    @inline(__always)
    func index(of key: Key) -> Int? {
        var at = first[key.group]
        while let place = at, rows[place].key != key { at = rows[place].next }
        return at
    }

    /// The indices of all entries of a group, the last first, so that taking one out doesn't move the others.
    func indices(of group: Key.Group) -> [Int] {
        var (indices, next) = ([Int](), first[group])
        while let at = next {
            indices.append(at)
            next = rows[at].next
        }
        if indices.count > 1 { indices.sort(by: >) }
        return indices
    }

    /// Appends an entry whose key isn't in the table yet.
    mutating func append(_ key: Key, _ element: consuming Element) {
        let next = first.updateValue(rows.count, forKey: key.group)
        if let next { rows[next].previous = rows.count }
        rows.append(Row(key: key, element: element, next: next))
    }

    /// Removes the entry at an index. The last entry moves there.
    @discardableResult
    mutating func takeOut(_ at: Int) -> Row {
        let (next, previous, last) = (rows[at].next, rows[at].previous, rows.count - 1)
        link(previous, next, in: rows[at].key.group)
        if at < last {
            link(rows[last].previous, at, in: rows[last].key.group)
            if let next = rows[last].next { rows[next].previous = at }
            rows.swapAt(at, last)
        }
        defer {
            rows.giveBackRoom()
            first.giveBackRoom()
        }
        return rows.removeLast()
    }

    /// Makes two entries neighbors. At either end of the group, nil stands for the missing one.
    private mutating func link(_ previous: Int?, _ next: Int?, in group: Key.Group) {
        if let next { rows[next].previous = previous }
        if let previous { rows[previous].next = next } else { first[group] = next }
    }
}

extension Array {
    /// Removes the element at an index. The last element moves there.
    mutating func takeOut(_ at: Int) {
        swapAt(at, count - 1)
        removeLast()
        giveBackRoom()
    }

    /// Releases capacity when most of it is unused. An array would keep it forever.
    mutating func giveBackRoom() {
        if capacity > 4 * count + 64 { self = map { $0 } }
    }
}
