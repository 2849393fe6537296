/// The demands of a request's own Cache-Control field on caches (RFC 9111 section 5.2.1).
package struct RequestDirectives: Hashable, Sendable {
    /// The greatest acceptable age, in seconds.
    private(set) var maxAge: Int?
    /// How long a response may have been stale, in seconds; `Int.max` for any time.
    private(set) var maxStale: Int?
    /// How long a response must remain fresh, in seconds.
    private(set) var minFresh: Int?
    private(set) var forbidsReuse = false
    private(set) var onlyIfCached = false

    package init() {}

    /// - Parameter headers: The request's fields. `Pragma: no-cache` counts if there is no Cache-Control (section 5.4).
    init(_ headers: HTTPHeaders) {
        guard let text = headers["Cache-Control"] else {
            let isForbidden = headers["Pragma"].map { !CacheDirective.forEach(in: $0) { readPragma($0) } }
            if isForbidden == true { forbidsReuse = true }
            return
        }
        if !CacheDirective.forEach(in: text, { read($0) }) { forbidsReuse = true }
    }

    /// Whether the request demands nothing.
    package var isEmpty: Bool { self == RequestDirectives() }

    private mutating func readPragma(_ directive: CacheDirective) {
        if directive.isNamed("no-cache") { forbidsReuse = true }
    }

    private mutating func read(_ directive: CacheDirective) {
        if directive.isNamed("max-age") {
            maxAge = min(maxAge ?? .max, directive.seconds ?? 0)
        } else if directive.isNamed("max-stale") {
            // An invalid number accepts nothing that is stale.
            maxStale = directive.argument == nil ? .max : directive.seconds
        } else if directive.isNamed("min-fresh") {
            minFresh = max(minFresh ?? 0, directive.seconds ?? .max)
        } else if directive.isNamed("no-cache") {
            forbidsReuse = true
        } else if directive.isNamed("only-if-cached") {
            onlyIfCached = true
        }
    }
}
