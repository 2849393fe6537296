// Until when what was stored is on disk, and on the device.

extension DiskStore {
    /// Waits until everything stored and removed so far is on disk, and on the device where that is the store's way.
    package func flush() async {
        await written()
        guard settings.synchronization != .never else { return }
        if unsynchronized.count > 0 || work.hasNewNames {
            let names = unsynchronized.take()
            submit { work, _ in .synchronized(failed: work.synchronize(names)) }
        }
        // Another flush may be waiting for the device on behalf of this one.
        await outcome(of: lastOrder)
    }

    /// Waits until everything stored and removed so far has been handed to the system.
    func written() async {
        open()
        let number = lastNumber
        tellUses()
        repeat {
            await outcome(of: lastOrder)
        } while lastOutcome < lastOrder && staged.values.contains { $0.number <= number }
        // What turned out to be too much.
        await outcome(of: lastOrder)
    }

    /// An entry was written that the device may not have.
    func isUnsynchronized(_ name: EntryName) {
        guard settings.synchronization == .onFlush else { return }
        unsynchronized.insert(name) { index.item(of: $0).bytes > 0 }
    }
}
