// The use of the caches by a request.

extension ImageRequest {
    /// Whether the request is answered from the caches. Default: nil, which applies
    /// ``ImageLoader/Configuration/readPolicy``.
    public var readPolicy: CacheReadPolicy? {
        // Read on the path of a memory hit.
        get { box?.values.readPolicy }
        set { change { $0.readPolicy = newValue } }
    }

    /// The caches that store the response. Default: nil, which applies ``ImageLoader/Configuration/writePolicy``.
    public var writePolicy: CacheWritePolicy? {
        get { box?.values.writePolicy }
        set { change { $0.writePolicy = newValue } }
    }
}

extension ImageRequest {
    /// Whether a failure of a short while ago is no answer.
    var asksAnew: Bool { retriesFailed || readPolicy == .reload || readPolicy == .revalidate && !isBehind }

    /// The query to the caches.
    var query: CacheQuery { query(by: CachePolicies()) }

    /// The query to the caches of a loader with these policies.
    func query(by policies: CachePolicies) -> CacheQuery {
        CacheQuery(readPolicy ?? policies.read, box?.directives ?? RequestDirectives())
    }

    /// Whether images in memory are used by their own freshness alone. On the path of a memory hit.
    var trustsCaches: Bool { box?.trustsCaches ?? true }

    /// The caches that store the response, all unless set.
    var writes: CacheWritePolicy { writePolicy ?? .all }

    /// Whether a response may be stored by the rules of HTTP. Those to other methods are stored only where the content
    /// of a request never changes.
    var isStorable: Bool { method == .get || readPolicy == .immutable }

    /// The response to revalidate; nil to ask for a whole one. It selects nothing: those who ask for the same share a
    /// download whatever they have.
    var confirming: StoredResponse? { box?.values.confirming.response }

    /// Whether a stale response would be used at once if the server failed, so that waiting for its recovery is no use.
    ///
    /// - Parameter now: In seconds since 1970.
    func hasSubstitute(at now: Int64) -> Bool {
        guard let confirming, !asksAnew, !isBehind else { return false }
        return query.permits(confirming.freshness, afterErrorAt: now)
    }

    /// This request, which asks whether `response` is still valid.
    func confirming(_ response: StoredResponse?) -> ImageRequest {
        guard response != nil || confirming != nil else { return self }
        var request = self
        request.change { $0.confirming = Confirming(response: response) }
        return request
    }

    /// Whether the body must come, because others that share the download may have theirs already.
    var isUnconditional: Bool { box?.values.isUnconditional ?? false }

    /// Whether its response replaces what the caches have, without being compared with it.
    var replacesStored: Bool { asksAnew || isUnconditional }

    /// This request, which shares no download with those that revalidate.
    var unconditional: ImageRequest {
        var request = confirming(nil)
        request.change { $0.isUnconditional = true }
        return request
    }

    /// Whether a stored result would never be found, because its time to live is zero.
    var expiresAtOnce: Bool { timeToLive.map { $0 <= .zero } ?? false }

    /// Whether the response is only stored, because callers were given a stale one.
    var isBehind: Bool { box?.values.isBehind ?? false }

    /// The request that revalidates a stale response after it was used.
    var behind: ImageRequest {
        var request = self
        request.change { ($0.readPolicy, $0.isBehind) = (.revalidate, true) }
        request.priority = .veryLow
        return request
    }

    /// The caller's request whose stale response was used; see ``behind``.
    var inFront: ImageRequest {
        var request = self
        request.change {
            ($0.readPolicy, $0.isBehind) = (nil, false)
            if let asked = $0.asked { ($0.processing, $0.asked) = (asked, nil) }
        }
        request.priority = .normal
        return request
    }

    /// This request with the policies of a loader where it has none.
    func resolved(_ policies: CachePolicies) -> ImageRequest {
        var request = self
        if readPolicy == nil, policies.read != .http { request.readPolicy = policies.read }
        if writePolicy == nil, policies.write != .all { request.writePolicy = policies.write }
        return request
    }

    /// A stored response, which requests don't differ by.
    struct Confirming: Hashable, Sendable {
        var response: StoredResponse?

        static func == (left: Self, right: Self) -> Bool { (left.response == nil) == (right.response == nil) }
        func hash(into hasher: inout Hasher) {}
    }
}
