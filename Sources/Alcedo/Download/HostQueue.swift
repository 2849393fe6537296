/// What one host has of a ``DownloadQueue``: how many downloads run, and who waits, one line for each priority.
struct HostQueue<ID: Hashable & Sendable>: Sendable {
    struct Line: Sendable {
        /// The hosts of a priority are served by it, the least first.
        var turn = 0
        var places = LazyHeap<Int, ID>()
    }

    /// How many may run at once.
    var width: Int
    var runningCount = 0
    /// By priority. An array, as it changes in place without an allocation, which a dictionary's values do not.
    private(set) var lines = RequestPriority.allCases.map { _ in Line() }
    private(set) var waitingCount = 0

    init(width: Int) {
        self.width = width
    }

    var isIdle: Bool { runningCount == 0 && waitingCount == 0 }
    var hasFreeSlot: Bool { runningCount < width }

    /// The host's turn among those of a priority; nil when nobody waits with it.
    func turn(_ priority: Int) -> Int? { lines[priority].places.isEmpty ? nil : lines[priority].turn }

    /// - Parameter turn: the host's turn in this priority, unless it has one.
    mutating func add(_ id: ID, rank: Int, priority: RequestPriority, turn: Int) {
        if lines[priority.rawValue].places.isEmpty { lines[priority.rawValue].turn = turn }
        lines[priority.rawValue].places.insert(id, rank: rank)
        waitingCount += 1
    }

    mutating func remove(rank: Int, priority: RequestPriority) {
        lines[priority.rawValue].places.remove(rank: rank)
        waitingCount -= 1
        giveBackRoom(priority)
    }

    /// Moves the first of a line to those that run.
    ///
    /// - Parameter turn: the host's next turn in this priority.
    mutating func startFirst(of priority: RequestPriority, nextTurn turn: Int) -> ID? {
        guard let first = lines[priority.rawValue].places.removeFirst() else { return nil }
        runningCount += 1
        waitingCount -= 1
        lines[priority.rawValue].turn = turn
        giveBackRoom(priority)
        return first
    }

    private mutating func giveBackRoom(_ priority: RequestPriority) {
        if lines[priority.rawValue].places.isEmpty { lines[priority.rawValue].places = LazyHeap() }
    }
}
