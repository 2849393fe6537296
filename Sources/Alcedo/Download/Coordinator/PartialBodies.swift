/// Beginnings of bodies, stored for the next attempt.
///
/// When there are too many bytes in memory or too many parts, the oldest part is removed.
package struct PartialBodies<Key: Hashable & Sendable>: Sendable {
    struct Part: Sendable {
        let partial: PartialBody
        let number: UInt64
        var isFile: Bool { if case .file = partial.body { true } else { false } }
    }

    let byteLimit: Int
    let countLimit: Int
    /// The maximum number of parts in files, which stay open.
    static var fileLimit: Int { 8 }
    /// The total size of the bodies in memory in bytes, without their heads.
    package private(set) var byteCount = 0

    private(set) var parts: [Key: Part] = [:]
    private var lastNumber: UInt64 = 0

    /// - Parameter countLimit: Bounds the number of parts, because even a small one has a head.
    package init(byteLimit: Int = 32 << 20, countLimit: Int = 256) {
        self.byteLimit = max(0, byteLimit)
        self.countLimit = max(1, countLimit)
    }

    package var count: Int { parts.count }

    /// Stores a part, replacing the existing one unless that is a longer part of the same representation.
    package mutating func keep(_ partial: PartialBody, for key: Key) {
        var partial = partial
        if let earlier = take(key), earlier.validator == partial.validator,
            earlier.body.count > partial.body.count || partial.body.heldBytes > byteLimit
        {
            partial = earlier
        }
        let bytes = partial.body.heldBytes
        guard byteLimit > 0, bytes <= byteLimit else { return }
        while byteCount > byteLimit - bytes || parts.count >= countLimit { dropFirst() }
        if bytes == 0, parts.values.count(where: \.isFile) >= Self.fileLimit { dropFirst(where: \.isFile) }
        lastNumber += 1
        parts[key] = Part(partial: partial, number: lastNumber)
        byteCount += bytes
    }

    /// Removes and returns a part, which only one attempt may continue.
    package mutating func take(_ key: Key) -> PartialBody? {
        guard let part = parts.removeValue(forKey: key) else { return nil }
        byteCount -= part.partial.body.heldBytes
        return part.partial
    }

    package mutating func remove(_ key: Key) { _ = take(key) }

    package mutating func removeAll() {
        parts.removeAll()
        byteCount = 0
    }

    /// There are few parts, so a linear search is enough.
    private mutating func dropFirst(where isDropped: (Part) -> Bool = { _ in true }) {
        let first = parts.filter { isDropped($0.value) }.min { $0.value.number < $1.value.number }
        if let first { remove(first.key) }
    }
}
