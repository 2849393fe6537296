/// Identifies a piece of work that callers share: what is loaded, and how.
package struct FlightKey<Key: PrehashedKey>: PrehashedKey {
    package let key: Key
    private let policy: CachePolicy
    /// Other flights may end with a remembered failure.
    private let asksAnew: Bool

    /// All possible flight keys of `key`.
    static func all(of key: Key) -> [FlightKey] {
        CachePolicy.allCases.flatMap { policy in
            [false, true].map { FlightKey(key: key, policy: policy, asksAnew: $0) }
        }
    }

    /// The rest seldom differs.
    package var prehash: UInt64 { key.prehash }

    package func hash(into hasher: inout Hasher) { hasher.combine(key) }
}

extension FlightKey {
    package init(_ key: Key, _ request: ImageRequest) {
        self.init(key: key, policy: request.cachePolicy, asksAnew: request.asksAnew)
    }
}
