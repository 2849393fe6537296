/// What one host has of a ``DownloadQueue``: how many downloads run, and who waits, one line for each priority.
struct HostLines<ID: Hashable & Sendable>: Sendable {
    struct Line: Sendable {
        /// The hosts of a priority are served by it, the least first.
        var turn: Int
        var places = LazyHeap<Int, ID>()
    }

    var runningCount = 0
    /// Those in which somebody waits.
    private(set) var lines: [RequestPriority: Line] = [:]

    var isIdle: Bool { runningCount == 0 && lines.isEmpty }
    var waitingCount: Int { lines.values.reduce(0) { $0 + $1.places.count } }

    /// - Parameter turn: the host's turn in this priority, unless it has one.
    mutating func add(_ id: ID, rank: Int, priority: RequestPriority, turn: Int) {
        lines[priority, default: Line(turn: turn)].places.insert(id, rank: rank)
    }

    mutating func remove(rank: Int, priority: RequestPriority) {
        lines[priority]?.places.remove(rank: rank)
        dropLineIfEmpty(priority)
    }

    /// Moves the first of a line to those that run.
    ///
    /// - Parameter turn: the host's next turn in this priority.
    mutating func startFirst(of priority: RequestPriority, nextTurn turn: Int) -> ID? {
        guard let first = lines[priority]?.places.removeFirst() else { return nil }
        runningCount += 1
        lines[priority]?.turn = turn
        dropLineIfEmpty(priority)
        return first
    }

    private mutating func dropLineIfEmpty(_ priority: RequestPriority) {
        if lines[priority]?.places.isEmpty == true { lines[priority] = nil }
    }
}
