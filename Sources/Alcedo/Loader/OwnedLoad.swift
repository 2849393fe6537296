/// A load that is cancelled when its last reference is released.
final class OwnedLoad: Sendable {
    let task: LoadTask<ImageResponse>

    init(_ task: LoadTask<ImageResponse>) { self.task = task }

    deinit { task.cancel() }

    /// Returns true once the download begins, or false when the load ends without one.
    func beginsDownload() async -> Bool {
        var events = task.events.makeAsyncIterator()
        return await events.next() != nil
    }

    /// Calls `act` when the load ends, on the thread that ends it, or immediately if it has ended. Needs no Task.
    func whenEnded(_ act: @escaping @Sendable () -> Void) { Self.read(task.control, DownloadProgress.Cursor(), act) }

    private static func read(
        _ control: LoadControl, _ start: DownloadProgress.Cursor, _ act: @escaping @Sendable () -> Void
    ) {
        var cursor = start
        while true {
            switch control.read(after: &cursor) {
            case .event: continue
            case .over: return act()
            case .nothingYet:
                let read = cursor
                if control.wait(control.newReader(), after: read, { Self.read(control, read, act) }) { return }
            }
        }
    }

    /// Waits until one of the loads has ended, or the calling Task is cancelled.
    static func firstEnd(of loads: [OwnedLoad]) async {
        await withTaskGroup { group in
            for load in loads { group.addTask { await load.task.end() } }
            await group.next()
            group.cancelAll()
        }
    }
}
