/// Identifies a piece of work that callers share: what is loaded, and how.
package struct FlightKey<Key: PrehashedKey>: PrehashedKey {
    package let key: Key
    private let query: CacheQuery
    private let writes: CacheWritePolicy
    /// Other flights may end with a remembered failure.
    private let asksAnew: Bool
    /// Other flights may end without a body, because the server confirmed the one that a waiter has.
    private let needsBody: Bool

    /// The rest seldom differs.
    package var prehash: UInt64 { key.prehash }

    package func hash(into hasher: inout Hasher) { hasher.combine(key) }
}

extension FlightKey<ImageKey> {
    package init(_ key: ImageKey, _ request: ImageRequest) {
        self.init(
            key: key, query: request.query, writes: request.writes, asksAnew: request.asksAnew,
            needsBody: request.needsBody)
    }
}

extension FlightKey<ResourceKey> {
    /// A download isn't affected by where its result is stored.
    package init(_ key: ResourceKey, _ request: ImageRequest) {
        self.init(
            key: key, query: request.query, writes: .all, asksAnew: request.asksAnew, needsBody: request.needsBody)
    }
}
