import Foundation
import Testing

@testable import AlcedoTestSupport

@Suite(.timeLimit(.minutes(1)))
struct ReplyScriptTests {
    private typealias Reply = LoopbackServer.Reply

    private let body = Data("0123456789".utf8)

    /// The steps in words: text in quotes, other steps by name.
    private func steps(_ reply: LoopbackServer.Reply, method: String = "GET", keepsAlive: Bool = true) -> [String] {
        var script = ReplyScript(reply, method: method, keepsAlive: keepsAlive)
        var words: [String] = []
        while let step = script.next() {
            switch step {
            case .write(let bytes): words.append("'\(String(decoding: bytes, as: UTF8.self))'")
            case .pause(let duration): words.append("pause \(duration)")
            case .stall: words.append("stall")
            case .close: words.append("close")
            case .reset: words.append("reset")
            case .done(let keepsAlive): words.append(keepsAlive ? "keep" : "end")
            }
        }
        #expect(script.next() == nil)
        return words
    }

    private let head = "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n"

    @Test func `head and a small body are one write`() {
        #expect(steps(.bytes(body)) == ["'\(head)0123456789'", "keep"])
        #expect(
            steps(.bytes(body, contentType: "image/png").header("ETag", "a").header("ETag", "b"))
                == [
                    "'HTTP/1.1 200 OK\r\nContent-Type: image/png\r\nETag: a\r\nETag: b\r\nContent-Length: 10\r\n\r\n0123456789'",
                    "keep",
                ])
    }

    @Test func `statuses and redirects have a head only`() {
        #expect(steps(.status(404)) == ["'HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n'", "keep"])
        #expect(steps(.status(299)) == ["'HTTP/1.1 299 \r\nContent-Length: 0\r\n\r\n'", "keep"])
        #expect(
            steps(.redirect(to: "/b", status: 301))
                == ["'HTTP/1.1 301 Moved Permanently\r\nLocation: /b\r\nContent-Length: 0\r\n\r\n'", "keep"])
    }

    @Test func `HEAD, 204 and 304 get no body`() {
        #expect(steps(.bytes(body), method: "HEAD") == ["'\(head)'", "keep"])
        #expect(steps(Reply(status: 304, body: body)) == ["'HTTP/1.1 304 Not Modified\r\n\r\n'", "keep"])
        #expect(steps(.status(204).chunked()) == ["'HTTP/1.1 204 No Content\r\n\r\n'", "keep"])
        #expect(steps(.bytes(body).chunked(), method: "HEAD").last == "keep")
    }

    @Test func `the connection ends when reply or client want it`() {
        let closing = "'HTTP/1.1 200 OK\r\nContent-Length: 10\r\nConnection: close\r\n\r\n0123456789'"
        #expect(steps(.bytes(body).closing()) == [closing, "end"])
        #expect(steps(.bytes(body), keepsAlive: false) == [closing, "end"])
        #expect(
            steps(.bytes(body).withoutLength()) == ["'HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n0123456789'", "end"])
    }

    @Test(arguments: [3, 99])
    func `a wrong length is announced and the connection ends`(length: Int) {
        #expect(
            steps(.bytes(body).announcing(length: length))
                == ["'HTTP/1.1 200 OK\r\nContent-Length: \(length)\r\nConnection: close\r\n\r\n0123456789'", "end"])
    }

    @Test func `faults come at their places`() {
        #expect(steps(.bytes(body).resetting(.beforeHead)) == ["reset"])
        #expect(steps(.bytes(body).truncating(.afterHead)) == ["'\(head)'", "close"])
        #expect(steps(.bytes(body).truncating(.afterBytes(4))) == ["'\(head)0123'", "close"])
        #expect(steps(.bytes(body).resetting(.afterBytes(4))) == ["'\(head)0123'", "reset"])
        #expect(steps(.bytes(body).truncating(.afterBytes(99))) == ["'\(head)0123456789'", "close"])
        #expect(steps(.status(404).resetting(.afterHead)).last == "reset")
    }

    @Test func `faults compose, in the order of their places`() {
        #expect(
            steps(.bytes(body).truncating(.afterBytes(8)).stalling(.afterBytes(2)).stalling(.beforeHead))
                == ["stall", "'\(head)01'", "stall", "'234567'", "close"])
    }

    @Test func `a drip pauses between parts`() {
        #expect(
            steps(.bytes(body).dripping(4, every: .milliseconds(20)).stalling(.afterBytes(6)))
                == [
                    "'\(head)'", "'0123'", "pause \(Duration.milliseconds(20))", "'45'", "stall", "'67'",
                    "pause \(Duration.milliseconds(20))", "'89'", "keep",
                ])
    }

    @Test func `chunks frame the body, and faults fall inside them`() {
        let head = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
        #expect(
            steps(.bytes(body).chunked(4))
                == ["'\(head)4\r\n0123\r\n'", "'4\r\n4567\r\n'", "'2\r\n89\r\n'", "'0\r\n\r\n'", "keep"])
        #expect(
            steps(.bytes(body).chunked(4).truncating(.afterBytes(6)))
                == ["'\(head)4\r\n0123\r\n'", "'4\r\n45'", "close"])
        #expect(steps(.bytes(Data()).chunked()) == ["'\(head)'", "'0\r\n\r\n'", "keep"])
        #expect(
            steps(.bytes(body).chunked(16).stalling(.afterBytes(10)))
                == ["'\(head)a\r\n0123456789\r\n'", "stall", "'0\r\n\r\n'", "keep"])
    }

    @Test func `raw bytes go out as they are`() {
        #expect(steps(.raw(Data("HTTP/9.9 huh".utf8))) == ["'HTTP/9.9 huh'", "end"])
        #expect(steps(.raw(body).stalling(.afterBytes(3))) == ["'012'", "stall", "'3456789'", "end"])
        #expect(steps(.raw(Data())) == ["end"])
    }

    @Test func `a body that is a slice is sent from its own start`() {
        #expect(steps(.bytes(body[4...])) == ["'HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\n456789'", "keep"])
    }
}
