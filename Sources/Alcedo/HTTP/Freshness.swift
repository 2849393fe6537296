public import Foundation

/// How long a response may be used without asking its server again, as a cache of one user reckons it (RFC 9111 section
/// 4.2): by `max-age`, else by `Expires`, else a tenth of the time since `Last-Modified`; less its age.
///
/// A cache carries it with what it keeps. What is no longer fresh is still found.
public struct Freshness: Sendable, Hashable {
    /// In seconds since 1970.
    let endSecond: Int64

    /// When it is over, to the second: in the past for a response that was stale when it came, and the beginning of
    /// 1970 for one that is never to be used unasked.
    public var end: Date { Date(timeIntervalSince1970: Double(endSecond)) }

    /// Whether it lasts at `moment`.
    public func isFresh(at moment: Date) -> Bool { moment < end }

    init(endSecond: Int64) { self.endSecond = endSecond }

    /// What stands for a number that is too large to be held (RFC 9111 section 1.2.2).
    static let mostSeconds = 1 << 31

    /// Nil when the response tells nothing that it could be reckoned from.
    ///
    /// - Parameter exchange: when it was asked for and when its head came, by this machine's clock.
    init?(_ headers: HTTPHeaders, status: Int, _ exchange: Exchange) {
        let cacheControl = headers["Cache-Control"].map(CacheControl.init)
        // What varies by everything is never what was asked for (section 4.1).
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
            // One that is no date is over (section 5.3).
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
        // It may have been made right after it was asked for, and have been on its way since.
        let toldAge = (headers["Age"].flatMap(Self.age) ?? 0) + max(0, response - exchange.request)
        self.init(endSecond: response + lifetime - max(apparentAge, toldAge))
    }

    /// When a response was asked for and when its head came, in seconds since 1970.
    struct Exchange: Sendable, Hashable {
        let request: Int64
        let response: Int64

        /// Moments beyond the years that HTTP can write are those years.
        init(request: Int64, response: Int64) {
            let years: Int64 = 1 << 40
            self.request = min(max(request, -years), years)
            self.response = min(max(response, -years), years)
        }
    }

    /// A week: a picture that was changed last twenty years ago may still be changed tomorrow.
    private static let longestGuess: Int64 = 7 * 86_400

    /// Statuses whose responses may be used for a time of the cache's choice (RFC 9110 section 15.1).
    private static func permitsGuess(_ status: Int) -> Bool {
        [200, 203, 204, 206, 300, 301, 308, 404, 405, 410, 414, 501].contains(status)
    }

    /// The first number, as a list of them is an error of some cache on the way; nil where it is none (section 5.1).
    private static func age(_ text: String) -> Int64? {
        var scanner = FieldScanner(text)
        guard let number = scanner.number(), scanner.isAtEnd || scanner.skip(",") else { return nil }
        return Int64(min(number, mostSeconds))
    }
}
