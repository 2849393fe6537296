import Alcedo
import Testing

@testable import AlcedoTestSupport

@Suite(.timeLimit(.minutes(1)))
struct RequestParserTests {
    private func events(_ text: String) -> [RequestParser.Event] {
        var parser = RequestParser()
        parser.feed(Array(text.utf8))
        return drain(&parser)
    }

    private func drain(_ parser: inout RequestParser) -> [RequestParser.Event] {
        var events: [RequestParser.Event] = []
        while true {
            let event = parser.next()
            switch event {
            case .needsMore: return events
            case .refuse: return events + [event]
            case .request: events.append(event)
            }
        }
    }

    private func targets(_ text: String) -> [String] {
        events(text).map { event in
            if case .request(let request) = event { return request.target }
            return "\(event)"
        }
    }

    @Test func `a request has its method, target, path and fields`() throws {
        let event = events("GET /a/b.png?w=1 HTTP/1.1\r\nHost: x\r\nRange:\t bytes=0- \r\nEmpty:\r\n\r\n").first
        guard case .request(let request) = try #require(event) else {
            Issue.record("\(String(describing: event))")
            return
        }
        #expect(request.method == "GET")
        #expect(request.target == "/a/b.png?w=1")
        #expect(request.path == "/a/b.png")
        #expect(request.headers["range"] == "bytes=0-")
        #expect(request.headers["Empty"] == "")
        #expect(request.keepsAlive)
    }

    @Test func `bytes one by one make the same requests`() {
        let text =
            "\r\nGET /1 HTTP/1.1\r\nA: b\r\n\r\nPOST /2 HTTP/1.1\r\nContent-Length: 5\r\n\r\nhelloHEAD /3 HTTP/1.0\n\n"
        var parser = RequestParser()
        var found: [RequestParser.Event] = []
        for byte in text.utf8 {
            parser.feed(CollectionOfOne(byte))
            found += drain(&parser)
        }
        #expect(found.count == 3)
        #expect(found == events(text))
        #expect(parser.bufferedCount == 0)
    }

    @Test func `a body is skipped, also one that comes later`() {
        var parser = RequestParser()
        parser.feed(Array("PUT /1 HTTP/1.1\r\nContent-Length: 100000\r\n\r\nabc".utf8))
        #expect(drain(&parser).count == 1)
        parser.feed(Array(repeating: 65, count: 90000))
        #expect(parser.bufferedCount == 0)
        parser.feed(Array(repeating: 65, count: 9997) + Array("GET /2 HTTP/1.1\r\n\r\n".utf8))
        #expect(drain(&parser).count == 1)
    }

    @Test(arguments: [
        ("GET / HTTP/1.1\r\n\r\n", true), ("GET / HTTP/1.1\r\nConnection: Close\r\n\r\n", false),
        ("GET / HTTP/1.0\r\n\r\n", false), ("GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n", true),
    ])
    func `the connection stays open when version and fields say so`(text: String, keepsAlive: Bool) {
        guard case .request(let request) = events(text).first else {
            Issue.record("no request")
            return
        }
        #expect(request.keepsAlive == keepsAlive)
    }

    @Test(arguments: [
        ("hello\r\n\r\n", 400), ("GET /\r\n\r\n", 400), ("GET / HTTP/1.1\r\nno colon\r\n\r\n", 400),
        ("GET / HTTP/1.1\r\n: x\r\n\r\n", 400), ("GET / HTTP/1.1\r\nContent-Length: -1\r\n\r\n", 400),
        ("GET / HTTP/1.1\r\nContent-Length: 99999999999999999999\r\n\r\n", 400), ("GET / HTTP/2.0\r\n\r\n", 505),
        ("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", 505), ("PUT / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n", 501),
    ])
    func `what is no request is refused`(text: String, status: Int) {
        #expect(events(text) == [.refuse(status: status)])
    }

    @Test func `a head beyond the limit is refused, complete or not`() {
        let long = "GET / HTTP/1.1\r\nA: \(String(repeating: "x", count: RequestParser.headLimit))"
        #expect(events(long) == [.refuse(status: 431)])
        #expect(events(long + "\r\n\r\n") == [.refuse(status: 431)])
    }

    @Test func `many requests in one piece are all found`() {
        let text = (0..<10_000).map { "GET /\($0) HTTP/1.1\r\n\r\n" }.joined()
        #expect(targets(text) == (0..<10_000).map { "/\($0)" })
    }

    @Test(arguments: 0..<20)
    func `rubbish never traps`(seed: UInt64) {
        var random = SplitMix(state: seed)
        let alphabet = Array("GET / HTTP/1.1\r\n: Content-Length9\u{0}".utf8) + [0xff, 0xc3, 0x85]
        for _ in 0..<200 {
            var parser = RequestParser()
            for _ in 0..<5 {
                let count = Int.random(in: 0..<80, using: &random)
                parser.feed((0..<count).map { _ in alphabet[Int.random(in: 0..<alphabet.count, using: &random)] })
                _ = drain(&parser)
            }
        }
    }
}

/// Sebastiano Vigna's SplitMix64: a seed gives the same numbers everywhere.
struct SplitMix: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9e37_79b9_7f4a_7c15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xbf58_476d_1ce4_e5b9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94d0_49bb_1331_11eb
        return mixed ^ (mixed >> 31)
    }
}
