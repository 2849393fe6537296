/// Bodies handed to a store and not yet on disk, by their entries, and the bytes they hold.
struct StagedBodies: Sendable {
    private var bodies: [EntryName: StagedBody] = [:]
    /// Bytes held by each write that has neither ended nor been given up, the running one included.
    private var held: [UInt64: Int] = [:]
    private var heldBytes = 0
    /// The number of the latest write.
    private(set) var lastNumber: UInt64 = 0

    subscript(name: EntryName) -> StagedBody? { bodies[name] }

    /// The body of `key`; other keys may have an entry of the same name.
    func body(of key: DiskKey) -> StagedBody? {
        guard let body = bodies[key.name], body.key == key else { return nil }
        return body
    }

    /// All entries, in the order of their writes.
    var names: [EntryName] { bodies.values.sorted { $0.number < $1.number }.map(\.key.name) }

    /// Whether a body is staged whose write has this number or an earlier one.
    func contains(upTo number: UInt64) -> Bool { bodies.values.contains { $0.number <= number } }

    /// Bytes held by writes other than that of the body `name` has now, which a new one replaces.
    func heldBytes(besides name: EntryName) -> Int { heldBytes - (bodies[name].flatMap { held[$0.number] } ?? 0) }

    mutating func insert(_ entry: StoredEntry, for key: DiskKey, expires: Int64?, tags: [UInt64]) {
        remove(key.name)
        lastNumber += 1
        bodies[key.name] = StagedBody(
            write: StagedWrite(key: key, number: lastNumber), entry: entry, expires: expires, tags: tags,
            pending: PendingBody(entry.body))
        held[lastNumber] = entry.body.count
        heldBytes += entry.body.count
    }

    mutating func remove(_ name: EntryName) {
        // A body that is being written is held until it is written.
        if let body = bodies.removeValue(forKey: name), body.pending.take() != nil { end(body.number) }
    }

    /// A write has ended, and holds its body no longer.
    mutating func end(_ number: UInt64) { heldBytes -= held.removeValue(forKey: number) ?? 0 }

    /// A write is tried again.
    mutating func countAttempt(of name: EntryName) { bodies[name]?.write.attempts += 1 }
}

/// A body handed over and not yet on disk; it answers look-ups at once.
struct StagedBody: Sendable {
    fileprivate(set) var write: StagedWrite
    let entry: StoredEntry
    /// When it expires, in seconds since 1970.
    let expires: Int64?
    let tags: [UInt64]
    let pending: PendingBody

    var key: DiskKey { write.key }
    var number: UInt64 { write.number }
}

/// The write of a staged body, without the body: a writer that is held up keeps that no longer than it is wanted.
struct StagedWrite: Sendable {
    let key: DiskKey
    /// Distinguishes the writes of a key, in their order.
    let number: UInt64
    /// How often it was tried.
    fileprivate(set) var attempts = 0
}
