/// Decides how a cache handles a request (RFC 9111 section 4).
package struct CacheQuery: Hashable, Sendable {
    package let policy: CacheReadPolicy
    package let directives: RequestDirectives

    package init(_ policy: CacheReadPolicy, _ directives: RequestDirectives = RequestDirectives()) {
        self.policy = policy
        self.directives = directives
    }

    /// How to answer a request.
    package enum Decision: Hashable, Sendable {
        /// Use the stored response. `stale` is the reason if it isn't fresh.
        case use(stale: StaleReason?)
        /// Use the stored response, which is stale, and revalidate it in the background.
        case useAndRevalidate
        /// Ask the server whether the stored response is still valid.
        case revalidate
        /// Ask the server, because no stored response can be used.
        case fetch
        /// Don't ask the server: only a cache may answer.
        case fail
    }

    /// Whether no server may be asked.
    package var isOffline: Bool { policy == .cachedOnly || directives.onlyIfCached }

    /// Whether a response that a cache considers usable needs no further decision.
    package var trustsCaches: Bool { policy == .http && directives.isEmpty }

    /// Whether a response that may match is used, whatever its freshness.
    package var acceptsStale: Bool { policy == .immutable || policy == .cachedOnly }

    /// - Parameters:
    ///   - stored: The freshness of the stored response.
    ///   - now: In seconds since 1970.
    package func decision(on stored: Freshness, at now: Int64) -> Decision {
        if stored.matchesNoRequest, policy != .reload { return isOffline ? .fail : .revalidate }
        switch policy {
        case .reload: return .fetch
        case .immutable, .cachedOnly: return .use(stale: stored.isFresh(at: now) ? nil : .byPolicy)
        case .revalidate: return stored.isImmutable(at: now) ? .use(stale: nil) : .revalidate
        case .http: break
        }
        if directives.forbidsReuse { return directives.onlyIfCached ? .fail : .revalidate }
        let isYoung = directives.maxAge.map { stored.age(at: now) <= $0 } ?? true
        if isYoung {
            if isFreshEnough(stored, at: now) { return .use(stale: nil) }
            if isAcceptedStale(stored, at: now) { return .use(stale: .accepted) }
            if directives.isEmpty, stored.isUsable(whileRevalidatingAt: now) { return .useAndRevalidate }
        }
        return directives.onlyIfCached ? .fail : .revalidate
    }

    /// Whether a stale response may be used because the server couldn't be reached or failed.
    package func permits(_ stored: Freshness, afterErrorAt now: Int64) -> Bool {
        policy != .reload && !directives.forbidsReuse && stored.isUsable(afterErrorAt: now)
    }

    private func isFreshEnough(_ stored: Freshness, at now: Int64) -> Bool {
        guard let margin = directives.minFresh else { return stored.isFresh(at: now) }
        let (later, isHuge) = now.addingReportingOverflow(margin)
        return !isHuge && stored.isFresh(at: now) && stored.isFresh(at: later)
    }

    private func isAcceptedStale(_ stored: Freshness, at now: Int64) -> Bool {
        guard let most = directives.maxStale, directives.minFresh == nil, stored.permitsStale else { return false }
        return stored.staleTime(at: now).map { $0 <= most } ?? false
    }
}
