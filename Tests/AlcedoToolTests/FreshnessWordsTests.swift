import Foundation
import Testing

@testable import Alcedo
@testable import AlcedoTool

@Suite struct FreshnessWordsTests {
    /// A response that arrives at ``moment``, and what is said of it later.
    struct Row: CustomTestStringConvertible {
        var headers: HTTPHeaders
        var status = 200
        /// The fields of a redirect to the response, with status 302.
        var redirect: HTTPHeaders?
        /// Seconds after ``moment``.
        var later: Int64 = 0
        var summary: String
        var whenStale: String? = "may be used for 1 d if the server fails (the default)"

        var testDescription: String { summary }
    }

    /// Sun, 06 Nov 1994 08:49:37 GMT
    private static let moment: Int64 = 784_111_777
    private static let date = "Sun, 06 Nov 1994 08:49:37 GMT"
    private static let twoHoursLater = "Sun, 06 Nov 1994 10:49:37 GMT"
    private static let over = "must be revalidated: the time for stale use is over"

    private func check(_ row: Row) throws {
        let exchange = Freshness.Exchange(request: Self.moment, response: Self.moment)
        let redirect = row.redirect.map { Freshness($0, status: 302, exchange) }
        let direct = Freshness(row.headers, status: row.status, exchange)
        let freshness = redirect.map { direct.limited(by: $0) } ?? direct
        let url = try #require(URL(string: "http://h/a.png"))
        let head = ResponseHead(status: row.status, url: url, headers: row.headers)
        let words = FreshnessWords(freshness, of: head, at: Self.moment + row.later)
        #expect(words.summary == row.summary)
        #expect(words.whenStale == row.whenStale)
    }

    @Test(arguments: [
        Row(headers: ["Cache-Control": "max-age=60"], summary: "fresh for 1 min: max-age=60"),
        Row(
            headers: ["Cache-Control": "max-age=3600"], redirect: ["Cache-Control": "max-age=600"],
            summary: "fresh for 10 min: limited by a redirect to it"),
        Row(
            headers: ["Cache-Control": "max-age=3600"], redirect: [:],
            summary: "stale from now on: limited by a redirect to it"),
        Row(
            headers: ["Cache-Control": "max-age=60"], redirect: ["Cache-Control": "max-age=600"],
            summary: "fresh for 1 min: max-age=60"),
        Row(
            headers: ["Cache-Control": Array(repeating: "a", count: 10_000).joined(separator: ",")],
            summary: "must be revalidated each time: Cache-Control has too many directives to read", whenStale: nil),
        Row(
            headers: ["Cache-Control": "max-age=14400", "Age": "2880"],
            summary: "fresh for 3 h 12 min: max-age=14400 less age 2880"),
        Row(
            headers: ["Cache-Control": "must-understand, no-store, max-age=60"],
            summary: "fresh for 1 min: max-age=60"),
        Row(
            headers: ["Cache-Control": "max-age=60"], later: 180, summary: "stale for 2 min: max-age=60",
            whenStale: "may be used for another 23 h 58 min if the server fails (the default)"),
        Row(headers: ["Cache-Control": "max-age=0"], summary: "stale from now on: max-age=0"),
        Row(
            headers: ["Cache-Control": "max-age=60", "Age": "180"],
            summary: "stale for 2 min: max-age=60 less age 180",
            whenStale: "may be used for another 23 h 58 min if the server fails (the default)"),
        Row(
            headers: ["Expires": twoHoursLater, "Date": date], later: 60,
            summary: "fresh for 1 h 59 min: Expires is 2 h after Date"),
        Row(headers: ["Expires": twoHoursLater], summary: "fresh for 2 h: Expires is 2 h after its arrival"),
        Row(
            headers: ["Expires": twoHoursLater, "Date": date, "Age": "1800"],
            summary: "fresh for 1 h 30 min: Expires is 2 h after Date, less an age of 30 min"),
        Row(headers: ["Expires": "0"], summary: "stale from now on: Expires isn't a date"),
        Row(
            headers: ["Expires": date, "Date": date],
            summary: "stale from now on: Expires isn't later than Date"),
        Row(
            headers: ["Last-Modified": "Mon, 17 Oct 1994 08:49:37 GMT"],
            summary: "fresh for 2 d: a tenth of the time since Last-Modified"),
        Row(
            headers: ["Last-Modified": "Thu, 06 Nov 1980 08:49:37 GMT", "Age": "3600"],
            summary: "fresh for 6 d 23 h: a tenth of the time since Last-Modified, at most 7 d, less an age of 1 h"),
        Row(headers: [:], summary: "fresh for 1 h: the response names no lifetime, so the default applies"),
        Row(
            headers: ["Age": "600"],
            summary: "fresh for 50 min: the response names no lifetime, so the default applies, less an age of 10 min"),
    ])
    func lifetime_isSaidWithItsReason(_ row: Row) throws { try check(row) }

    @Test(arguments: [
        Row(
            headers: ["Cache-Control": "no-cache"], summary: "must be revalidated each time: no-cache",
            whenStale: nil),
        Row(
            headers: ["Cache-Control": "max-age=60, No-Store"], later: 10, summary: "must not be stored: no-store",
            whenStale: nil),
        Row(
            headers: ["Cache-Control": "max-age=60", "Vary": "*"],
            summary: "must be revalidated each time: it varies by everything (Vary: *)", whenStale: nil),
        Row(
            headers: ["Cache-Control": "private=\"a, no-cache\""], status: 202,
            summary: "must be revalidated each time: the response names no lifetime, "
                + "and there is no default for status 202",
            whenStale: nil),
        Row(
            headers: ["Cache-Control": "max-age=600"], later: -3_600,
            summary: "must be revalidated: it was received in the future, so the clock was set back",
            whenStale: nil),
    ])
    func neverFreshResponse_isSaidWithItsReason(_ row: Row) throws { try check(row) }

    @Test(arguments: [
        Row(
            headers: ["Cache-Control": "max-age=60, stale-while-revalidate=30, stale-if-error=600"],
            summary: "fresh for 1 min: max-age=60",
            whenStale: "may be used for 30 s while it is revalidated, and for 10 min if the server fails"),
        Row(
            headers: ["Cache-Control": "max-age=60, stale-while-revalidate=30, stale-if-error=600"], later: 70,
            summary: "stale for 10 s: max-age=60",
            whenStale: "may be used for another 20 s while it is revalidated, "
                + "and for another 9 min 50 s if the server fails"),
        Row(
            headers: ["Cache-Control": "max-age=60, stale-while-revalidate=30, stale-if-error=0"], later: 80,
            summary: "stale for 20 s: max-age=60", whenStale: "may be used for another 10 s while it is revalidated"),
        Row(
            headers: ["Cache-Control": "max-age=60, stale-if-error=600"], later: 660,
            summary: "stale for 10 min: max-age=60", whenStale: over),
        Row(
            headers: ["Cache-Control": "max-age=60, stale-if-error=0"], summary: "fresh for 1 min: max-age=60",
            whenStale: "must be revalidated"),
        Row(
            headers: ["Cache-Control": "max-age=60, must-revalidate, stale-while-revalidate=9"],
            summary: "fresh for 1 min: max-age=60", whenStale: "must be revalidated: must-revalidate"),
        Row(
            headers: ["Cache-Control": "max-age=60"], later: 100_000, summary: "stale for 1 d 3 h: max-age=60",
            whenStale: over),
    ])
    func staleUse_isSaid(_ row: Row) throws { try check(row) }
}
