package import Foundation

// Removing an entry together with everything made from it, and replacing it.

extension DiskStore {
    /// Removes an entry and everything made from it; they are gone from the disk on return.
    package func remove(_ key: StoredKey) async {
        hide(key)
        // Other stores may have made entries from it; the order to remove its file reads what they have done.
        await ordersEnd()
        await removeMade(of: key)
    }

    /// Returns a ticket. Take it when work begins whose result will replace an entry. Results of work that began
    /// earlier are no longer stored.
    package func ticketToReplace(_ key: StoredKey) -> Ticket {
        removals.record(key.name.source)
        return removals.ticket()
    }

    /// Removes an entry and everything known to be made from it, unless the key was removed since `ticket` was taken.
    /// Look-ups no longer find them; their files are deleted later.
    ///
    /// - Parameter isReplaced: Whether a replacement will be stored. If so, files that only other stores know of
    ///   needn't be removed.
    /// - Returns: The ticket for storing a replacement; nil if nothing was done.
    @discardableResult
    package func hide(_ key: StoredKey, begun ticket: Ticket? = nil, isReplaced: Bool = false) -> Ticket? {
        if let ticket, !removals.permits(ticket, key.name.source) { return nil }
        open()
        removals.record(key.name.source)
        let names = [key.name] + index.names(withTag: EntryMetadata.tag(ofOriginal: key.text))
        remove(names, evenIfUnknown: !isReplaced)
        return removals.ticket()
    }

    /// Removes everything that this store knows to be made from an entry. It learns of other stores' entries within two
    /// seconds. The files of these and of previously removed entries are gone from the disk on return.
    package func removeMade(of key: StoredKey) async {
        // The index may not list everything made from it yet.
        if opening != .done || !index.isComplete || neighbors.mayHaveMore(at: now) { await ordersEnd() }
        if index.unreadCount > 0 { await readUnread() }
        await outcome(of: remove(index.names(withTag: EntryMetadata.tag(ofOriginal: key.text))))
    }

    /// Stores a body, replacing any existing entry. Work that began earlier can't undo it.
    ///
    /// - Returns: False, having done nothing, if the key was removed since `ticket` was taken.
    @discardableResult
    package func replace(
        _ body: Data, _ metadata: EntryMetadata, for key: StoredKey, expires: Int64? = nil, begun ticket: Ticket? = nil
    ) -> Bool {
        if let ticket, !removals.permits(ticket, key.name.source) { return false }
        removals.record(key.name.source)
        store(body, metadata, for: key, expires: expires, begun: removals.ticket())
        return true
    }
}
