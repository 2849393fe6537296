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

    /// Waits until one of the loads has ended, or the calling Task is cancelled.
    static func firstEnd(of loads: [OwnedLoad]) async {
        await withTaskGroup { group in
            for load in loads { group.addTask { await load.task.end() } }
            await group.next()
            group.cancelAll()
        }
    }
}
