import AlcedoTestSupport
import Foundation
import Testing

@testable import Alcedo
@testable import TestFixtures

/// The header fields that the clients of a service get.
@Suite struct ServedResponseTests {
    private let exchange = Freshness.Exchange(request: 1_000, response: 1_000)

    private func response(_ headers: HTTPHeaders, redirect: HTTPHeaders? = nil) throws -> StoredResponse {
        let head = ResponseHead(status: 200, url: try .test(), headers: headers)
        let redirects = redirect.map { Freshness($0, status: 302, exchange) }
        return StoredResponse(head, bytes: 9, exchange, CacheRules(), redirects: redirects)
    }

    @Test(
        arguments: [
            ("max-age=60", nil, "max-age=50"),
            ("max-age=5", nil, "max-age=0"),
            (
                "max-age=60, stale-while-revalidate=9, stale-if-error=8", nil,
                "max-age=50, stale-while-revalidate=9, stale-if-error=8"
            ),
            ("max-age=60, immutable", "max-age=30", "max-age=20"),
            ("max-age=60, immutable", "max-age=90, immutable", "max-age=50, immutable"),
            ("max-age=60, stale-while-revalidate=9", "no-cache", "max-age=0, must-revalidate"),
            ("public", "max-age=30", "public, max-age=20"),
            ("private=\"Set-Cookie\", max-age=60", nil, "private, max-age=50"),
            ("no-store, max-age=60", nil, "no-store"),
            ("s-maxage=60", nil, nil),
        ] as [(String, String?, String?)])
    func cacheControl_isWhatRemains(field: String, redirect: String?, expected: String?) throws {
        let response = try response(["Cache-Control": field], redirect: redirect.map { ["Cache-Control": $0] })
        #expect(response.cacheControl(at: 1_010) == expected)
    }

    /// The clock was set back.
    @Test func lifetime_doesNotGrow() throws {
        #expect(try response(["Cache-Control": "max-age=60"]).cacheControl(at: 0) == "max-age=60")
    }

    /// Redirects may lead to another picture of the same date.
    @Test func validator_afterRedirects_isAStrongTagOrNone() throws {
        let date = "Thu, 01 Jan 2026 00:00:00 GMT"
        let redirect: HTTPHeaders = ["Cache-Control": "max-age=60"]
        #expect(try response(["Last-Modified": date]).validator?.isWeak == true)
        #expect(try response(["Last-Modified": date], redirect: redirect).validator == nil)
        #expect(try response(["ETag": "W/\"a\""], redirect: redirect).validator == nil)
        #expect(try response(["ETag": "\"a\""], redirect: redirect).validator?.isWeak == false)
        #expect(try response(["ETag": "\"a\r\nb\""]).validator == nil)
    }
}
