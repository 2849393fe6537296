import Synchronization

// What a loader removes from its disk tier.

extension StoredTier {
    /// Removes a resource's bytes and everything made from them.
    func remove(_ resource: ResourceKey) async {
        switch place {
        case .disk(let disk): await disk.remove(resource)
        case .other(let guarded): await guarded.hide(guarded.key(of: resource), waits: true)
        }
    }

    /// Removes all entries of a source, whatever else selects their bytes.
    func remove(source: String) async {
        switch place {
        case .disk(let disk): await disk.remove(source: source)
        case .other(let guarded): await guarded.remove(source: source)
        }
    }

    func removeAll() async {
        switch place {
        case .disk(let disk): await disk.removeAll()
        case .other(let guarded): await guarded.removeAll()
        }
    }

    /// Removes the selected entries. Returns the error if the store failed.
    ///
    /// - Parameter keys: Makes the keys of URLs; nil if each URL is its own key.
    func removed(_ selection: CacheSelection, by keys: CacheKeyPolicy?) async -> ImageLoaderError? {
        switch place {
        case .disk(let disk):
            await disk.remove(selection, by: keys)
            return nil
        case .other(let guarded): return await guarded.remove(selection, by: keys)
        }
    }

    func removed(where matches: @escaping @Sendable (StoredMetadata) -> Bool) async -> ImageLoaderError? {
        switch place {
        case .disk(let disk):
            // Entries of loads that are running may match, too.
            disk.removals.recordAll()
            let found = Mutex<[StoredKey]>([])
            await disk.listEntries(.all) { part in found.withLock { $0 += part.filter(matches).map(\.key) } }
            await disk.removeEntries(.keys(found.withLock { $0 }))
            return nil
        case .other(let guarded): return await guarded.remove(named: "entries that match a condition", where: matches)
        }
    }

    // MARK: Upkeep

    /// The number of changes that haven't been carried out yet.
    var pendingWrites: Int {
        get async {
            switch place {
            case .disk(let disk): await disk.pendingWrites
            case .other(let guarded): guarded.ledger.count
            }
        }
    }

    /// Closes the files and ends the threads until they are needed again.
    func rest() async {
        switch place {
        case .disk(let disk): await disk.rest()
        case .other(let guarded): guarded.rest()
        }
    }
}
