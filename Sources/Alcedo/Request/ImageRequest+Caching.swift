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
    /// Whether the request ignores recent failures.
    var asksAnew: Bool { retriesFailed || readPolicy == .reload || readPolicy == .revalidate && !isBehind }

    /// Returns this request, which then ignores recent failures.
    var retryingFailed: ImageRequest {
        var request = self
        request.retriesFailed = true
        return request
    }

    /// The query that the caches answer.
    var query: CacheQuery { query(by: CachePolicies()) }

    /// The query that the caches of a loader with these policies answer.
    func query(by policies: CachePolicies) -> CacheQuery {
        CacheQuery(readPolicy ?? policies.read, box?.directives ?? RequestDirectives())
    }

    /// Whether only the freshness of an image in memory decides on its use. Read on the path of a memory hit.
    var trustsCaches: Bool { box?.trustsCaches ?? true }

    /// The caches that store the response. Default: all.
    var writes: CacheWritePolicy { writePolicy ?? .all }

    /// Whether HTTP's rules allow the response to be stored. Responses to methods other than GET are stored only with
    /// ``CacheReadPolicy/immutable``.
    var isStorable: Bool { method == .get || readPolicy == .immutable }

    /// The response to revalidate; nil to request a whole one. It isn't part of any key: equal requests share a
    /// download, whatever response they have.
    var confirming: StoredResponse? { box?.values.confirming.response }

    /// Whether a stale response would be used immediately if the server failed, so that waiting for the server's
    /// recovery is pointless.
    ///
    /// - Parameter now: In seconds since 1970.
    func hasSubstitute(at now: Int64) -> Bool {
        guard let confirming, !asksAnew, !isBehind else { return false }
        return query.permits(confirming.freshness, afterErrorAt: now)
    }

    /// Returns this request, which then asks the server whether `response` is still valid.
    func confirming(_ response: StoredResponse?) -> ImageRequest {
        guard response != nil || confirming != nil else { return self }
        var request = self
        request.change { $0.confirming = Confirming(response: response) }
        return request
    }

    /// Whether the server must send the body. Requests that share other downloads may have their bodies already.
    var isUnconditional: Bool { box?.values.isUnconditional ?? false }

    /// Whether the response replaces the caches' entry without being compared with it.
    var replacesStored: Bool { asksAnew || isUnconditional }

    /// This request for a whole body, which shares no download with requests that revalidate.
    var unconditional: ImageRequest {
        var request = confirming(nil)
        request.change { $0.isUnconditional = true }
        return request
    }

    /// Whether a stored result would never be found, because its time to live is zero.
    var expiresAtOnce: Bool { timeToLive.map { $0 <= .zero } ?? false }

    /// Whether the response is only stored, because the callers already have a stale one.
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

    /// Returns this request with a loader's policies where it sets none.
    func resolved(_ policies: CachePolicies) -> ImageRequest {
        var request = self
        if readPolicy == nil, policies.read != .http { request.readPolicy = policies.read }
        if writePolicy == nil, policies.write != .all { request.writePolicy = policies.write }
        return request
    }

    /// A stored response. Requests with different responses are equal.
    struct Confirming: Hashable, Sendable {
        var response: StoredResponse?

        static func == (left: Self, right: Self) -> Bool { (left.response == nil) == (right.response == nil) }
        func hash(into hasher: inout Hasher) {}
    }
}
