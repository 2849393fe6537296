/// The hosts of a ``DownloadQueue``.
///
/// Each has an index as long as any of its downloads runs or waits, so its name is looked up once per download and its
/// queue changes in place.
struct HostTable<ID: Hashable & Sendable>: Sendable {
    struct Index: Hashable, Sendable { let position: Int }

    /// The hosts' indices, by name.
    private(set) var indices: [String: Index] = [:]
    private(set) var names: [String] = []
    private(set) var rows: [HostQueue<ID>] = []
    /// Unused indices.
    private(set) var free: [Index] = []
    private(set) var width: Int
    private(set) var ownWidths: [String: Int] = [:]

    /// - Parameter width: The maximum number of concurrent downloads per host, unless the host has its own width.
    init(width: Int) {
        self.width = width
    }

    subscript(index: Index) -> HostQueue<ID> {
        @inline(__always) _read { yield rows[index.position] }
        @inline(__always) _modify { yield &rows[index.position] }
    }

    /// The index of `name`, which is added if necessary.
    mutating func index(of name: String) -> Index {
        if let index = indices[name] { return index }
        let index = free.popLast() ?? Index(position: rows.count)
        if index.position == rows.count {
            names.append(name)
            rows.append(HostQueue(width: 0))
        }
        names[index.position] = name
        rows[index.position].width = ownWidths[name] ?? width
        indices[name] = index
        return index
    }

    /// Removes a host without running or waiting downloads.
    mutating func remove(_ index: Index) {
        indices[names[index.position]] = nil
        // Its queues are empty, and reusable for the next host.
        free.append(index)
        indices.giveBackRoom()
    }

    /// Whether most indices are unused.
    var isSparse: Bool { rows.count > 4 * indices.count + 64 }

    /// Moves the hosts together. Returns each host's old and new index.
    mutating func compact() -> [Index: Index] {
        var moves: [Index: Index] = [:]
        let (oldNames, oldRows) = (names, rows)
        (names, rows, free) = ([], [], [])
        for old in indices.values {
            let new = Index(position: rows.count)
            names.append(oldNames[old.position])
            rows.append(oldRows[old.position])
            indices[oldNames[old.position]] = new
            moves[old] = new
        }
        return moves
    }

    /// Sets a host's own width; nil resets it.
    mutating func setWidth(_ own: Int?, of name: String) {
        ownWidths[name] = own
        if let index = indices[name] { rows[index.position].width = own ?? width }
    }

    /// Changes the width of all hosts without a width of their own.
    mutating func setWidth(_ width: Int) {
        self.width = width
        for (name, index) in indices where ownWidths[name] == nil { rows[index.position].width = width }
    }
}
