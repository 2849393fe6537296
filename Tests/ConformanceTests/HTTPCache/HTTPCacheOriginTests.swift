import Alcedo
import Foundation
import Testing

/// Tests the origin of HTTP cache cases, and the two ways to reach it.
struct HTTPCacheOriginTests {
    private let origin = ConformanceOrigin()
    /// Sunday, 06-Nov-94 08:49:37 GMT, and some milliseconds.
    private let clock = ConformanceClock(start: 784_111_777_999)

    private func respond(
        _ target: String = "/test/a", _ headers: HTTPHeaders = [:], method: String = "GET"
    ) -> ConformanceOrigin.Reply {
        origin.respond(method: method, target: target, headers: headers, now: clock.millisecondsSince1970)
    }

    @Test func unknownRun_isRejected() {
        #expect(respond().status == 409)
        #expect(origin.configure("a", [HTTPCacheCase.Request()]))
        #expect(!origin.configure("a", []))
        #expect(respond("/test/a", ["Req-Num": "2"]).status == 409)
        #expect(respond("/test/a", ["Req-Num": "0"]).status == 409)
        #expect(respond("/").status == 404)
        #expect(origin.seen("a").isEmpty)
        #expect(respond().status == 200)
        #expect(respond().status == 409)
    }

    @Test func reply_describesTheRequest() {
        #expect(origin.configure("a", [HTTPCacheCase.Request(), HTTPCacheCase.Request(replyPause: 2)]))
        let first = respond("/test/a/file?b=c")
        let names = ["Server-Base-Url", "Server-Request-Count", "Client-Request-Count", "Server-Now"]
        #expect(names.map { first.headers[$0] } == ["/test/a/file?b=c", "1", "NaN", "784111777999"])
        #expect(first.headers["Date"] == "Sun, 06 Nov 1994 08:49:37 GMT")
        #expect(first.headers["Content-Type"] == "text/plain")
        #expect(first.headers["Content-Length"] == "1" && first.body == Data("a".utf8))
        let second = respond("/test/a", ["req-num": "2", "Foo": "b"])
        #expect(names.dropFirst().map { second.headers[$0] } == ["2", "2", "784111779999"])
        #expect(second.headers["Request-Numbers"] == "2" && second.pause == 2)
        #expect(origin.seen("a").map(\.number) == [nil, 2])
        #expect(origin.seen("a").last?.headers["foo"] == "b")
    }

    @Test func dates_areRelativeToTheReply() {
        var request = HTTPCacheCase.Request(obsoleteDates: ["last-modified"])
        request.replyHeaders = [
            .init("Expires", delta: 3600), .init("Last-Modified", delta: -86_400), .init("date", delta: 0),
            .init("Age", delta: 7),
        ]
        #expect(origin.configure("a", [request]))
        let headers = respond().headers
        #expect(headers["Expires"] == "Sun, 06 Nov 1994 09:49:37 GMT")
        #expect(headers["Last-Modified"] == "Saturday, 05-Nov-94 08:49:37 GMT")
        #expect(headers["Date"] == "Sun, 06 Nov 1994 08:49:37 GMT")
        #expect(headers["Age"] == "7")
    }

    @Test func locations_beginWithTheTarget() {
        var request = HTTPCacheCase.Request(locatesRelatively: true)
        request.replyHeaders = [.init("Location", "b"), .init("Content-Location", ""), .init("Link", "b")]
        #expect(origin.configure("a", [request]))
        let headers = respond().headers
        #expect(["Location", "Content-Location", "Link"].map { headers[$0] } == ["/test/a/b", "/test/a", "b"])
    }

    @Test func validators_areThoseOfThePreviousReply() {
        let validators = [HTTPCacheField("Last-Modified", delta: -60), HTTPCacheField("ETag", "\"a\"")]
        let requests =
            [HTTPCacheCase.Request(replyHeaders: validators)]
            + (0..<4).map { _ in HTTPCacheCase.Request(replyHeaders: validators, fate: .etagValidated) }
        #expect(origin.configure("a", requests))
        let date = respond().headers["Last-Modified"]
        #expect(respond("/test/a", ["If-None-Match": "\"b\""]).status == 999)
        clock.advance(by: 5)
        #expect(respond("/test/a", ["If-None-Match": "\"a\""]).status == 304)
        let later = respond("/test/a", ["If-Modified-Since": date ?? ""])
        #expect(later.status == 999, "the previous reply was modified later")
        #expect(later.headers["Last-Modified"] == "Sun, 06 Nov 1994 08:48:42 GMT")
        let confirmation = respond("/test/a", ["If-Modified-Since": later.headers["Last-Modified"] ?? ""])
        #expect(confirmation.status == 304)
        #expect(confirmation.body.isEmpty && confirmation.headers["Content-Length"] == nil)
    }

    @Test func savedFields_areThoseThatAreChecked() {
        var request = HTTPCacheCase.Request()
        request.replyHeaders = [
            .init("Vary", "a"), .init("Vary", "b"), .init("Age", "1", check: false),
            .init("ETag", "\"a\"", check: true),
        ]
        #expect(origin.configure("a", [request]))
        #expect(respond().headers.values(of: "vary") == ["a", "b"])
        #expect(origin.seen("a").first?.savedFields == ["Vary": "a, b", "ETag": "\"a\""])
    }

    // MARK: Transports

    /// What a transport receives of an unusual reply.
    private func receive(
        _ request: HTTPCacheCase.Request, overSockets: Bool
    ) async throws -> Result<ConformanceReply, ConformanceNetworkError> {
        #expect(origin.configure("a", [request]))
        let message = { (base: String) in
            ConformanceRequest(
                method: "GET", url: try #require(URL(string: "\(base)/test/a?b=c")), marks: ["Req-Num": "1"])
        }
        guard overSockets else {
            let transport = ConformanceDataLoader(origin: origin, clock: clock)
            return await ConformanceClients.uncached(over: transport)(try message("http://origin.test"))
        }
        let server = try ConformanceServer(origin, clock)
        return await ConformanceClients.uncached(over: ConformanceClients.defaultTransport)(try message(server.base))
    }

    @Test(arguments: [false, true])
    func repeatedFieldsAndTheStatus_reachTheClient(_ overSockets: Bool) async throws {
        var request = HTTPCacheCase.Request(fate: .etagValidated)
        request.replyHeaders = [.init("Vary", "a"), .init("Vary", "b"), .init("ETag", "\"\u{FC}\"")]
        let reply = try await receive(request, overSockets: overSockets).get()
        #expect(reply.status == 999)
        #expect(reply.headers["Vary"] == "a, b")
        #expect(reply.headers["Server-Base-Url"] == "/test/a?b=c")
        #expect(reply.body == Data("a".utf8))
    }

    @Test(arguments: [false, true])
    func body_endsAtTheAnnouncedLength(_ overSockets: Bool) async throws {
        var request = HTTPCacheCase.Request(replyBody: "0123456789")
        request.replyHeaders = [.init("Content-Length", "4")]
        let reply = try await receive(request, overSockets: overSockets).get()
        #expect(reply.body == Data("0123".utf8))
        #expect(reply.headers["Content-Length"] == "4")
    }

    @Test(arguments: [false, true])
    func disconnection_isAnError(_ overSockets: Bool) async throws {
        let request = HTTPCacheCase.Request(disconnects: true)
        guard case .failure = try await receive(request, overSockets: overSockets) else {
            Issue.record("a reply")
            return
        }
        #expect(origin.seen("a").map(\.number) == [1])
    }

    @Test(arguments: [false, true])
    func pause_advancesTheClock(_ overSockets: Bool) async throws {
        let reply = try await receive(HTTPCacheCase.Request(replyPause: 5), overSockets: overSockets).get()
        #expect(clock.millisecondsSince1970 == 784_111_782_999)
        #expect(reply.headers["Server-Now"] == "784111782999")
    }

    @Test func informationalResponses_precedeTheReply() async throws {
        var request = HTTPCacheCase.Request()
        request.interimResponses = [.init(status: 103, headers: [.init("Link", "</a>")])]
        let reply = try await receive(request, overSockets: true).get()
        #expect(reply.status == 200 && reply.headers["Link"] == nil && reply.body == Data("a".utf8))
    }

    @Test func marker_addsTheMarksOfTheLatestRequest() async throws {
        #expect(origin.configure("a", [HTTPCacheCase.Request(), HTTPCacheCase.Request()]))
        let marker = ConformanceMarker(ConformanceDataLoader(origin: origin, clock: clock))
        let url = try #require(URL(string: "http://origin.test/test/a"))
        for number in ["1", "2"] {
            marker.mark(ConformanceRequest(method: "GET", url: url, marks: ["Req-Num": number]))
            try await marker.load(DataRequest(url: url, headers: ["Foo": "b"]), into: ResponseSink(maximumBytes: 9))
        }
        #expect(origin.seen("a").map(\.number) == [1, 2])
        #expect(origin.seen("a").map { $0.headers["Foo"] } == ["b", "b"])
    }
}
