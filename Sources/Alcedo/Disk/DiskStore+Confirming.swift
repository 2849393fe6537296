// Renewing the responses of entries that a server has confirmed.

extension DiskStore {
    /// Renews the responses of an entry and of everything made from it that have the same version. Their bytes aren't
    /// written again.
    package func confirm(_ response: StoredResponse, for key: StoredKey) async {
        await opened()
        for name in [key.name] + index.names(withTag: EntryMetadata.tag(ofOriginal: key.text)) {
            await confirm(response, of: name, madeOf: key)
        }
    }

    private func confirm(_ response: StoredResponse, of name: EntryName, madeOf key: StoredKey) async {
        if let item = staged[name] {
            guard let metadata = item.metadata?.confirmed(by: response) else { return }
            return store(item.content, metadata, for: item.key, expires: item.expires, begun: ticket())
        }
        guard presence(of: name) != .absent, let known = await readers.run({ [work] in work.tail(name, madeOf: key) }),
            let metadata = known.metadata.confirmed(by: response)
        else { return }
        await update(metadata, for: known.key, expires: known.expires, version: response.version)
    }
}

extension DiskStore {
    /// Removes everything known to be made from another version of an entry.
    func removeMade(of key: StoredKey, replacedBy response: StoredResponse) async {
        var outdated: [EntryName] = []
        for name in index.names(withTag: EntryMetadata.tag(ofOriginal: key.text)) {
            if let made = await self.response(name, madeOf: key), response.isKnownToDiffer(from: made) {
                outdated.append(name)
            }
        }
        if !outdated.isEmpty { remove(outdated) }
    }

    /// The response of an entry, if the entry is that of `key` or was made from it.
    private func response(_ name: EntryName, madeOf key: StoredKey) async -> StoredResponse? {
        if let item = staged[name] { return item.metadata?.response }
        guard presence(of: name) != .absent else { return nil }
        return await readers.run { [work] in work.tail(name, madeOf: key) }?.metadata.response
    }
}

extension DiskWork {
    /// The properties of an entry according to the end of its file, if the entry is that of `key` or was made from it.
    fileprivate func tail(
        _ name: EntryName, madeOf key: StoredKey
    ) -> (key: StoredKey, metadata: EntryMetadata, expires: Int64?)? {
        guard case .success(let (tail, _)) = readTail(name), let metadata = EntryMetadata(tail.metadata) else {
            return nil
        }
        let text = String(decoding: tail.key, as: UTF8.self)
        let variant = text.dropFirst(key.text.count + 1)
        let own = text == key.text ? key : key.made(as: String(variant))
        return own.text == text ? (own, metadata, tail.expires) : nil
    }
}
