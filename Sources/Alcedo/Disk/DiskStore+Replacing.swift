package import Foundation

// Removing an entry with all that was made of it, and putting another one in its place.

extension DiskStore {
    /// Removes an entry and what was made of it; they are gone from the disk on return.
    package func remove(_ key: DiskKey) async {
        hide(key)
        await removeMade(of: key)
    }

    /// To be taken when the work begins whose result will take the place of an entry: the result of work that began
    /// before is not kept from now on.
    package func ticketToReplace(_ key: DiskKey) -> Ticket {
        removals.record(key.name.source)
        return removals.ticket()
    }

    /// Removes an entry and what is known to be made of it, unless the key was removed since `ticket` was taken. They
    /// are not found any more; their files go later on.
    ///
    /// - Returns: the ticket for what takes their place, nil when nothing was done.
    @discardableResult
    package func hide(_ key: DiskKey, begun ticket: Ticket? = nil) -> Ticket? {
        if let ticket, !removals.permits(ticket, key.name.source) { return nil }
        open()
        recordRemoval(of: key)
        remove([key.name] + index.names(withTag: EntryMetadata.tag(ofOriginal: key.text)))
        return removals.ticket()
    }

    /// Removes what was made of an entry; it and the files removed before are gone from the disk on return.
    package func removeMade(of key: DiskKey) async {
        // Others may have made something of it, and what has been made may not be known yet.
        await ordersEnd()
        if index.unreadCount > 0 { await readUnread() }
        await outcome(of: remove(index.names(withTag: EntryMetadata.tag(ofOriginal: key.text))))
    }

    /// Keeps a body in the place of whatever there is; what was begun before can't undo it.
    ///
    /// - Returns: false, and nothing is done, when the key was removed since `ticket` was taken.
    @discardableResult
    package func replace(
        _ body: Data, _ metadata: EntryMetadata, for key: DiskKey, expires: Int64? = nil, begun ticket: Ticket? = nil
    ) -> Bool {
        if let ticket, !removals.permits(ticket, key.name.source) { return false }
        recordRemoval(of: key)
        store(body, metadata, for: key, expires: expires, begun: removals.ticket())
        return true
    }
}
