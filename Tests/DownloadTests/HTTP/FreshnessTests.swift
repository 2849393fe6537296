import Alcedo
import AlcedoTestSupport
import Foundation
import Testing

@testable import TestFixtures

@Suite struct FreshnessTests {
    /// Sun, 06 Nov 1994 08:49:37 GMT
    private static let moment: Int64 = 784_111_777
    private static let date = "Sun, 06 Nov 1994 08:49:37 GMT"
    private static let aMinuteLater = "Sun, 06 Nov 1994 08:50:37 GMT"
    private static let aThousandSecondsBefore = "Sun, 06 Nov 1994 08:32:57 GMT"

    /// For how long a response is fresh from when its head came.
    private func seconds(_ headers: HTTPHeaders, status: Int = 200, delay: Int64 = 0, late: Int64 = 0) -> Int64 {
        let response = Self.moment + late
        let exchange = Freshness.Exchange(request: response - delay, response: response)
        return Freshness(headers, status: status, exchange).endSecond - response
    }

    @Test func lifetime_isFromHeaders() {
        #expect(seconds(["Cache-Control": "max-age=60"]) == 60)
        #expect(seconds(["Expires": Self.aMinuteLater, "Date": Self.date]) == 60)
        #expect(seconds(["Cache-Control": "max-age=5", "Expires": Self.aMinuteLater]) == 5)
        #expect(seconds(["Cache-Control": "private", "Expires": Self.aMinuteLater]) == 60)
        // By our own clock, where the server does not tell its time.
        #expect(seconds(["Expires": Self.aMinuteLater]) == 60)
        #expect(seconds(["Expires": Self.aMinuteLater], late: 20) == 40)
    }

    @Test func age_isSubtracted() {
        #expect(seconds(["Cache-Control": "max-age=60", "Age": "10"]) == 50)
        #expect(seconds(["Cache-Control": "max-age=60", "Age": "10"], delay: 4) == 46)
        #expect(seconds(["Cache-Control": "max-age=60"], delay: 4) == 56)
        #expect(seconds(["Cache-Control": "max-age=60", "Date": Self.date], late: 20) == 40)
        #expect(seconds(["Cache-Control": "max-age=60", "Date": Self.date, "Age": "30"], late: 20) == 30)
        // A server whose clock is ahead of ours.
        #expect(seconds(["Cache-Control": "max-age=60", "Date": Self.aMinuteLater]) == 60)
        #expect(seconds(["Cache-Control": "max-age=60", "Age": "99999999999999999999"]) < 0)
        #expect(seconds(["Cache-Control": "max-age=99999999999", "Age": "99999999999999999999"]) == 0)
        // A clock that was set back meanwhile.
        #expect(seconds(["Cache-Control": "max-age=60", "Age": "10"], delay: -4) == 50)
    }

    @Test func lastModified_givesHeuristicLifetime() {
        let changed: HTTPHeaders = ["Last-Modified": Self.aThousandSecondsBefore, "Date": Self.date]
        #expect(seconds(changed) == 100)
        #expect(seconds(["Last-Modified": Self.aThousandSecondsBefore]) == 100)
        #expect(seconds(["Last-Modified": Self.aMinuteLater]) == 0)
        // The server's clock is ahead.
        #expect(seconds(["Last-Modified": Self.aThousandSecondsBefore, "Date": Self.aMinuteLater]) == 100)
        #expect(seconds(["Last-Modified": "Thu, 01 Jan 1970 00:00:00 GMT"]) == 604_800)
        #expect(seconds(changed, status: 206) == 100)
        #expect(seconds(changed, status: 202) == 0)
        var isPublic = changed
        isPublic["Cache-Control"] = "public"
        #expect(seconds(isPublic, status: 202) == 100)
    }

    @Test func silentResponse_isFreshForTheDefaultLifetime() {
        #expect(seconds([:]) == 3600)
        #expect(seconds([:], status: 202) == 0)
        #expect(
            seconds(["Age": "5", "Date": Self.date, "Cache-Control": "private", "Last-Modified": "yesterday"]) == 3595)
        let exchange = Freshness.Exchange(request: Self.moment, response: Self.moment)
        var rules = CacheRules()
        rules.defaultLifetime = .seconds(7)
        let freshness = Freshness([:], status: 200, exchange, rules)
        #expect(freshness.endSecond == Self.moment + 7 && freshness.basis == .assumed)
    }

    @Test func noCacheResponse_isNeverFresh() {
        for text in ["no-cache", "no-store", "max-age=60, no-cache"] {
            let headers: HTTPHeaders = ["Cache-Control": text, "Expires": Self.aMinuteLater, "Vary": "Accept"]
            let exchange = Freshness.Exchange(request: Self.moment, response: Self.moment)
            let freshness = Freshness(headers, status: 200, exchange)
            #expect(freshness.end == Date(timeIntervalSince1970: 0))
            #expect(!freshness.isFresh(at: .now))
        }
    }

    @Test func varyStar_isNeverFresh() {
        #expect(seconds(["Cache-Control": "max-age=60", "Vary": "Accept"]) == 60)
        #expect(seconds(["Cache-Control": "max-age=60", "Vary": "Accept, *"]) == -Self.moment)
    }

    @Test func freshness_lastsUntilItsEnd() {
        let freshness = Freshness(endSecond: Self.moment)
        #expect(freshness.end == Date(timeIntervalSince1970: 784_111_777))
        #expect(freshness.isFresh(at: freshness.end - 0.001))
        #expect(!freshness.isFresh(at: freshness.end))
    }

    @Test func noHeaders_andNoClock_trap() {
        var random = SeededRandom(seed: Fuzz.seed)
        let seeds = ["max-age=99999999999", Self.date, "Sunday, 06-Nov-94 08:49:37 GMT", "99999999999", "1, 2"]
        for _ in 0..<Fuzz.steps * 2 / 5 {
            var headers = HTTPHeaders()
            for name in ["Cache-Control", "Expires", "Date", "Age", "Last-Modified"] where Bool.random(using: &random) {
                headers[name] = random.rubbish(from: seeds, alphabet: "0123456789 ,:-=")
            }
            let moments = (0..<2).map { _ in [.min, .max, 0, Int64.random(in: .min ... .max, using: &random)] }
            for request in moments[0] {
                for response in moments[1] {
                    let exchange = Freshness.Exchange(request: request, response: response)
                    _ = Freshness(headers, status: 200, exchange).isFresh(at: .now)
                }
            }
        }
    }
}
