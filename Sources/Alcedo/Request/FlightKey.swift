/// Identifies a piece of work that callers share: what is loaded, and how.
package struct FlightKey<Key: Hashable & Sendable>: Hashable, Sendable {
    package let key: Key
    private let query: CacheQuery
    private let writes: CacheWritePolicy
    /// Other flights may end with a remembered failure.
    private let asksAnew: Bool
    /// Other flights may end without a body, because the server confirmed the one that a waiter has.
    private let isUnconditional: Bool
    private let transfer: TransferChoices?
    /// The disk cache that is searched, which loaders that share a flight have in common.
    private let store: ObjectIdentifier?

    /// The rest seldom differs.
    package func hash(into hasher: inout Hasher) { hasher.combine(key) }
}

extension FlightKey<ImageKey> {
    package init(_ key: ImageKey, _ request: ImageRequest) {
        self.init(
            key: key, query: request.query, writes: request.writes, asksAnew: request.asksAnew,
            isUnconditional: request.isUnconditional, transfer: request.transfer, store: nil)
    }
}

extension FlightKey<ResourceKey> {
    /// A resource's flight isn't affected by where its callers store what they make of it.
    ///
    /// - Parameter store: The disk cache that is searched; nil for none.
    package init(_ key: ResourceKey, _ request: ImageRequest, in store: ObjectIdentifier? = nil) {
        self.init(
            key: key, query: request.query, writes: .all, asksAnew: request.asksAnew,
            isUnconditional: request.isUnconditional, transfer: request.transfer, store: store)
    }
}
