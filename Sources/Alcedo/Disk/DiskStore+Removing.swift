// Removals, whatever selects the entries.

extension DiskStore {
    /// Removes entries from the index at once. Returns the number of the last order that removes their files.
    @discardableResult
    func remove(_ names: [EntryName]) -> UInt64 {
        let items = names.map { index.item(of: $0) }
        for item in items {
            forget(item.name)
            index.remove(item.name)
        }
        return evict(items)
    }

    /// Removes all entries.
    ///
    /// Look-ups find none of them on return; their files are deleted soon after. A load that began before can't store
    /// its result in this store.
    public func removeAll() async {
        open()
        removals.recordAll()
        for name in staged.names { staged.remove(name) }
        reads.retireAll()
        index.removeAll()
        await outcome(of: submit { work, changes in .discarded(leftovers: work.empty(&changes)) })
    }

    /// Makes sure that later look-ups don't find staged bodies or share reads of an entry.
    func forget(_ name: EntryName) {
        staged.remove(name)
        reads.remove(name)
    }

    func recordRemoval(of key: DiskKey) {
        removals.record(key.name.source)
        reads.retire(source: key.name.source)
    }
}
