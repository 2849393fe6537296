/// Identifies a piece of work that callers share: what is loaded, and how.
package struct FlightKey<Key: PrehashedKey>: PrehashedKey {
    package let key: Key
    private let policy: CachePolicy
    /// Other flights may end with a remembered failure.
    private let asksAnew: Bool

    package init(_ key: Key, _ request: ImageRequest) {
        self.init(key, request.cachePolicy, asksAnew: request.asksAnew)
    }

    private init(_ key: Key, _ policy: CachePolicy, asksAnew: Bool) {
        self.key = key
        self.policy = policy
        self.asksAnew = asksAnew
    }

    /// All possible flight keys of `key`.
    static func all(of key: Key) -> [FlightKey] {
        CachePolicy.allCases.flatMap { policy in
            [FlightKey(key, policy, asksAnew: false), FlightKey(key, policy, asksAnew: true)]
        }
    }

    /// The rest seldom differs.
    package var prehash: UInt64 { key.prehash }

    package func hash(into hasher: inout Hasher) { hasher.combine(key) }
}
