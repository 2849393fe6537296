import Foundation
import Testing

@testable import Alcedo

/// What a cache does with a request, by freshness, policy and directives.
@Suite struct CacheQueryTests {
    private static let received: Int64 = 1_000_000

    private func freshness(_ field: String?, _ others: HTTPHeaders = [:], status: Int = 200) -> Freshness {
        var headers = others
        headers["Cache-Control"] = field
        let exchange = Freshness.Exchange(request: Self.received, response: Self.received)
        return Freshness(headers, status: status, exchange)
    }

    private func decision(
        _ field: String, after seconds: Int64, _ policy: CacheReadPolicy = .http, request: HTTPHeaders = [:]
    ) -> CacheQuery.Decision {
        CacheQuery(policy, RequestDirectives(request)).decision(on: freshness(field), at: Self.received + seconds)
    }

    @Test(arguments: [
        (CacheReadPolicy.http, CacheQuery.Decision.use(stale: nil), CacheQuery.Decision.revalidate),
        (.immutable, .use(stale: nil), .use(stale: .byPolicy)), (.revalidate, .revalidate, .revalidate),
        (.reload, .fetch, .fetch), (.cachedOnly, .use(stale: nil), .use(stale: .byPolicy)),
    ])
    func policies_decide(
        _ policy: CacheReadPolicy, whenFresh: CacheQuery.Decision, whenStale: CacheQuery.Decision
    ) {
        #expect(decision("max-age=60", after: 59, policy) == whenFresh)
        #expect(decision("max-age=60", after: 60, policy) == whenStale)
        let isUsed = policy == .immutable || policy == .cachedOnly
        #expect(decision("no-cache", after: 0, policy) == (isUsed ? .use(stale: .byPolicy) : whenStale))
    }

    @Test func immutableResponse_isNotRevalidated_whileFresh() {
        #expect(decision("max-age=60, immutable", after: 59, .revalidate) == .use(stale: nil))
        #expect(decision("max-age=60, immutable", after: 60, .revalidate) == .revalidate)
        #expect(decision("no-cache, immutable", after: 0, .revalidate) == .revalidate)
    }

    @Test(
        arguments: [
            ("max-age=60", 59, "max-age=60", CacheQuery.Decision.use(stale: nil)),
            ("max-age=60", 31, "max-age=30", .revalidate),
            ("max-age=60", 30, "max-age=30", .use(stale: nil)), ("max-age=60", 0, "max-age=x", .use(stale: nil)),
            ("max-age=60", 1, "max-age=x", .revalidate), ("max-age=60", 0, "no-cache", .revalidate),
            ("max-age=60", 29, "min-fresh=30", .use(stale: nil)), ("max-age=60", 30, "min-fresh=30", .revalidate),
            ("max-age=60", 0, "min-fresh=x", .revalidate), ("max-age=60", 500, "max-stale", .use(stale: .accepted)),
            ("max-age=60", 90, "max-stale=30", .use(stale: .accepted)), ("max-age=60", 91, "max-stale=30", .revalidate),
            ("max-age=60", 91, "max-stale=x", .revalidate),
            ("max-age=60, must-revalidate", 61, "max-stale", .revalidate),
            ("no-cache", 0, "max-stale", .revalidate), ("max-age=60", 61, "only-if-cached", .fail),
            ("max-age=60", 59, "only-if-cached", .use(stale: nil)), ("max-age=60", 61, "no-store", .revalidate),
            ("max-age=60", 70, "max-stale, max-age=65", .revalidate),
            ("max-age=60", 70, "max-stale, max-age=75", .use(stale: .accepted)),
        ] as [(String, Int64, String, CacheQuery.Decision)])
    func requestDirectives_decide(
        _ field: String, after seconds: Int64, _ request: String, _ expected: CacheQuery.Decision
    ) {
        #expect(decision(field, after: seconds, request: ["Cache-Control": request]) == expected)
    }

    @Test func pragma_counts_withoutCacheControl() {
        #expect(decision("max-age=60", after: 0, request: ["Pragma": "no-cache"]) == .revalidate)
        let both: HTTPHeaders = ["Pragma": "no-cache", "Cache-Control": "max-age=9"]
        #expect(decision("max-age=60", after: 0, request: both) == .use(stale: nil))
    }

    @Test(arguments: [
        ("max-age=60, stale-while-revalidate=30", 89, CacheQuery.Decision.useAndRevalidate),
        ("max-age=60, stale-while-revalidate=30", 90, .revalidate),
        ("max-age=60, stale-while-revalidate=30, must-revalidate", 61, .revalidate),
        ("no-cache, stale-while-revalidate=30", 0, .revalidate),
        ("max-age=60, stale-while-revalidate=99999999999999999999", 1 << 30, .useAndRevalidate),
    ])
    func staleWhileRevalidate_decides(_ field: String, after seconds: Int64, _ expected: CacheQuery.Decision) {
        #expect(decision(field, after: seconds) == expected)
    }

    @Test func errors_permitStaleResponses_asTheySay() {
        for (field, seconds, isPermitted) in [
            ("max-age=60", 86_459, true), ("max-age=60", 86_460, false), ("max-age=60, stale-if-error=5", 64, true),
            ("max-age=60, stale-if-error=5", 65, false), ("max-age=60, must-revalidate, stale-if-error=5", 61, false),
            ("no-cache, stale-if-error=5", 1, false),
        ] as [(String, Int64, Bool)] {
            let freshness = freshness(field)
            #expect(CacheQuery(.http).permits(freshness, afterErrorAt: Self.received + seconds) == isPermitted)
            #expect(!CacheQuery(.reload).permits(freshness, afterErrorAt: Self.received + seconds))
        }
    }

    @Test func clockSetBack_makesNothingFresh() {
        let freshness = freshness("max-age=600, stale-while-revalidate=600")
        #expect(freshness.isFresh(at: Self.received - 60) && !freshness.isFresh(at: Self.received - 61))
        #expect(CacheQuery(.http).decision(on: freshness, at: Self.received - 61) == .revalidate)
        #expect(!CacheQuery(.http).permits(freshness, afterErrorAt: 0))
        #expect(!freshness.isUsable(at: 0, window: 10) && freshness.age(at: 0) == 0)
        for extreme in [Int64.min, .max] {
            #expect(!freshness.isFresh(at: extreme) && freshness.age(at: extreme) >= 0)
            #expect(CacheQuery(.http).decision(on: freshness, at: extreme) == .revalidate)
        }
    }

    // MARK: Responses that match no request

    @Test(
        arguments: [
            ("*", false, true), ("Accept, *", false, true), ("accept,*", false, true), ("Accept", true, false),
            ("Cookie", true, true), ("Accept, cookie", true, true), ("Cookie", false, false),
            ("X-Cookie-Kind", true, false), ("Accept; Cookie", true, true), ("", true, false),
        ] as [(String, Bool, Bool)])
    func response_matchesNoRequest(_ vary: String, addsCookies: Bool, isUnmatched: Bool) {
        var rules = CacheRules()
        rules.addsCookies = addsCookies
        let exchange = Freshness.Exchange(request: Self.received, response: Self.received)
        let freshness = Freshness(
            ["Cache-Control": "max-age=60", "Vary": vary], status: 200, exchange, rules)
        #expect(freshness.isFresh(at: Self.received) != isUnmatched)
        #expect(freshness.isUsable(at: Self.received, window: 10) != isUnmatched)
        #expect(Freshness(encoded: freshness.encoded) == freshness)
        for (policy, answer) in [
            (CacheReadPolicy.http, CacheQuery.Decision.revalidate), (.immutable, .revalidate),
            (.revalidate, .revalidate), (.reload, .fetch), (.cachedOnly, .fail),
        ] {
            let decision = CacheQuery(policy).decision(on: freshness, at: Self.received)
            #expect((decision == answer) == (isUnmatched || [.reload, .revalidate].contains(policy)), "\(policy)")
        }
        let asking = CacheQuery(.http, RequestDirectives(["Cache-Control": "max-stale, only-if-cached"]))
        #expect((asking.decision(on: freshness, at: Self.received) == .fail) == isUnmatched)
        #expect(!isUnmatched || !CacheQuery(.http).permits(freshness, afterErrorAt: Self.received))
        // What is reached over such a redirect is another user's as well.
        let target = Freshness(["Cache-Control": "max-age=60"], status: 200, exchange).limited(by: freshness)
        #expect(target.isUsable(at: Self.received, window: 10) != isUnmatched)
    }

    // MARK: Hostile responses

    @Test func manyDirectives_areBounded_andRevalidated() {
        let many = Array(repeating: "a", count: 10_000).joined(separator: ",")
        #expect(CacheControl(many + ", no-store").forbidsReuse)
        #expect(decision("max-age=60," + many, after: 0) == .revalidate)
        #expect(RequestDirectives(["Cache-Control": many]).forbidsReuse)
        #expect(
            decision("max-age=60," + Array(repeating: "a", count: 999).joined(separator: ","), after: 0)
                == .use(stale: nil))
    }

    @Test func absurdNumbers_areStale_andNeverTrap() {
        let age = freshness("max-age=60", ["Age": "9223372036854775808"])
        #expect(!age.isFresh(at: Self.received) && age.initialAge == .seconds(Self.received + 60))
        #expect(age.lifetime == .seconds(60))
        let lifetime = freshness("max-age=9223372036854775808")
        #expect(lifetime.lifetime == .seconds(1 << 31) && lifetime.isFresh(at: Self.received + 1 << 30))
        let fields = (0..<1_000).map { "X-\($0)" }.joined(separator: ", ")
        #expect(freshness("max-age=60", ["Vary": fields]).isFresh(at: Self.received))
        #expect(!freshness("max-age=60", ["Vary": fields + ", *"]).isFresh(at: Self.received))
        #expect(!freshness(nil, ["Expires": "Fri, 99 Jan 9999 00:00:00 GMT"]).isFresh(at: Self.received))
    }

    @Test func freshness_knowsItsReason() {
        #expect(freshness("max-age=60").basis == .maxAge)
        #expect(freshness(nil, ["Expires": "Fri, 15 Jan 2027 08:00:00 GMT"]).basis == .expires)
        #expect(freshness(nil, ["Last-Modified": "Thu, 01 Jan 1970 00:00:00 GMT"]).basis == .lastModified)
        #expect(freshness(nil).basis == .assumed)
        for none in [freshness("no-cache"), freshness(nil, ["Vary": "*"]), freshness(nil, status: 302)] {
            #expect(none.basis == .none && !none.isFresh(at: Self.received))
        }
        let aged = freshness("max-age=60, stale-while-revalidate=7, stale-if-error=8", ["Age": "20"])
        #expect(aged.lifetime == .seconds(60) && aged.initialAge == .seconds(20))
        #expect(aged.end.timeIntervalSince1970 == 1_000_040 && aged.validated.timeIntervalSince1970 == 1_000_000)
        #expect(aged.staleWhileRevalidate == .seconds(7) && aged.staleIfError == .seconds(8))
    }
}
