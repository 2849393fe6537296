import Alcedo
import Foundation
import Testing

@testable import TestFixtures

/// The cases of a third party's suite for HTTP caches (http-tests/cache-tests) that ask one thing: whether a response
/// is used again a while after it came. `ALCEDO_HTTP_CASES` names their folder; without it, three of its suites in
/// ConformanceTests/Fixtures are used.
@Suite struct FreshnessCaseTests {
    @Test func cases_arePresent() { #expect(HTTPCases.ofFreshness.count >= (HTTPCases.named == nil ? 25 : 65)) }

    @Test(arguments: HTTPCases.ofFreshness)
    func response_isReused_whileFresh(_ test: HTTPCases.Case) throws {
        let now: Int64 = 1_800_000_000
        let first = test.requests[0]
        let exchange = Freshness.Exchange(request: now, response: now)
        // The suite expects a response to be stale that doesn't say.
        var rules = CacheRules()
        rules.defaultLifetime = .zero
        let freshness = Freshness(first.headers(now: now), status: first.status, exchange, rules)
        let later = Date(timeIntervalSince1970: Double(now) + first.pause)
        #expect(freshness.isFresh(at: later) == (test.requests[1].expectation == "cached"))
    }
}
