// Removing entries by name, and removing all entries.

extension DiskStore {
    /// Removes entries from the index immediately. Returns the number of the last order that removes their files.
    ///
    /// - Parameter evenIfUnknown: Whether to remove even files that this store doesn't know of because another store
    ///   has just written them.
    @discardableResult
    func remove(_ names: [EntryName], evenIfUnknown: Bool = false) -> UInt64 {
        let items = names.filter { evenIfUnknown || mayHaveFile($0) }.map { index.item(of: $0) }
        for item in items {
            staged.remove(item.name)
            index.remove(item.name)
        }
        return evict(items)
    }

    /// Whether a file with that name may exist, now or once everything ordered has been carried out. If not, an order
    /// to remove it would only keep the next bodies from being written together.
    private func mayHaveFile(_ name: EntryName) -> Bool {
        presence(of: name) != .absent || index.outstanding[name] != nil || index.entries.place(of: name) != nil
    }

    /// Removes all entries.
    ///
    /// Look-ups find none of them on return; their files are deleted soon after. A load that began earlier can't store
    /// its result in this store.
    public func removeAll() async {
        open()
        removals.recordAll()
        for name in staged.names { staged.remove(name) }
        index.removeAll()
        await outcome(of: submit { work, changes in .discarded(leftovers: work.empty(&changes)) })
    }
}
