/// A loader's cache policies for requests that set none.
struct CachePolicies: Hashable, Sendable {
    var read = CacheReadPolicy.http
    var write = CacheWritePolicy.all
}
