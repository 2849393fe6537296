/// How a loader uses the caches for requests that don't say.
struct CachePolicies: Hashable, Sendable {
    var read = CacheReadPolicy.http
    var write = CacheWritePolicy.all
}
