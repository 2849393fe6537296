// Until when what was stored is on disk, and on the device.

extension DiskStore {
    /// Waits until everything stored and removed so far is on disk, as a program should before it ends.
    ///
    /// The files have been handed to the system then. Whether they are on the device depends on
    /// ``Settings/synchronization``. Cancelling doesn't shorten the wait.
    public func flush() async {
        await written()
        guard settings.synchronization != .never else { return }
        if unsynchronized.count > 0 || work.hasNewNames {
            let names = unsynchronized.take()
            submit { work, _ in .synchronized(failed: work.synchronize(names)) }
        }
        // Another flush may be waiting for the device on behalf of this one.
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
        // What turned out to be too much.
        await outcome(of: orders.last)
    }

    /// An entry was written that the device may not have.
    func isUnsynchronized(_ name: EntryName) {
        guard settings.synchronization == .onFlush else { return }
        unsynchronized.insert(name) { index.item(of: $0).bytes > 0 }
    }
}
