/// The demands of a request's own Cache-Control field on caches (RFC 9111 section 5.2.1).
package struct RequestDirectives: Hashable, Sendable {
    // These are small, because the key of each flight contains them.
    private var age = UInt32.max
    private var stale = UInt32.max
    private var fresh = UInt32.max
    private(set) var forbidsReuse = false
    private(set) var onlyIfCached = false

    /// The greatest acceptable age, in seconds.
    var maxAge: Int64? { Self.seconds(age) }
    /// The greatest acceptable time since a response became stale, in seconds; a century if any staleness is accepted.
    var maxStale: Int64? { Self.seconds(stale) }
    /// The least acceptable remaining lifetime, in seconds; a century if the number is invalid.
    var minFresh: Int64? { Self.seconds(fresh) }

    private static func seconds(_ number: UInt32) -> Int64? { number == .max ? nil : Int64(number) }

    private static let century: UInt32 = 100 * 365 * 86_400

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
            age = min(age, UInt32(directive.seconds ?? 0))
        } else if directive.isNamed("max-stale") {
            // With an invalid number, no stale response is accepted.
            stale = directive.argument == nil ? Self.century : directive.seconds.map { UInt32($0) } ?? .max
        } else if directive.isNamed("min-fresh") {
            fresh = max(fresh == .max ? 0 : fresh, directive.seconds.map { UInt32($0) } ?? Self.century)
        } else if directive.isNamed("no-cache") {
            forbidsReuse = true
        } else if directive.isNamed("only-if-cached") {
            onlyIfCached = true
        }
    }
}
