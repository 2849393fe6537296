import Synchronization

/// A snapshot of the work of a loader; see ``ImageLoader/activity``.
///
/// Includes the work of its disk cache and download coordinator, for all loaders that share them.
public struct LoadActivity: Sendable, Hashable {
    /// The number of downloads that wait for a slot.
    public let queuedDownloads: Int
    /// The number of downloads that have a slot.
    public let runningDownloads: Int
    /// The number of this loader's decodes, processors and encodes that wait for their turn.
    public let waitingDecodes: Int
    /// The number of this loader's decodes, processors and encodes that are running.
    public let runningDecodes: Int
    /// The number of changes to the disk cache that aren't written yet.
    public let pendingWrites: Int

    /// The number of images, files and bytes being loaded, including those that wait for a retry.
    let flights: Int

    /// Whether nothing is being loaded, decoded or written.
    public var isIdle: Bool { flights + runningDecodes + pendingWrites == 0 }
}

extension ImageLoader {
    /// The current work. Waits for a turn on the download coordinator and the disk cache.
    public var activity: LoadActivity { get async { await path.activity } }

    /// Returns the current activity, and then each change, for an indicator or a log.
    ///
    /// The activity is read only while the sequence is, and changes shorter than the interval may be missed. The
    /// sequence ends when the loader is released, and when the reading Task is cancelled.
    ///
    /// - Parameter interval: The time between two readings, on the loader's clock. Default: 100 milliseconds; at least
    ///   1 millisecond.
    public func activityUpdates(every interval: Duration = .milliseconds(100)) -> AsyncStream<LoadActivity> {
        let last = Mutex<LoadActivity?>(nil)
        let interval = max(interval, .milliseconds(1))
        return AsyncStream { [weak path, time = path.time] in
            while let activity = await path?.activity {
                let isNew = last.withLock { last in
                    defer { last = activity }
                    return last != activity
                }
                if isNew { return activity }
                guard await time.sleep(for: interval) else { return nil }
            }
            return nil
        }
    }
}

extension LoadPath {
    fileprivate var activity: LoadActivity {
        get async {
            let downloads = await downloads.statistics
            let (decodes, processors) = (decoding.counts, decoding.waiting.counts)
            return LoadActivity(
                queuedDownloads: downloads.queued, runningDownloads: downloads.running,
                waitingDecodes: decodes.waiting + processors.waiting,
                runningDecodes: decodes.running + processors.running, pendingWrites: await disk?.pendingWrites ?? 0,
                flights: flights.count + encodings.count + self.downloads.flights.count)
        }
    }
}
