// The entries that removals would remove.

extension DiskStore {
    /// Returns the entries that ``remove(_:)`` would remove now.
    package func entries(selectedBy selection: CacheSelection) async -> [RemovedEntry] {
        await caughtUp()
        switch selection {
        case .expired:
            await readUnread()
            var copy = index
            return copy.expire(at: now).map(RemovedEntry.init)
        case .all: return removed(index.names(at: Self.beforeAll))
        case .url(let url): return removed(index.names(ofSource: EntryName.digest(ofSource: Self.source(of: url))))
        case .tag(let tag):
            await readUnread()
            return removed(index.names(withTag: tag))
        case .prefix(let prefix):
            let prefix = ParsedURL.normalPrefix(prefix).splitUserInfo.text
            return await entries { $0.url.hasPrefix(prefix) }
        }
    }

    /// Returns the entries that ``remove(where:)`` would remove now.
    package func entries(where matches: @Sendable (DiskEntry) -> Bool) async -> [RemovedEntry] {
        await caughtUp()
        let chosen = await names(where: matches)
        return removed(chosen.filter { index.presence(of: $0, at: Self.beforeAll) != .absent })
    }

    /// Returns the entries that ``trim(toBytes:)`` would evict now.
    package func entries(beyondBytes bytes: Int) async -> [RemovedEntry] {
        await caughtUp()
        var copy = index
        return copy.trim(toBytes: bytes).map(RemovedEntry.init)
    }

    /// Returns what ``verify()`` would return now, and reports the same failures, but removes nothing.
    package func verifyWithoutRemoving() async -> DiskVerification {
        await written()
        var result = DiskVerification()
        for name in index.names(at: now) {
            let item = index.item(of: name)
            let defect = await maintenance.run { [work, settings] in
                work.defect(of: name, byteLimit: settings.fileByteLimit)
            }
            switch defect {
            case nil: result.wholeCount += 1
            case .entry(let defect):
                report(defect, of: name)
                result.damaged.append(RemovedEntry(item))
            case .file(let error): if !error.isNotFound { work.onFailure(CacheFailure(.read, error)) }
            case .expired, .old: break
            }
        }
        return result
    }

    private func removed(_ names: [EntryName]) -> [RemovedEntry] {
        names.map { RemovedEntry(index.item(of: $0)) }
    }
}
