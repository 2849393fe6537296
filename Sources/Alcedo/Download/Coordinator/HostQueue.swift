/// One host's part of a ``DownloadQueue``: the number of running downloads, and one queue of waiting downloads per
/// priority.
struct HostQueue<ID: Hashable & Sendable>: Sendable {
    struct Queue: Sendable {
        /// Hosts take turns within a priority, the lowest turn first.
        var turn = 0
        var places = LazyHeap<DownloadQueue<ID>.Rank, ID>()
    }

    /// The maximum number of concurrent downloads.
    var width: Int
    private(set) var runningCount = 0
    private(set) var runningInBackground = 0
    /// By priority. An array, because it changes in place without an allocation, unlike a dictionary's values.
    private(set) var queues = RequestPriority.allCases.map { _ in Queue() }
    private(set) var waitingCount = 0

    var isIdle: Bool { runningCount == 0 && waitingCount == 0 }

    /// Half of the slots, so that a prefetch of a page doesn't take all those of its host.
    private var backgroundWidth: Int { max(1, width / 2) }

    func hasFreeSlot(for priority: RequestPriority) -> Bool {
        runningCount < width && (!priority.isBackground || runningInBackground < backgroundWidth)
    }

    /// Whether the slot of a running download of priority `ended` could pass to a waiting one of `priority`, at once or
    /// after the ends of others that run above the width.
    func canPass(slotOf ended: RequestPriority, to priority: RequestPriority) -> Bool {
        let hasRoom = !priority.isBackground || ended.isBackground || runningInBackground < backgroundWidth
        return turn(priority.rawValue) != nil && hasRoom
    }

    /// Counts a running download.
    mutating func take(_ priority: RequestPriority) {
        runningCount += 1
        if priority.isBackground { runningInBackground += 1 }
    }

    /// Counts a running download no longer.
    mutating func release(_ priority: RequestPriority) {
        runningCount -= 1
        if priority.isBackground { runningInBackground -= 1 }
    }

    /// The host's turn within a priority; nil when no download with this priority waits.
    func turn(_ priority: Int) -> Int? { queues[priority].places.isEmpty ? nil : queues[priority].turn }

    /// Sets the host's turn within each priority.
    mutating func setTurns(_ turns: [Int]) {
        for (priority, turn) in turns.enumerated() { queues[priority].turn = turn }
    }

    /// - Parameter turn: The host's turn within this priority, unless it has one.
    mutating func add(_ id: ID, rank: DownloadQueue<ID>.Rank, priority: RequestPriority, turn: Int) {
        if queues[priority.rawValue].places.isEmpty { queues[priority.rawValue].turn = turn }
        queues[priority.rawValue].places.insert(id, rank: rank)
        waitingCount += 1
    }

    mutating func remove(rank: DownloadQueue<ID>.Rank, priority: RequestPriority) {
        queues[priority.rawValue].places.remove(rank: rank)
        waitingCount -= 1
        giveBackRoom(priority)
    }

    /// Starts the first waiting download of a priority.
    ///
    /// - Parameter turn: The host's next turn within this priority.
    mutating func startFirst(of priority: RequestPriority, nextTurn turn: Int) -> ID? {
        guard let first = queues[priority.rawValue].places.removeFirst() else { return nil }
        take(priority)
        waitingCount -= 1
        queues[priority.rawValue].turn = turn
        giveBackRoom(priority)
        return first
    }

    private mutating func giveBackRoom(_ priority: RequestPriority) {
        if queues[priority.rawValue].places.isEmpty { queues[priority.rawValue].places = LazyHeap() }
    }
}
