/// The hosts of a ``DownloadQueue``, each at an index of its own for as long as somebody of it runs or waits: its name
/// is looked up once for a download, and what it has changes in place.
struct HostTable<ID: Hashable & Sendable>: Sendable {
    struct Index: Hashable, Sendable { fileprivate let position: Int }

    /// Where the hosts are, by name.
    private(set) var indices: [String: Index] = [:]
    private var names: [String] = []
    private var lines: [HostQueue<ID>] = []
    /// Indices that are nobody's.
    private var free: [Index] = []
    private var width: Int
    private var ownWidths: [String: Int] = [:]

    /// - Parameter width: how many of one host run at once, unless it has a width of its own.
    init(width: Int) {
        self.width = width
    }

    subscript(index: Index) -> HostQueue<ID> {
        get { lines[index.position] }
        _modify { yield &lines[index.position] }
    }

    /// Where `name` is; it is added if it is not there.
    mutating func index(of name: String) -> Index {
        if let index = indices[name] { return index }
        let index = free.popLast() ?? Index(position: lines.count)
        if index.position == lines.count {
            names.append(name)
            lines.append(HostQueue(width: 0))
        }
        names[index.position] = name
        lines[index.position].width = ownWidths[name] ?? width
        indices[name] = index
        return index
    }

    /// Takes out a host, of which nobody runs or waits.
    mutating func remove(_ index: Index) {
        indices[names[index.position]] = nil
        // Its lines are empty, and good for the next host.
        free.append(index)
        indices.giveBackRoom()
    }

    /// Whether most of the room is nobody's.
    var isSparse: Bool { lines.count > 4 * indices.count + 64 }

    /// Moves the hosts together: where each one went.
    mutating func compact() -> [Index: Index] {
        var moves: [Index: Index] = [:]
        let (oldNames, oldLines) = (names, lines)
        (names, lines, free) = ([], [], [])
        for old in indices.values {
            let new = Index(position: lines.count)
            names.append(oldNames[old.position])
            lines.append(oldLines[old.position])
            indices[oldNames[old.position]] = new
            moves[old] = new
        }
        return moves
    }

    /// Gives a host a width of its own; nil takes it back.
    mutating func setWidth(_ own: Int?, of name: String) {
        ownWidths[name] = own
        if let index = indices[name] { lines[index.position].width = own ?? width }
    }

    /// Changes the width of all hosts without a width of their own.
    mutating func setWidth(_ width: Int) {
        self.width = width
        for (name, index) in indices where ownWidths[name] == nil { lines[index.position].width = width }
    }

    // MARK: For tests

    /// Room that is kept.
    var capacity: Int {
        indices.capacity + lines.count + lines.reduce(0) { $0 + $1.lines.reduce(0) { $0 + $1.places.capacity } }
    }

    /// Why the table contradicts itself, nil when it does not.
    var brokenInvariant: String? {
        if indices.count + free.count != lines.count { return "an index is lost, or two hosts' at once" }
        if indices.contains(where: { names[$0.value.position] != $0.key }) { return "a host is at another's index" }
        let isSound = indices.allSatisfy { lines[$0.value.position].width == ownWidths[$0.key] ?? width }
        return isSound ? nil : "a host's width is not its own"
    }
}
