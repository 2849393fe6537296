import Foundation

/// The bodies handed to a store that aren't on disk yet, by entry name, and the bytes they hold.
struct StagedBodies: Sendable {
    private var bodies: [EntryName: StagedBody] = [:]
    /// The bytes held in memory by each write that has neither ended nor been abandoned, including the running one.
    private var held: [UInt64: Int] = [:]
    private var heldBytes = 0
    /// The number of the latest write.
    private(set) var lastNumber: UInt64 = 0

    subscript(name: EntryName) -> StagedBody? { bodies[name] }

    /// The body of `key`. Another key may have an entry of the same name.
    func body(of key: StoredKey) -> StagedBody? {
        guard let body = bodies[key.name], body.key == key else { return nil }
        return body
    }

    /// The names of all bodies, in the order of their writes.
    var names: [EntryName] { bodies.values.sorted { $0.number < $1.number }.map(\.key.name) }

    /// Whether the write of a staged body has this number or an earlier one.
    func contains(upTo number: UInt64) -> Bool { bodies.values.contains { $0.number <= number } }

    /// The bytes held in memory by all writes except that of the current body of `name`, which a new one would replace.
    func heldBytes(besides name: EntryName) -> Int { heldBytes - (bodies[name].flatMap { held[$0.number] } ?? 0) }

    mutating func insert(_ body: Body, _ encodedMetadata: Data, for key: StoredKey, expires: Int64?, tags: [UInt64]) {
        remove(key.name)
        lastNumber += 1
        bodies[key.name] = StagedBody(
            write: StagedWrite(key: key, number: lastNumber), content: body, encodedMetadata: encodedMetadata,
            expires: expires, tags: tags, pending: Handover(body))
        held[lastNumber] = body.stagedBytes
        heldBytes += body.stagedBytes
    }

    mutating func remove(_ name: EntryName) {
        // A body that is being written holds its bytes until it is written.
        if let body = bodies.removeValue(forKey: name), body.pending.take() != nil { end(body.number) }
    }

    /// Called when a write has ended and no longer holds its body.
    mutating func end(_ number: UInt64) { heldBytes -= held.removeValue(forKey: number) ?? 0 }

    /// Counts another attempt to write a body.
    mutating func countAttempt(of name: EntryName) { bodies[name]?.write.attempts += 1 }
}

/// A body that was handed over and isn't on disk yet. Look-ups find it immediately.
struct StagedBody: Sendable {
    fileprivate(set) var write: StagedWrite
    let content: Body
    let encodedMetadata: Data
    /// When the body expires, in seconds since 1970.
    let expires: Int64?
    let tags: [UInt64]
    /// Empty once the writer has taken the body, or the body is no longer wanted on disk.
    let pending: Handover<Body>

    var key: StoredKey { write.key }
    var metadata: EntryMetadata? { EntryMetadata(encodedMetadata) }
    var number: UInt64 { write.number }
}

/// The write of a staged body, without the body, so that a delayed writer holds no body that is no longer wanted.
struct StagedWrite: Sendable {
    let key: StoredKey
    /// Distinguishes the writes of a key, in order.
    let number: UInt64
    /// The number of attempts after the first one.
    fileprivate(set) var attempts = 0
}
