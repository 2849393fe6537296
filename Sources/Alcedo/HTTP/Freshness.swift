public import Foundation

/// The time for which a response may be used without revalidation (RFC 9111 section 4.2).
///
/// The rules are those for a private cache. The lifetime is `max-age`, or else derived from `Expires`, or else a tenth
/// of the time since `Last-Modified`, at most seven days, or else ``CacheRules/defaultLifetime``. The response's age on
/// arrival is subtracted.
public struct Freshness: Sendable, Hashable {
    // In seconds. 32 bits suffice until 2106, and save memory, because every entry in memory has a freshness.

    /// When the response arrived or was last validated.
    private let received: UInt32
    /// The age of the response at that time.
    private let ageThen: UInt32
    private var ends: UInt32
    private var whileRevalidating: UInt32
    private var afterError: UInt32
    /// The source of the lifetime.
    public let basis: Basis
    private var isImmutableWhileFresh: Bool
    /// Whether the response may be used when it is stale, because neither no-cache nor must-revalidate forbids it.
    private(set) var permitsStale: Bool
    /// Whether no later request can be assumed to match the one that was answered, because the response, or a redirect
    /// to it, varies by everything (RFC 9111 section 4.1) or by cookies that the transport adds. Such a response is
    /// never used before its server has confirmed it.
    private(set) var matchesNoRequest = false
    /// Whether the response was reached over redirects.
    private(set) var isRedirected = false
    /// Whether a redirect to the response determines ``end``.
    package private(set) var endsWithRedirect = false

    /// The source of a freshness lifetime.
    public enum Basis: String, Sendable, Hashable, CaseIterable {
        /// The directive max-age.
        case maxAge
        /// The field Expires.
        case expires
        /// A tenth of the time since Last-Modified, at most seven days.
        case lastModified
        /// ``CacheRules/defaultLifetime``, because the response specifies no lifetime.
        case assumed
        /// The response may not be used without revalidation: it has no-cache or `Vary: *`, varies by kept cookies, or
        /// has a status that isn't cacheable by default and no explicit lifetime.
        case none
    }

    /// The end of the freshness lifetime, to the second.
    ///
    /// This is in the past for a response that was already stale on arrival, and the beginning of 1970 for a response
    /// that must always be revalidated.
    public var end: Date { Date(timeIntervalSince1970: Double(ends)) }

    /// When the response was received or last validated, to the second.
    public var validated: Date { Date(timeIntervalSince1970: Double(received)) }

    /// The full freshness lifetime, including the age that the response had on arrival.
    public var lifetime: Duration { .seconds(max(0, Int64(ends) - Int64(received) + Int64(ageThen))) }

    /// The age that the response had when it was received or last validated, including its time in caches along the
    /// way.
    public var initialAge: Duration { .seconds(Int64(ageThen)) }

    /// How long after ``end`` the response may be used while it is revalidated.
    public var staleWhileRevalidate: Duration { .seconds(Int64(whileRevalidating)) }

    /// How long after ``end`` the response may be used if the server can't be reached or fails.
    public var staleIfError: Duration { .seconds(Int64(afterError)) }

    /// Whether the response is still fresh at `moment`. Returns false for a moment long before the response was
    /// received, because the clock must have been set back.
    public func isFresh(at moment: Date) -> Bool { isFresh(at: Int64(clamping: moment.timeIntervalSince1970)) }

    // MARK: Decisions; moments are in seconds since 1970

    package func isFresh(at now: Int64) -> Bool { now < endSecond && isPlausible(at: now) }

    /// Whether the clock hasn't been set back noticeably since the response was received.
    package func isPlausible(at now: Int64) -> Bool { now >= Int64(received) - Self.clockTolerance }

    /// Whether the response needs no validation: it is fresh, or it was validated within `window` seconds and may match
    /// the request.
    @inline(__always)
    package func isUsable(at now: Int64, window: Int64) -> Bool {
        now < max(endSecond, Int64(received) + window) && isPlausible(at: now) && !matchesNoRequest
    }

    /// The age of the response, never negative.
    func age(at now: Int64) -> Int64 { now > received ? now - Int64(received) + Int64(ageThen) : Int64(ageThen) }

    /// The time in seconds since the freshness lifetime ended; zero while the response is fresh, and nil if unknown.
    func staleTime(at now: Int64) -> Int64? { isPlausible(at: now) ? max(0, now - endSecond) : nil }

    func isUsable(whileRevalidatingAt now: Int64) -> Bool {
        staleTime(at: now).map { $0 < Int64(whileRevalidating) } ?? false
    }

    func isUsable(afterErrorAt now: Int64) -> Bool { staleTime(at: now).map { $0 < Int64(afterError) } ?? false }

    /// The rest of the lifetime in seconds. Never more than the full lifetime, even if the clock was set back.
    func secondsLeft(at now: Int64) -> Int64 { min(max(0, endSecond - now), lifetime.components.seconds) }

    /// Whether the response itself specifies how long it is fresh, or that it must be validated each time.
    var isExplicit: Bool { basis == .maxAge || basis == .expires || basis == .none && !permitsStale }

    /// Whether a request that asks for validation is answered without it (RFC 8246).
    func isImmutable(at now: Int64) -> Bool { isImmutableWhileFresh && isFresh(at: now) }

    package var endSecond: Int64 { Int64(ends) }
    package var receivedSecond: Int64 { Int64(received) }

    /// The number of seconds by which a clock may be set back unnoticed. Small adjustments are common.
    private static let clockTolerance: Int64 = 60

    /// The value that replaces numbers too large to represent (RFC 9111 section 1.2.2).
    static let mostSeconds = 1 << 31

    // MARK: Computing

    /// - Parameter exchange: When the request was sent and when the response's head arrived, by this machine's clock.
    package init(_ headers: HTTPHeaders, status: Int, _ exchange: Exchange, _ rules: CacheRules = CacheRules()) {
        self.init(headers, headers.cacheControl(status: status), status: status, exchange, rules)
    }

    /// - Parameter cacheControl: The parsed field; nil if there is none.
    init(
        _ headers: HTTPHeaders, _ cacheControl: CacheControl?, status: Int, _ exchange: Exchange, _ rules: CacheRules
    ) {
        let response = exchange.response
        let date = headers["Date"].flatMap { HTTPDate($0, now: response) }?.secondsSince1970
        let apparentAge = max(0, response - (date ?? response))
        // The response may have been generated right after the request was sent, and have been in transit since.
        let correctedAge = (headers["Age"].map(Self.age) ?? 0) + max(0, response - exchange.request)
        let age = max(apparentAge, correctedAge)
        received = UInt32(clamping: response)
        isImmutableWhileFresh = cacheControl?.isImmutable ?? false
        matchesNoRequest = Self.matchesNoRequest(headers, rules)
        if cacheControl?.forbidsReuse == true || matchesNoRequest {
            (basis, ends, whileRevalidating, afterError, permitsStale) = (.none, 0, 0, 0, false)
            ageThen = UInt32(clamping: age)
            return
        }
        let lifetime: Int64
        (basis, lifetime) = Self.lifetime(headers, status, cacheControl, date ?? response, now: response, rules)
        ends = UInt32(clamping: response - age + lifetime)
        // Limited so that the lifetime doesn't end before 1970.
        ageThen = UInt32(clamping: min(age, response + lifetime))
        permitsStale = cacheControl?.mustRevalidate != true
        whileRevalidating = permitsStale ? UInt32(clamping: cacheControl?.staleWhileRevalidate ?? 0) : 0
        let ruled = rules.staleIfError.components.seconds
        afterError = permitsStale ? UInt32(clamping: cacheControl?.staleIfError.map { Int64($0) } ?? ruled) : 0
    }

    /// This freshness, limited to the time that the redirects to the response permit.
    func limited(by redirects: Freshness) -> Freshness {
        var freshness = self
        freshness.matchesNoRequest = matchesNoRequest || redirects.matchesNoRequest
        freshness.isRedirected = true
        freshness.endsWithRedirect = redirects.ends < ends
        freshness.ends = min(ends, redirects.ends)
        freshness.permitsStale = permitsStale && redirects.permitsStale
        freshness.isImmutableWhileFresh = isImmutableWhileFresh && redirects.isImmutableWhileFresh
        /// The time from the new end to the earlier of two moments.
        func time(to one: Int64, _ two: Int64) -> UInt32 {
            freshness.permitsStale ? UInt32(clamping: min(one, two) - freshness.endSecond) : 0
        }
        freshness.whileRevalidating = time(
            to: endSecond + Int64(whileRevalidating), redirects.endSecond + Int64(redirects.whileRevalidating))
        freshness.afterError = time(
            to: endSecond + Int64(afterError), redirects.endSecond + Int64(redirects.afterError))
        return freshness
    }

    /// This freshness, ending no later than when the response was received.
    var endedOnArrival: Freshness {
        var freshness = self
        freshness.ends = min(ends, received)
        return freshness
    }

    /// See ``matchesNoRequest``. Any character that can't be in a name separates names, so that a syntax error hides
    /// none.
    private static func matchesNoRequest(_ headers: HTTPHeaders, _ rules: CacheRules) -> Bool {
        guard let field = headers["Vary"] else { return false }
        return field.utf8.split { !$0.isOfToken }.contains { name in
            name.elementsEqual("*".utf8)
                || rules.addsCookies && name.lazy.map(\.lowercased).elementsEqual("cookie".utf8)
        }
    }

    private static func lifetime(
        _ headers: HTTPHeaders, _ status: Int, _ cacheControl: CacheControl?, _ date: Int64, now: Int64,
        _ rules: CacheRules
    ) -> (Basis, Int64) {
        if let maxAge = cacheControl?.maxAge { return (.maxAge, Int64(maxAge)) }
        if let expires = headers["Expires"] {
            // An invalid date means already expired (section 5.3).
            let end = HTTPDate(expires, now: now)?.secondsSince1970
            return (.expires, end.map { min(max(0, $0 - date), Int64(mostSeconds)) } ?? 0)
        }
        guard permitsGuess(status) || cacheControl?.isPublic == true else { return (.none, 0) }
        if let changed = headers["Last-Modified"].flatMap({ HTTPDate($0, now: now) })?.secondsSince1970 {
            // A server whose clock is ahead doesn't make its images older.
            return (.lastModified, min(max(0, (min(date, now) - changed) / 10), longestGuess))
        }
        return (.assumed, min(max(0, rules.defaultLifetime.components.seconds), Int64(mostSeconds)))
    }

    /// When a request was sent and when the response's head arrived, in seconds since 1970.
    package struct Exchange: Sendable, Hashable {
        let request: Int64
        let response: Int64

        /// Clamps both times to a range wider than the years that HTTP can express.
        package init(request: Int64, response: Int64) {
            let years: Int64 = 1 << 40
            self.request = min(max(request, -years), years)
            self.response = min(max(response, -years), years)
        }
    }

    /// One week, because even an image last changed twenty years ago may change tomorrow.
    private static let longestGuess: Int64 = 7 * 86_400

    /// Statuses whose responses are heuristically cacheable (RFC 9110 section 15.1).
    private static func permitsGuess(_ status: Int) -> Bool {
        [200, 203, 204, 206, 300, 301, 308, 404, 405, 410, 414, 501].contains(status)
    }

    /// The value of an Age field; zero if it isn't a number (section 5.1). If the value is a list, because of a mistake
    /// by a cache along the way, the first number counts.
    private static func age(_ text: String) -> Int64 {
        var scanner = FieldScanner(text)
        guard let number = scanner.number(), scanner.isAtEnd || scanner.skip(",") else { return 0 }
        return Int64(min(number, mostSeconds))
    }
}

extension Freshness {
    /// The number of bytes of ``encoded``.
    static let encodedLength = 21

    /// The numbers, least significant byte first, followed by the flags.
    var encoded: [UInt8] {
        let flags =
            UInt8(Basis.allCases.firstIndex(of: basis) ?? 0) | (matchesNoRequest ? 0x08 : 0)
            | (isImmutableWhileFresh ? 0x80 : 0) | (permitsStale ? 0x40 : 0) | (isRedirected ? 0x20 : 0)
            | (endsWithRedirect ? 0x10 : 0)
        var bytes: [UInt8] = []
        for number in [received, ageThen, ends, whileRevalidating, afterError] { bytes.append(integer: number) }
        return bytes + [flags]
    }

    /// Nil if the bytes weren't made by ``encoded``.
    init?(encoded bytes: some Collection<UInt8>) {
        guard bytes.count >= Self.encodedLength else { return nil }
        let bytes = Array(bytes)
        func number(_ place: Int) -> UInt32 {
            (0..<4).reduce(0) { $0 | UInt32(bytes[4 * place + $1]) << UInt32(8 * $1) }
        }
        let basis = Int(bytes[20] & 0x07)
        guard Basis.allCases.indices.contains(basis) else { return nil }
        (received, ageThen, ends) = (number(0), number(1), number(2))
        (whileRevalidating, afterError) = (number(3), number(4))
        self.basis = Basis.allCases[basis]
        matchesNoRequest = bytes[20] & 0x08 != 0
        isImmutableWhileFresh = bytes[20] & 0x80 != 0
        permitsStale = bytes[20] & 0x40 != 0
        isRedirected = bytes[20] & 0x20 != 0
        endsWithRedirect = bytes[20] & 0x10 != 0
    }
}

extension Int64 {
    /// The whole seconds of a time. Times too large to represent are clamped.
    fileprivate init(clamping seconds: TimeInterval) {
        self = Int64(exactly: seconds.rounded(.down)) ?? (seconds > 0 ? .max : .min)
    }
}
