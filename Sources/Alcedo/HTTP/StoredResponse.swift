import Foundation
import Synchronization

/// The head of a cached response, and how long the response may be used.
package final class StoredResponse: Sendable {
    package let status: Int
    /// The fields that may be stored.
    package let headers: HTTPHeaders
    package let freshness: Freshness
    /// Distinguishes the response's body from other bodies of the resource. Has the same value in every process.
    package let version: UInt64

    /// Whether a cache may store the response, because it doesn't contain no-store.
    let mayBeStored: Bool

    package init(status: Int = 200, headers: HTTPHeaders, freshness: Freshness, version: UInt64) {
        self.status = status
        self.headers = headers
        self.freshness = freshness
        self.version = version
        mayBeStored = true
    }

    /// Creates a response with a new body.
    ///
    /// - Parameter redirects: How long the redirects to the response may be followed again; nil if there were none.
    convenience init(
        _ head: ResponseHead, bytes: Int, _ exchange: Freshness.Exchange, _ rules: CacheRules,
        redirects: Freshness? = nil
    ) {
        self.init(
            head.headers, status: head.status, exchange, rules, version: Self.version(of: head, bytes: bytes),
            redirects)
    }

    private init(
        _ headers: HTTPHeaders, status: Int, _ exchange: Freshness.Exchange, _ rules: CacheRules, version: UInt64,
        _ redirects: Freshness?
    ) {
        let cacheControl = headers.cacheControl(status: status)
        self.status = status
        self.headers = headers.storable(cacheControl)
        let own = Freshness(headers, cacheControl, status: status, exchange, rules)
        freshness = redirects.map { own.limited(by: $0) } ?? own
        self.version = version
        mayBeStored = cacheControl?.forbidsStoring != true
    }

    /// Responses with the same strong tag have the same body, unless the server is wrong and its length differs.
    /// Without a tag, each response has its own version.
    private static func version(of head: ResponseHead, bytes: Int) -> UInt64 {
        if let tag = head.headers.strongTag {
            return FastHash.hash(tag.value, seed: UInt64(bytes) ^ (tag.isLatin1 ? 1 << 63 : 0))
        }
        // Another process is unlikely to use the same number. Asking the system for a random number each time would
        // take microseconds.
        var unique = SplitMix64(seed: serial.wrappingAdd(1, ordering: .relaxed).newValue)
        return unique.next()
    }

    private static let serial = Atomic(UInt64.random(in: .min ... .max))

    /// Whether the response is known to have another body: both have strong tags, which differ.
    func isKnownToDiffer(from other: StoredResponse) -> Bool {
        version != other.version && headers.strongTag != nil && other.headers.strongTag != nil
    }

    /// The head as passed to a client.
    ///
    /// - Parameter second: When a cache answers with the response, in seconds since 1970; nil if the server itself
    ///   answers.
    func head(at url: URL, cachedAt second: Int64?) -> ResponseHead {
        var headers = headers
        // A cache adds the age of its answer (RFC 9111 section 5.1).
        if let second { headers["Age"] = String(freshness.age(at: second)) }
        return ResponseHead(status: status, url: url, headers: headers)
    }

    // MARK: Handing on

    /// The entity tag or else the date that distinguishes this version of the resource from others, and whether it is
    /// weak; nil if there is neither. After redirects, only a strong tag is used: they may lead to another resource
    /// next time, which only a strong tag would reveal.
    var validator: (text: String, isWeak: Bool)? {
        if freshness.isRedirected { return headers.strongTag.map { ($0.value, false) } }
        if let tag = headers.tag { return (tag.value, tag.value.hasPrefix("W/")) }
        return headers.validator("Last-Modified").map { ($0.value, true) }
    }

    /// Whether the response is for one user.
    var isPrivate: Bool { headers.cacheControl(status: status)?.isPrivate == true }

    /// The field `Cache-Control` for a response made from this one; nil if the server specifies nothing.
    ///
    /// - Parameter now: In seconds since 1970.
    func cacheControl(at now: Int64) -> String? {
        let own = headers.cacheControl(status: status)
        if own?.forbidsStoring == true { return "no-store" }
        var directives: [String] = []
        if own?.isPublic == true { directives.append("public") }
        if own?.isPrivate == true { directives.append("private") }
        if own?.forbidsReuse == true || freshness.matchesNoRequest { directives.append("no-cache") }
        let isExplicit = freshness.basis == .maxAge || freshness.basis == .expires
        if isExplicit || freshness.endsWithRedirect {
            directives.append("max-age=\(freshness.secondsLeft(at: now))")
        }
        if own?.mustRevalidate == true || freshness.isRedirected && !freshness.permitsStale {
            directives.append("must-revalidate")
        }
        if freshness.isImmutable(at: now) { directives.append("immutable") }
        // The limits of redirects apply to these, too.
        let stale = [
            ("while-revalidate", own?.staleWhileRevalidate, freshness.staleWhileRevalidate),
            ("if-error", own?.staleIfError, freshness.staleIfError),
        ]
        for (name, told, time) in stale where told != nil && time > .zero {
            directives.append("stale-\(name)=\(time.components.seconds)")
        }
        return directives.isEmpty ? nil : directives.joined(separator: ", ")
    }

    // MARK: Validation

    /// The request fields that ask whether the response is still valid; nil if it has no validator that can be sent
    /// back (RFC 9110 section 13.1).
    ///
    /// After redirects, only a strong tag is used: they may lead to another resource next time, which only a strong tag
    /// would reveal.
    package var conditions: HTTPHeaders? {
        var fields = HTTPHeaders()
        if let tag = freshness.isRedirected ? headers.strongTag : headers.tag {
            fields.append(tag.named("If-None-Match"))
        }
        if !freshness.isRedirected, let date = headers.validator("Last-Modified") {
            fields.append(date.named("If-Modified-Since"))
        }
        return fields.isEmpty ? nil : fields
    }

    /// Whether a 304 confirms this response, because it has the same validators or none (RFC 9111 section 4.3.4).
    ///
    /// - Parameter isRedirected: Whether redirects led to the 304, so that another resource may have answered.
    func isConfirmed(by head: ResponseHead, isRedirected: Bool = false) -> Bool {
        if isRedirected {
            guard let own = headers.strongTag, let tag = head.headers.strongTag else { return false }
            return own.hasValue(of: tag)
        }
        if head.headers["ETag"] != nil {
            guard let own = headers.tag, let tag = head.headers.tag else { return false }
            return own.isLatin1 == tag.isLatin1 && own.value.opaqueTag.elementsEqual(tag.value.opaqueTag)
        }
        guard let date = head.headers["Last-Modified"], let own = headers["Last-Modified"] else { return true }
        return date == own
    }

    /// The response with the fields of the 304 that confirmed it. The body is the same.
    func confirmed(
        by head: ResponseHead, _ exchange: Freshness.Exchange, _ rules: CacheRules, redirects: Freshness? = nil
    ) -> StoredResponse {
        StoredResponse(
            headers.updated(by: head.headers), status: status, exchange, rules, version: version, redirects)
    }
}

extension StoredResponse: Hashable {
    package static func == (left: StoredResponse, right: StoredResponse) -> Bool {
        left.version == right.version && left.status == right.status && left.freshness == right.freshness
            && left.headers == right.headers
    }

    package func hash(into hasher: inout Hasher) { hasher.combine(version) }
}

extension String {
    /// An entity tag without its weakness mark, which comparisons in a cache ignore (RFC 9110 section 8.8.3.2), and
    /// without its quotes, which some servers omit.
    fileprivate var opaqueTag: Substring.UTF8View {
        let tag = hasPrefix("W/") ? utf8.dropFirst(2) : utf8[...]
        let quote = UInt8(ascii: "\"")
        return tag.count > 1 && tag.first == quote && tag.last == quote ? tag.dropFirst().dropLast() : tag
    }
}

extension HTTPHeaders {
    /// The maximum length of a value used in a condition, in bytes. Two such values leave room for the rest of a
    /// request: nginx and Apache accept 8 KiB in a field, Tomcat and Jetty 8 KiB in all fields together.
    private static let longestValidator = 2_048

    /// The only field with this name, if its value can be used in a condition. A value with a control character, such
    /// as a bare carriage return, can't be sent. A long value makes servers refuse the request. A value with U+FFFD,
    /// which stands for bytes that a transport couldn't decode, isn't the value that the server sent.
    func validator(_ name: String) -> Field? {
        let fields = fields(of: name)
        guard fields.count == 1, let field = fields.first, (1...Self.longestValidator).contains(field.value.utf8.count),
            field.value.unicodeScalars.allSatisfy({ $0.value >= 0x20 && $0 != "\u{7F}" && $0 != "\u{FFFD}" })
        else { return nil }
        return field
    }

    /// The entity tag, if there is exactly one. In a condition, `*` would match any tag, and a list would match each of
    /// its tags.
    fileprivate var tag: Field? {
        guard let tag = validator("ETag"), tag.value != "*" else { return nil }
        let text = tag.value.opaqueTag
        let isQuoted = text.endIndex < tag.value.utf8.endIndex
        return text.contains { $0 == UInt8(ascii: "\"") || !isQuoted && $0 == UInt8(ascii: ",") } ? nil : tag
    }

    /// The entity tag, if it is strong: all bodies with a strong tag are equal byte for byte (RFC 9110 section 8.8.1).
    fileprivate var strongTag: Field? { tag.flatMap { $0.value.hasPrefix("W/") ? nil : $0 } }

    /// Fields that concern one connection, or that may be secret and must not reach the disk.
    private static let unstorable = [
        "connection", "keep-alive", "proxy-connection", "te", "trailer", "transfer-encoding", "upgrade",
        "proxy-authenticate", "proxy-authentication-info", "proxy-authorization", "set-cookie", "set-cookie2",
    ]

    /// The fields that a cache stores (RFC 9111 section 3.1).
    fileprivate func storable(_ cacheControl: CacheControl?) -> HTTPHeaders {
        if isEmpty { return self }
        var names = Self.unstorable
        if let withheld = cacheControl?.withheldFields, !withheld.isEmpty { names += withheld }
        for name in self["Connection"]?.split(separator: ",") ?? [] {
            names.append(String(decoding: name.utf8.trimmed(where: \.isBlank), as: UTF8.self))
        }
        return without(names)
    }

    /// Fields that describe the body itself, which a 304 doesn't send.
    private static let ofBody = [
        "content-encoding", "content-length", "content-range", "content-type", "transfer-encoding",
    ]
    /// Fields that date a response, and must not be mixed with those of another response.
    private static let ofTime = ["age", "date"]

    /// These fields, with those of a 304 replacing fields with the same names (RFC 9111 section 3.2).
    fileprivate func updated(by newer: HTTPHeaders) -> HTTPHeaders {
        let newer = newer.without(Self.ofBody)
        var updated = without(Self.ofTime + newer.map(\.name))
        updated.append(contentsOf: newer)
        return updated
    }
}
