/// Redirects that may be followed again without asking their servers: permanent ones, and others while they are fresh
/// (RFC 9111 section 4.2.2).
struct RedirectMemory<Key: Hashable & Sendable>: Sendable {
    private let capacity: Int
    private var redirects: [Key: [KnownRedirect]] = [:]

    /// - Parameter capacity: The maximum number of resources. When it is reached, all are forgotten: they only save a
    ///   request each.
    init(capacity: Int = 1_000) { self.capacity = capacity }

    var count: Int { redirects.count }

    /// Records the first redirects of a resource, in order.
    mutating func record(_ key: Key, _ hops: [KnownRedirect]) {
        if redirects.count >= capacity, redirects[key] == nil { redirects = [:] }
        redirects[key] = hops
    }

    /// The redirects to follow for a resource, up to the first that isn't fresh any more.
    ///
    /// - Parameter now: In seconds since 1970.
    func redirects(of key: Key, at now: Int64) -> ArraySlice<KnownRedirect> {
        guard !redirects.isEmpty, let hops = redirects[key] else { return [] }
        return hops.prefix { $0.freshness.isFresh(at: now) }
    }

    mutating func forget(_ key: Key) { if !redirects.isEmpty { redirects[key] = nil } }

    mutating func forgetAll() { redirects = [:] }
}

/// A redirect that may be followed again.
struct KnownRedirect: Hashable, Sendable {
    let status: Int
    let location: String
    let freshness: Freshness

    /// Nil if it must not be followed again: it is temporary and doesn't say for how long, must not be stored, or sets
    /// a cookie.
    init?(_ status: Int, to location: String, _ headers: HTTPHeaders, _ freshness: Freshness) {
        guard headers["Set-Cookie"] == nil, !headers.forbidStoring(status: status),
            freshness.isFresh(at: freshness.receivedSecond)
        else { return nil }
        self.status = status
        self.location = location
        self.freshness = freshness
    }
}
