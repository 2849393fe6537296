import Foundation

/// Redirects that may be followed again without asking their servers: permanent ones, and others while they are fresh
/// (RFC 9111 section 4.2.2).
struct RedirectMemory<Key: Hashable & Sendable>: Sendable {
    private let capacity: Int
    private var redirects: [Key: (url: String, hops: [KnownRedirect])] = [:]

    /// - Parameter capacity: The maximum number of resources. When it is reached, all are forgotten, because each only
    ///   saves a request.
    init(capacity: Int = 1_000) { self.capacity = capacity }

    var count: Int { redirects.count }

    /// Records the first redirects of a resource, in order. If there are none, forgets the recorded ones of this URL.
    ///
    /// - Parameter url: The URL that was requested. A resource with a custom key may have several.
    mutating func record(_ key: Key, from url: URL, _ hops: [KnownRedirect]) {
        let url = url.sentText
        if hops.isEmpty {
            if redirects[key]?.url == url { redirects[key] = nil }
            return
        }
        if redirects.count >= capacity, redirects[key] == nil { redirects = [:] }
        redirects[key] = (url, hops)
    }

    /// The redirects to follow for a resource, up to the first that is no longer fresh; none if another of its URLs was
    /// redirected.
    ///
    /// - Parameter now: The current time in seconds since 1970.
    func redirects(of key: Key, from url: URL, at now: Int64) -> ArraySlice<KnownRedirect> {
        guard !redirects.isEmpty, let (redirected, hops) = redirects[key], redirected == url.sentText else { return [] }
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
