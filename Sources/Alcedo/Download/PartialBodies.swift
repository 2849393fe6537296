/// Beginnings of bodies, kept for a next attempt; of too many bytes or too many parts, those stored first go first.
package struct PartialBodies<Key: Hashable & Sendable>: Sendable {
    private struct Part: Sendable {
        let partial: PartialBody
        let number: UInt64
    }

    private let byteLimit: Int
    private let countLimit: Int
    /// Bytes of all bodies; their heads are not counted.
    package private(set) var byteCount = 0

    private var parts: [Key: Part] = [:]
    private var lastNumber: UInt64 = 0

    /// - Parameters:
    ///   - byteLimit: bytes of all bodies; a single one that is larger is not kept.
    ///   - countLimit: parts that are kept, as even a small one has a head; at least 1.
    package init(byteLimit: Int = 32 << 20, countLimit: Int = 256) {
        self.byteLimit = max(0, byteLimit)
        self.countLimit = max(1, countLimit)
    }

    package var count: Int { parts.count }

    /// Keeps a part in place of the one that is there, unless that is a longer one of the same representation.
    package mutating func keep(_ partial: PartialBody, for key: Key) {
        var partial = partial
        if let earlier = take(key), earlier.validator == partial.validator,
            earlier.body.count > partial.body.count || partial.body.count > byteLimit
        {
            partial = earlier
        }
        guard partial.body.count <= byteLimit else { return }
        while byteCount > byteLimit - partial.body.count || parts.count >= countLimit { dropFirst() }
        lastNumber += 1
        parts[key] = Part(partial: partial, number: lastNumber)
        byteCount += partial.body.count
    }

    /// Takes a part out, for the one attempt that goes on with it.
    package mutating func take(_ key: Key) -> PartialBody? {
        guard let part = parts.removeValue(forKey: key) else { return nil }
        byteCount -= part.partial.body.count
        return part.partial
    }

    package mutating func remove(_ key: Key) { _ = take(key) }

    package mutating func removeAll() {
        parts.removeAll()
        byteCount = 0
    }

    /// Why the store contradicts itself, nil when it does not; for tests.
    package var brokenInvariant: String? {
        if byteCount > byteLimit { return "the limit is exceeded" }
        if parts.count > countLimit { return "there are too many" }
        return parts.values.reduce(0) { $0 + $1.partial.body.count } == byteCount ? nil : "the sizes do not add up"
    }

    /// They are few, so the first one is looked for.
    private mutating func dropFirst() {
        if let first = parts.min(by: { $0.value.number < $1.value.number }) { remove(first.key) }
    }
}
