/// Identifies work that callers share: the thing to load, and the way to load it.
package struct FlightKey<Key: Hashable & Sendable>: Hashable, Sendable {
    package let key: Key
    private let query: CacheQuery
    private let writes: CacheWritePolicy
    /// Distinguishes the flight from those that may end with a remembered failure.
    private let asksAnew: Bool
    /// Distinguishes the flight from those that may end without a body, because the server confirmed a waiter's.
    private let isUnconditional: Bool
    private let transfer: TransferChoices?
    /// The disk cache that is searched, which loaders that share a flight have in common.
    private let store: ObjectIdentifier?

    /// Hashes only the key, because the rest rarely differs.
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
    /// Creates the key of a resource's flight, which doesn't depend on where its callers store their images.
    ///
    /// - Parameter store: The disk cache that is searched; nil for none.
    package init(_ key: ResourceKey, _ request: ImageRequest, in store: ObjectIdentifier? = nil) {
        self.init(
            key: key, query: request.query, writes: .all, asksAnew: request.asksAnew,
            isUnconditional: request.isUnconditional, transfer: request.transfer, store: store)
    }
}
