/// The reason why a stale response was used.
@nonexhaustive
public enum StaleReason: String, Sendable, Hashable, CaseIterable {
    /// The response permits this while it is revalidated: stale-while-revalidate. A revalidation has begun.
    case whileRevalidating
    /// The server couldn't be reached or failed: stale-if-error, or ``CacheRules/staleIfError``.
    case afterError
    /// The request accepts this: max-stale.
    case accepted
    /// The policy doesn't ask the server: ``CacheReadPolicy/cachedOnly`` or ``CacheReadPolicy/immutable``.
    case byPolicy
    /// The image was looked up in memory only: ``ImageLoader/cachedResponse(for:)-(ImageRequest)``, or the first image
    /// of ``ImageLoader/responses(for:)-(ImageRequest)``.
    case unconfirmed
}
