public import Foundation

/// How long a response may be used without revalidation, by the rules for a private cache (RFC 9111 section 4.2).
///
/// The lifetime is `max-age`, or else follows from `Expires`, or else is a tenth of the time since `Last-Modified`. The
/// response's age is subtracted.
///
/// A cache stores the freshness with each entry. Stale entries are still found.
public struct Freshness: Sendable, Hashable {
    /// In seconds since 1970.
    let endSecond: Int64

    /// The end of the freshness lifetime, to the second.
    ///
    /// It is in the past for a response that was already stale on arrival, and at the beginning of 1970 for one that
    /// must always be revalidated.
    public var end: Date { Date(timeIntervalSince1970: Double(endSecond)) }

    /// Whether the response is still fresh at `moment`.
    public func isFresh(at moment: Date) -> Bool { moment < end }

    init(endSecond: Int64) { self.endSecond = endSecond }

    /// Replaces a number that is too large to represent (RFC 9111 section 1.2.2).
    static let mostSeconds = 1 << 31

    /// Nil when the response has nothing from which freshness can be computed.
    ///
    /// - Parameter exchange: When the request was sent and when the response's head arrived, by this machine's clock.
    init?(_ headers: HTTPHeaders, status: Int, _ exchange: Exchange) {
        let cacheControl = headers["Cache-Control"].map(CacheControl.init)
        // A response that varies by everything never matches a request (section 4.1).
        if cacheControl?.forbidsReuse == true || headers["Vary"]?.contains("*") == true {
            self.init(endSecond: 0)
            return
        }
        let response = exchange.response
        let date = headers["Date"].flatMap { HTTPDate($0, now: response) }?.secondsSince1970
        let lifetime: Int64
        if let maxAge = cacheControl?.maxAge {
            lifetime = Int64(maxAge)
        } else if let expires = headers["Expires"] {
            // An invalid date means already expired (section 5.3).
            let end = HTTPDate(expires, now: response)?.secondsSince1970
            lifetime = end.map { max(0, $0 - (date ?? response)) } ?? 0
        } else if Self.permitsGuess(status) || cacheControl?.isPublic == true,
            let changed = headers["Last-Modified"].flatMap({ HTTPDate($0, now: response) })?.secondsSince1970
        {
            lifetime = min(max(0, ((date ?? response) - changed) / 10), Self.longestGuess)
        } else {
            return nil
        }
        let apparentAge = max(0, response - (date ?? response))
        // The response may have been generated right after the request was sent, and have been in transit since.
        let correctedAge = (headers["Age"].flatMap(Self.age) ?? 0) + max(0, response - exchange.request)
        self.init(endSecond: response + lifetime - max(apparentAge, correctedAge))
    }

    /// When a request was sent and when the response's head arrived, in seconds since 1970.
    struct Exchange: Sendable, Hashable {
        let request: Int64
        let response: Int64

        /// Clamps moments to a range that exceeds the years HTTP can express.
        init(request: Int64, response: Int64) {
            let years: Int64 = 1 << 40
            self.request = min(max(request, -years), years)
            self.response = min(max(response, -years), years)
        }
    }

    /// A week: an image last changed twenty years ago may still change tomorrow.
    private static let longestGuess: Int64 = 7 * 86_400

    /// Statuses whose responses are heuristically cacheable (RFC 9110 section 15.1).
    private static func permitsGuess(_ status: Int) -> Bool {
        [200, 203, 204, 206, 300, 301, 308, 404, 405, 410, 414, 501].contains(status)
    }

    /// The first number, because a list of them is the mistake of some cache along the way; nil if it isn't a number
    /// (section 5.1).
    private static func age(_ text: String) -> Int64? {
        var scanner = FieldScanner(text)
        guard let number = scanner.number(), scanner.isAtEnd || scanner.skip(",") else { return nil }
        return Int64(min(number, mostSeconds))
    }
}
