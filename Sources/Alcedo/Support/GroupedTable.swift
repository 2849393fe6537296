/// A key that belongs to a group of keys.
package protocol GroupedKey: Hashable, Sendable {
    associatedtype Group: Hashable & Sendable

    var group: Group { get }
}

/// Entries in an array, found by their keys or, all those of a group together, by the group.
///
/// The entries of a group are chained, so one dictionary serves both. A look-up costs O(entries of the group).
struct GroupedTable<Key: GroupedKey, Element: Sendable>: Sendable {
    struct Row: Sendable {
        let key: Key
        var element: Element
        /// The index of the next entry of the group.
        fileprivate var next: Int?
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
        rows.append(Row(key: key, element: element, next: next))
    }

    /// Removes the entry at an index. The last entry moves there.
    @discardableResult
    mutating func takeOut(_ at: Int) -> Row {
        relink(at, to: rows[at].next)
        let last = rows.count - 1
        if at < last {
            relink(last, to: at)
            rows.swapAt(at, last)
        }
        return rows.removeLast()
    }

    /// Lets what leads to an entry lead to another one of its group, or to none.
    private mutating func relink(_ at: Int, to new: Int?) {
        guard let group = first.index(forKey: rows[at].key.group) else { return }
        var place = first.values[group]
        if place != at {
            while let next = rows[place].next, next != at { place = next }
            rows[place].next = new
        } else if let new {
            first.values[group] = new
        } else {
            first.remove(at: group)
        }
    }
}

extension Array {
    /// Removes the element at an index. The last element moves there.
    mutating func takeOut(_ at: Int) {
        swapAt(at, count - 1)
        removeLast()
    }
}
