import Foundation

// What a loader asks of its disk tier. The disk cache is asked directly, so that a hit costs nothing more.

extension StoredTier {
    /// Takes a ticket, when work begins whose result will be stored.
    func ticket() -> Ticket {
        switch place {
        case .disk(let disk): disk.ticket()
        case .other(let guarded): guarded.ledger.ticket()
        }
    }

    /// Whether a resource hasn't been removed since `ticket` was taken.
    func permits(_ ticket: Ticket, _ resource: ResourceKey) -> Bool {
        switch place {
        case .disk(let disk): return disk.permits(ticket, resource)
        case .other(let guarded):
            let source = EntryName.digest(ofSource: resource.text.splitUserInfo.text)
            return guarded.ledger.permits(ticket, source)
        }
    }

    /// The key of a resource's bytes; nil if the directory's key can't be read.
    ///
    /// - Parameter evenIfCancelled: Whether to wait for the directory's key even if the calling Task is cancelled.
    func key(of resource: ResourceKey, evenIfCancelled: Bool = false) async -> StoredKey? {
        switch place {
        case .disk(let disk): await disk.key(of: resource, evenIfCancelled: evenIfCancelled)
        case .other(let guarded): await guarded.key(of: resource)
        }
    }

    // MARK: Looking up

    /// Returns the entry stored under `key`; nil if it is absent or can't be used.
    ///
    /// - Parameters:
    ///   - readsBody: Whether the bytes are needed.
    ///   - waits: Whether to wait for a slow store, because only the cache may answer.
    package func entry(for key: StoredKey, readsBody: Bool = true, waits: Bool = false) async -> StoredEntry? {
        switch place {
        case .disk(let disk): await disk.entry(for: key, readsBody: readsBody)
        case .other(let guarded): await guarded.entry(for: key, readsBody: readsBody, waits: waits)
        }
    }

    /// Whether an entry is stored under `key`.
    func contains(_ key: StoredKey, waits: Bool = false) async -> Bool {
        switch place {
        case .disk(let disk): await disk.contains(key)
        case .other(let guarded): await guarded.entry(for: key, readsBody: false, waits: waits) != nil
        }
    }

    /// The freshness of an original's response, which is nil for bytes without a response; nil if there is no entry.
    /// Doesn't count as a use of an entry in the disk cache.
    func freshness(of original: ImageKey) async -> Freshness?? {
        switch place {
        case .disk(let disk): return await disk.entry(for: original).map(\.freshness)
        case .other(let guarded):
            let key = await guarded.key(of: original.resource)
            return await guarded.entry(for: key, readsBody: false, waits: false).map { $0.metadata.response?.freshness }
        }
    }

    // MARK: Storing

    /// Stores a body, unless its key was removed since `ticket` was taken.
    ///
    /// - Parameter timeToLive: Nil applies the store's.
    func store(
        _ body: Body, _ metadata: EntryMetadata, for key: StoredKey, timeToLive: Duration?, begun ticket: Ticket
    ) async {
        switch place {
        case .disk(let disk):
            await disk.store(body, metadata, for: key, expires: disk.expiry(after: timeToLive), begun: ticket)
        case .other(let guarded):
            await guarded.store(body, metadata, for: key, timeToLive: timeToLive, begun: ticket)
        }
    }

    /// Renews the responses of an entry and of everything made from it that have the same version.
    func confirm(_ response: StoredResponse, for key: StoredKey) async {
        switch place {
        case .disk(let disk): await disk.confirm(response, for: key)
        case .other(let guarded): await guarded.confirm(response, for: key)
        }
    }

    // MARK: Replacing

    /// Takes a ticket, when work begins whose result will replace an entry. Results of work that began earlier are no
    /// longer stored.
    func ticketToReplace(_ key: StoredKey) async -> Ticket {
        switch place {
        case .disk(let disk): await disk.ticketToReplace(key)
        case .other(let guarded): guarded.ledger.record(key.name.source)
        }
    }

    /// Stores a body in place of any existing entry. Work that began earlier can't undo it.
    ///
    /// - Returns: False, having done nothing, if the key was removed since `ticket` was taken.
    func replace(
        _ body: Data, _ metadata: EntryMetadata, for key: StoredKey, timeToLive: Duration?, begun ticket: Ticket
    ) async -> Bool {
        switch place {
        case .disk(let disk):
            await disk.replace(body, metadata, for: key, expires: disk.expiry(after: timeToLive), begun: ticket)
        case .other(let guarded):
            await guarded.store(
                .memory(body), metadata, for: key, timeToLive: timeToLive, begun: ticket, as: .replacement)
        }
    }

    /// Removes an entry and everything known to be made from it, unless the key was removed since `ticket` was taken.
    ///
    /// - Parameter isReplaced: Whether a replacement will be stored.
    /// - Returns: The ticket for storing a replacement; nil if nothing was done.
    @discardableResult
    func hide(_ key: StoredKey, begun ticket: Ticket? = nil, isReplaced: Bool = false) async -> Ticket? {
        switch place {
        case .disk(let disk): await disk.hide(key, begun: ticket, isReplaced: isReplaced)
        case .other(let guarded): await guarded.hide(key, begun: ticket)
        }
    }

    /// Removes what else was made from an entry that has been hidden, such as by other processes.
    func removeMade(of key: StoredKey) async {
        // Other stores have removed it with the entry.
        if case .disk(let disk) = place { await disk.removeMade(of: key) }
    }

    /// Removes everything made from another version of an entry.
    func removeMade(of key: StoredKey, replacedBy response: StoredResponse) async {
        switch place {
        case .disk(let disk): await disk.removeMade(of: key, replacedBy: response)
        case .other(let guarded): await guarded.removeMade(of: key, replacedBy: response)
        }
    }

    /// Removes an entry whose bytes can't be used. Work that began earlier may still store new bytes.
    func discard(_ key: StoredKey) async {
        switch place {
        case .disk(let disk): await disk.discard(key)
        case .other(let guarded): await guarded.discard(key)
        }
    }
}
