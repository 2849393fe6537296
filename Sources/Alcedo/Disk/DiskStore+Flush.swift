// Waiting until stored entries are on disk and on the device.

extension DiskStore {
    /// Waits until everything stored and removed so far is on disk; call it before the program exits.
    ///
    /// On return the files have been handed to the system. Whether they are on the device depends on
    /// ``Settings/synchronization``. Cancelling the calling Task doesn't shorten the wait.
    public func flush() async {
        await written()
        await limitsAreKept()
        guard settings.synchronization != .never else { return }
        if unsynchronized.count > 0 || work.hasNewNames {
            let names = unsynchronized.take()
            submit { work, _ in .synchronized(failed: work.synchronize(names)) }
        }
        // Another flush may be synchronizing these entries.
        await outcome(of: orders.last)
    }

    /// Waits until everything stored and removed so far has been handed to the system.
    func written() async {
        open()
        let number = staged.lastNumber
        tellUses()
        repeat {
            await outcome(of: orders.last)
        } while !orders.hasEnded(orders.last) && staged.contains(upTo: number)
        // Collecting the outcomes may have ordered further evictions.
        await outcome(of: orders.last)
    }

    /// Called when an entry was written that may not be on the device yet.
    func isUnsynchronized(_ name: EntryName) {
        guard settings.synchronization == .onFlush else { return }
        unsynchronized.insert(name) { index.item(of: $0).bytes > 0 }
    }
}
