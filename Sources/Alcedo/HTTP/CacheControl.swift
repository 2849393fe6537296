/// The Cache-Control field of a response as a private cache reads it (RFC 9111 section 5.2.2).
///
/// It determines whether the response may be stored and how long it may be used without revalidation. Unknown
/// directives and those for shared caches are ignored, except for ``isPrivate``.
package struct CacheControl: Hashable, Sendable {
    /// The maximum age in seconds, at most 2³¹; the first one if there are several. Zero if the number can't be parsed,
    /// because that makes the response stale (section 4.2.1).
    package private(set) var maxAge: Int?
    /// Whether the response must not be used without revalidation: no-cache or no-store. A no-cache that names fields
    /// applies only to those fields.
    package private(set) var forbidsReuse = false
    /// Whether no part of the response may be stored: no-store, even with an argument, which it shouldn't have.
    package private(set) var forbidsStoring = false
    /// Whether the response is heuristically cacheable, whatever its status.
    private(set) var isPublic = false
    /// Whether the response is for one user, so that no shared cache may store it.
    private(set) var isPrivate = false
    /// Whether a stale response must not be used, even if the server can't be reached.
    package private(set) var mustRevalidate = false
    /// Whether the response doesn't change while it is fresh, so that it isn't revalidated even on request (RFC 8246).
    private(set) var isImmutable = false
    /// How long a stale response may be used while it is revalidated, in seconds (RFC 5861).
    private(set) var staleWhileRevalidate: Int?
    /// How long a stale response may be used after an error, in seconds (RFC 5861).
    package private(set) var staleIfError: Int?
    /// Names of header fields that must not be used without revalidation, in lower case.
    private(set) var withheldFields: [String] = []

    /// Whether all directives were read. If there are very many, the last ones are ignored.
    package private(set) var isComplete = true

    private var forbidsUnvalidatedReuse = false
    private var mustBeUnderstood = false

    /// - Parameter status: The response's status; nil if unknown. A cache that understands the status ignores a
    ///   no-store meant for caches that don't (must-understand, section 5.2.2.3).
    package init(_ text: String, status: Int? = nil) {
        isComplete = CacheDirective.forEach(in: text) { read($0) }
        if mustBeUnderstood, let status, Self.understoodStatuses.contains(status) { forbidsStoring = false }
        forbidsReuse = forbidsStoring || forbidsUnvalidatedReuse
        // The directives that weren't read may forbid reuse.
        if !isComplete { forbidsReuse = true }
    }

    private mutating func read(_ directive: CacheDirective) {
        if directive.isNamed("max-age") {
            maxAge = maxAge ?? directive.seconds ?? 0
        } else if directive.isNamedWithBlanks("max-age") {
            // Whitespace before the "=" is an error, which must not prolong the use of the response.
            maxAge = maxAge ?? 0
        } else if directive.isNamed("no-store") || directive.isNamedWithBlanks("no-store") {
            // Whitespace or an argument after it is an error, but storing the response is still forbidden.
            forbidsStoring = true
        } else if directive.isNamed("no-cache") {
            if directive.argument?.isEmpty ?? true {
                forbidsUnvalidatedReuse = true
            } else {
                withheldFields += directive.fieldNames
            }
        } else if directive.isNamed("public") {
            isPublic = true
        } else if directive.isNamed("private") || directive.isNamedWithBlanks("private") {
            isPrivate = true
        } else if directive.isNamed("must-revalidate") {
            mustRevalidate = true
        } else if directive.isNamed("must-understand") {
            mustBeUnderstood = true
        } else if directive.isNamed("immutable") {
            isImmutable = true
        } else if directive.isNamed("stale-while-revalidate") {
            staleWhileRevalidate = staleWhileRevalidate ?? directive.seconds
        } else if directive.isNamed("stale-if-error") {
            staleIfError = staleIfError ?? directive.seconds
        }
    }

    /// The statuses whose requirements for caches this cache meets (RFC 9110 section 15).
    private static let understoodStatuses: Set = [
        200, 203, 204, 300, 301, 302, 303, 307, 308, 404, 405, 410, 414, 501,
    ]
}

extension HTTPHeaders {
    /// Whether `Cache-Control` contains no-store, in a response or in a request (RFC 9111 sections 5.2.1.5 and
    /// 5.2.2.5).
    var forbidStoring: Bool { forbidStoring(status: nil) }

    /// - Parameter status: The response's status; nil for a request.
    func forbidStoring(status: Int?) -> Bool { cacheControl(status: status)?.forbidsStoring ?? false }

    func cacheControl(status: Int?) -> CacheControl? {
        self["Cache-Control"].map { CacheControl($0, status: status) }
    }
}
