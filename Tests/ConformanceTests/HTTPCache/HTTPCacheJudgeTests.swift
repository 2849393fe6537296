import Alcedo
import Foundation
import Testing

/// Tests that the judge of HTTP cache cases finds a reply wrong that differs in one respect.
struct HTTPCacheJudgeTests {
    private typealias Request = HTTPCacheCase.Request

    private static let id = "the-run"

    private func reply(_ fields: HTTPHeaders = [:], status: Int = 200, body: String = id) -> ConformanceReply {
        var headers: HTTPHeaders = [
            "Server-Base-Url": "/test/the-run", "Server-Request-Count": "2", "Server-Now": "784111777999",
            "Request-Numbers": "1 2", "ETag": "\"a\"", "Age": "31", "Date": "Sun, 06 Nov 1994 08:49:37 GMT",
        ]
        for field in fields { headers[field.name] = field.value }
        return ConformanceReply(status: status, headers: headers, body: Data(body.utf8))
    }

    /// The failure of a reply to the second request.
    private func failure(_ reply: ConformanceReply, _ request: Request) -> HTTPCacheFailure? {
        do throws(HTTPCacheFailure) {
            try HTTPCacheJudge(requests: [Request(), request], id: Self.id).judge(reply, to: 2)
            return nil
        } catch {
            return error
        }
    }

    private func expect(
        _ failure: HTTPCacheFailure?, _ kind: HTTPCacheFailure.Kind, _ words: String,
        location: SourceLocation = #_sourceLocation
    ) {
        #expect(failure == HTTPCacheFailure(kind, "request 2: \(words)"), sourceLocation: location)
    }

    // MARK: Replies

    @Test func rightReply_passes() {
        var request = Request(fate: .notCached)
        request.expectedInReply = [
            .init("etag", .present), .init("ETag", .equals(.init("ETag", "\"a\""))), .init("age", .greaterThan(30)),
            .init("Date", .equals(.init("Date", delta: 0))), .init("Age", .equalsField("age")),
        ]
        request.missingInReply = [.init("Warning"), .init("ETag", "b")]
        #expect(failure(reply(), request) == nil)
        #expect(failure(reply(["Server-Request-Count": "1", "Request-Numbers": "1"]), Request(fate: .cached)) == nil)
        #expect(failure(reply(status: 304, body: ""), Request(statusRule: .ignore)) == nil)
        #expect(failure(reply(body: ""), Request(method: "HEAD")) == nil)
    }

    @Test func repeatedRequest_isToBeRetried() {
        let seen = "the origin saw requests 1 2 2"
        expect(failure(reply(["Request-Numbers": "1 2 2"], status: 404), Request()), .retry, seen)
    }

    @Test func wrongSource_fails() {
        let stored = reply(["Server-Request-Count": "1"])
        expect(
            failure(stored, Request(fate: .notCached)), .assertion, "answered with a stored response, not by the origin"
        )
        let words = "answered by the origin, not with the stored response"
        expect(failure(reply(), Request(fate: .cached)), .assertion, words)
        expect(failure(reply(), Request(fate: .cached, setupParts: ["expected_type"])), .setup, words)
        expect(failure(reply(), Request(fate: .cached, setupParts: ["expected_status"])), .assertion, words)
        expect(failure(reply(), Request(fate: .cached, isSetup: true)), .setup, words)
        var foreign = reply()
        foreign.headers["Server-Request-Count"] = nil
        expect(failure(foreign, Request(fate: .cached)), .assertion, words)
        foreign.status = 304
        #expect(failure(foreign, Request(fate: .cached, statusRule: .ignore)) == nil)
    }

    @Test func wrongStatus_fails() {
        expect(failure(reply(status: 404), Request()), .setup, "status 404, not 200")
        let scripted = Request(replyStatus: 404, statusRule: .asReplied)
        #expect(failure(reply(status: 404), scripted) == nil)
        expect(failure(reply(), scripted), .setup, "status 200, not 404")
        expect(failure(reply(), Request(expectedStatus: 304, statusRule: .expected)), .assertion, "status 200, not 304")
        let validated = Request(fate: .etagValidated)
        expect(failure(reply(status: 999), validated), .assertion, "the request should have been conditional")
    }

    @Test func wrongField_fails() {
        func failure(_ name: String, _ rule: HTTPCacheExpectation.Rule) -> HTTPCacheFailure? {
            self.failure(reply(), Request(expectedInReply: [.init(name, rule)]))
        }
        expect(failure("Warning", .present), .assertion, "Warning is missing")
        expect(failure("ETag", .equals(.init("ETag", "\"b\""))), .assertion, "ETag is \"\"a\"\", not \"\"b\"\"")
        let later = "Sun, 06 Nov 1994 08:49:38 GMT"
        let date = "Date is \"Sun, 06 Nov 1994 08:49:37 GMT\", not \"\(later)\""
        expect(failure("Date", .equals(.init("Date", delta: 1))), .assertion, date)
        expect(failure("Age", .greaterThan(31)), .assertion, "Age is \"31\", not greater than 31")
        expect(failure("ETag", .greaterThan(0)), .assertion, "ETag is \"\"a\"\", not greater than 0")
        expect(failure("Age", .equalsField("ETag")), .assertion, "Age is \"31\", but ETag is \"\"a\"\"")
        let setup = Request(expectedInReply: [.init("Warning", .present)], setupParts: ["expected_response_headers"])
        expect(self.failure(reply(), setup), .setup, "Warning is missing")
    }

    @Test(arguments: [HTTPCacheField("age"), HTTPCacheField("age", "31")])
    func fieldThatMustBeMissing_fails(_ field: HTTPCacheField) {
        let words = "age is \"31\", which must be removed"
        expect(failure(reply(), Request(missingInReply: [field])), .assertion, words)
    }

    @Test func wrongBody_fails() {
        expect(failure(reply(body: "b"), Request()), .setup, "the body is \"b\", not \"the-run\"")
        let scripted = Request(replyBody: "01234", bodyRule: .asReplied)
        expect(failure(reply(body: "0123"), scripted), .setup, "the body is \"0123\", not \"01234\"")
        let part = Request(bodyRule: .expected, expectedBody: "01")
        expect(failure(reply(body: "012"), part), .assertion, "the body is \"012\", not \"01\"")
        #expect(failure(reply(body: "b"), Request(bodyRule: .skip)) == nil)
    }

    @Test func networkError_failsUnlessTheOriginDisconnects() {
        func failure(_ request: Request) -> HTTPCacheFailure? {
            do throws(HTTPCacheFailure) {
                let judge = HTTPCacheJudge(requests: [Request(), request], id: Self.id)
                try judge.judge(ConformanceNetworkError("lost"), to: 2)
                return nil
            } catch {
                return error
            }
        }
        #expect(failure(Request(disconnects: true, statusRule: .ignore)) == nil)
        expect(failure(Request(disconnects: true)), .network, "lost")
        expect(failure(Request(statusRule: .ignore)), .network, "lost")
    }

    // MARK: The origin's view

    /// The failure of a run in which the origin saw `message` instead of, or after, the first request.
    private func failure(
        _ message: ConformanceOrigin.SeenRequest?, _ request: Request, _ reply: ConformanceReply? = nil
    ) -> HTTPCacheFailure? {
        let first = ConformanceOrigin.SeenRequest(number: 1, method: "GET", headers: [:])
        do throws(HTTPCacheFailure) {
            let seen = [first] + (message.map { [$0] } ?? [])
            try HTTPCacheJudge(requests: [Request(), request], id: Self.id).judge(seen, [nil, reply])
            return nil
        } catch {
            return error
        }
    }

    private func seen(_ headers: HTTPHeaders, number: Int = 2) -> ConformanceOrigin.SeenRequest {
        ConformanceOrigin.SeenRequest(number: number, method: "GET", headers: headers)
    }

    @Test func requestThatTheOriginDidNotSee_fails() {
        expect(failure(nil, Request(fate: .notCached)), .assertion, "did not reach the origin")
        expect(failure(seen([:], number: 3), Request(fate: .notCached)), .assertion, "did not reach the origin")
        #expect(failure(seen([:]), Request(fate: .notCached)) == nil)
        #expect(failure(nil, Request(fate: .cached)) == nil)
        expect(failure(nil, Request(fate: .etagValidated)), .assertion, "the origin received no If-None-Match")
    }

    @Test func requestWithoutItsFields_fails() {
        let etag = seen(["if-none-match": "\"a\""])
        #expect(failure(etag, Request(fate: .etagValidated)) == nil)
        let words = "the origin received no If-Modified-Since"
        expect(failure(etag, Request(fate: .lastModifiedValidated)), .assertion, words)
        let expected = Request(expectedInRequest: [.init("If-None-Match", "\"b\"")])
        expect(failure(etag, expected), .assertion, "the origin received If-None-Match as \"\"a\"\"")
        #expect(failure(etag, Request(expectedInRequest: [.init("If-None-Match")])) == nil)
        let missing = Request(missingInRequest: [.init("If-None-Match")])
        expect(failure(etag, missing), .assertion, "the origin received If-None-Match")
        expect(failure(etag, Request(expectedMethod: "HEAD")), .assertion, "the origin received GET")
    }

    @Test func fieldThatTheClientDidNotReceive_isNoTest() {
        var message = seen([:])
        message.savedFields = ["Date": "yesterday", "Set-Cookie": "a=b", "ETag": "\"a\""]
        #expect(failure(message, Request(), reply()) == nil)
        #expect(failure(message, Request(), nil) == nil)
        message.savedFields["ETag"] = "\"b\""
        let words = "ETag is \"\"a\"\", but the origin sent \"\"b\"\""
        expect(failure(message, Request(), reply()), .setup, words)
    }

    // MARK: Verdicts

    @Test func verdict_dependsOnTheKind() {
        func verdicts(_ kind: HTTPCacheFailure.Kind?) -> [HTTPCacheVerdict] {
            [HTTPCacheCase.Kind.required, .optimal, .check].map { test in
                HTTPCacheVerdict(test, kind.map { HTTPCacheFailure($0, "") })
            }
        }
        #expect(verdicts(nil) == [.pass, .pass, .yes])
        #expect(verdicts(.assertion) == [.fail, .optionalFail, .no])
        #expect(verdicts(.network) == [.fail, .optionalFail, .no])
        #expect(verdicts(.setup) == [.setupFail, .setupFail, .setupFail])
        #expect(verdicts(.retry) == [.retry, .retry, .retry])
    }
}
