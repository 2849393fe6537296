import Synchronization

/// The work of a loader and its owners at one moment; see ``ImageLoader/activity``.
///
/// Owners that are shared count for all their loaders.
public struct LoadActivity: Sendable, Hashable {
    /// Downloads that wait for a slot.
    public let queuedDownloads: Int
    /// Downloads that have a slot.
    public let runningDownloads: Int
    /// Decodes, processors and encodes of this loader that wait for their turn.
    public let waitingDecodes: Int
    /// Those that are being run.
    public let runningDecodes: Int
    /// Changes of the disk cache that aren't written yet.
    public let pendingWrites: Int

    /// The images, files and bytes that are being loaded, those included that wait to be tried again.
    let flights: Int

    /// Whether nothing is being loaded, decoded or written.
    public var isIdle: Bool { flights + runningDecodes + pendingWrites == 0 }
}

extension ImageLoader {
    /// The work that waits and runs now. Takes a turn of each owner.
    public var activity: LoadActivity { get async { await path.activity } }

    /// The activity now, and then whenever it has changed, for an indicator or a log.
    ///
    /// It is looked at only while the sequence is read, and changes that last shorter than the interval may be missed.
    /// The sequence ends when the loader is released, and when the reading Task is cancelled.
    ///
    /// - Parameter interval: The time between two looks, on the loader's clock. Default: 100 milliseconds; at
    ///   least 1.
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
