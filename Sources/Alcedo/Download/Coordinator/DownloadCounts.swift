/// The numbers of downloads in a ``DownloadQueue``, for one host or for all.
struct DownloadCounts: Sendable, Equatable {
    private(set) var running = 0
    private var runningInBackground = 0
    var waiting = 0

    mutating func addRunning(_ priority: RequestPriority) {
        running += 1
        if priority.isBackground { runningInBackground += 1 }
    }

    mutating func removeRunning(_ priority: RequestPriority) {
        running -= 1
        if priority.isBackground { runningInBackground -= 1 }
    }

    /// Whether one of `width` slots is free for a priority.
    func hasFreeSlot(for priority: RequestPriority, width: Int) -> Bool {
        running < width && hasRoomInBackground(for: priority, width: width)
    }

    /// Whether the limit for prefetching permits a priority to take a slot. Prefetching may use half of the slots, so
    /// that prefetching a page doesn't take them all.
    func hasRoomInBackground(for priority: RequestPriority, width: Int) -> Bool {
        !priority.isBackground || runningInBackground < max(1, width / 2)
    }
}
