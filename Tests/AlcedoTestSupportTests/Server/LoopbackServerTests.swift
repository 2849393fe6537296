import Alcedo
import Foundation
import Testing

@testable import AlcedoTestSupport

@Suite(.timeLimit(.minutes(1)))
struct LoopbackServerTests {
    private let body = Data("0123456789".utf8)

    // MARK: Replies

    @Test func `a handler answers, and each request is counted`() async throws {
        let server = try LoopbackServer { [body] in $0.path == "/a" ? .bytes(body) : .status(404) }
        let found = try await exchange(server, "/a?x=1")
        #expect(found.text.hasPrefix("HTTP/1.1 200 OK\r\n"))
        #expect(found.text.hasSuffix("\r\n\r\n0123456789"))
        #expect(found.end == .closed)
        #expect(try await exchange(server, "/b").text.hasPrefix("HTTP/1.1 404 Not Found\r\n"))
        let statistics = try await server.until { $0.openConnections == 0 }
        #expect(statistics.requests == 2)
        #expect(statistics.requestsByPath == ["/a": 1, "/b": 1])
        #expect(statistics.connectionsAccepted == 2)
        #expect(statistics.activeRequests == 0)
        #expect(statistics.peakActiveRequests == 1)
        #expect(statistics.abandonedByPath.isEmpty)
        #expect(statistics.bytesSent > 20)
    }

    @Test func `queues come before handlers, those of the path first`() async throws {
        let server = try LoopbackServer { _ in .status(500) }
        server.handle("/a") { _ in .status(299) }
        server.enqueue(.status(201), .status(202))
        server.enqueue(.status(203), for: "/a")
        var statuses: [String] = []
        for path in ["/a", "/a", "/b", "/a", "/b"] {
            statuses.append(String(try await exchange(server, path).text.dropFirst(9).prefix(3)))
        }
        #expect(statuses == ["203", "201", "202", "299", "500"])
    }

    @Test func `a connection serves many requests, in order, also when they come at once`() async throws {
        let server = try LoopbackServer { .bytes(Data("<\($0.target) on \($0.connection)>".utf8)) }
        let port = server.port
        let text = try await onThread {
            let client = try RawClient(port: port)
            defer { client.close() }
            client.get("/1")
            let first = client.read(through: ">")
            for number in 2...200 { client.get("/\(number)") }
            return first + client.read(through: "</200 on 1>")
        }
        let replies = text.split(separator: "<").dropFirst().map { $0.prefix { $0 != ">" } }
        #expect(replies == (1...200).map { "/\($0) on 1" })
        #expect(server.statistics.connectionsAccepted == 1)
        #expect(server.statistics.requests == 200)
    }

    @Test func `the URL carries path and query as they are`() throws {
        let server = try LoopbackServer()
        #expect(server.url("/a%20b?c=d").absoluteString == "http://127.0.0.1:\(server.port)/a%20b?c=d")
    }

    // MARK: Faults

    @Test func `a reset shows as a reset`() async throws {
        let server = try LoopbackServer { [body] _ in .bytes(body).resetting(.beforeHead) }
        #expect(try await exchange(server, "/") == ("", .reset))
    }

    @Test func `a truncated body ends in good order and short`() async throws {
        let server = try LoopbackServer { [body] _ in .bytes(body).truncating(.afterBytes(4)) }
        let (text, end) = try await exchange(server, "/")
        #expect(text.hasSuffix("Content-Length: 10\r\nConnection: close\r\n\r\n0123"))
        #expect(end == .closed)
    }

    @Test func `a drip delivers everything`() async throws {
        let server = try LoopbackServer { [body] _ in .bytes(body).chunked(3).dripping(1, every: .microseconds(100)) }
        let (text, end) = try await exchange(server, "/")
        #expect(text.hasSuffix("\r\n\r\n3\r\n012\r\n3\r\n345\r\n3\r\n678\r\n1\r\n9\r\n0\r\n\r\n"))
        #expect(end == .closed)
    }

    @Test func `a stalled reply is silent until it is released`() async throws {
        let server = try LoopbackServer { [body] _ in .bytes(body).stalling(.afterBytes(4)) }
        async let reply = exchange(server, "/a")
        try await server.until { $0.stalledReplies == 1 }
        server.releaseStalled(path: "/other")
        let sent = server.statistics.bytesSent
        // A second exchange is served after that command, and shows what it did.
        server.enqueue(.status(204))
        _ = try await exchange(server, "/b")
        #expect(server.statistics.stalledReplies == 1)
        #expect(server.statistics.bytesSent > sent)
        server.releaseStalled(path: "/a")
        #expect(try await reply.text.hasSuffix("\r\n\r\n0123456789"))
        #expect(server.statistics.stalledReplies == 0)
    }

    @Test func `a client that leaves a stalled reply is seen`() async throws {
        let server = try LoopbackServer { [body] _ in .bytes(body).stalling(.afterBytes(4)) }
        let port = server.port
        let client = try await onThread {
            let client = try RawClient(port: port)
            client.get("/a")
            _ = client.read(through: "0123")
            return client
        }
        #expect(server.statistics.abandonedByPath.isEmpty)
        client.close()
        try await server.untilAbandoned("/a")
        let statistics = server.statistics
        #expect(statistics.openConnections == 0)
        #expect(statistics.closedByClient == 1)
        #expect(statistics.stalledReplies == 0)
        #expect(statistics.activeRequests == 0)
    }

    // MARK: Driven

    @Test func `a test drives an exchange, and the connection serves on`() async throws {
        let server = try LoopbackServer()
        let port = server.port
        async let received = onThread {
            let client = try RawClient(port: port)
            defer { client.close() }
            client.get("/1", "X-Name: value")
            let first = client.read(through: "hello")
            client.get("/2")
            return (first, String(decoding: client.readToEnd().bytes, as: UTF8.self))
        }
        let first = try await server.nextRequest()
        #expect(first.request.target == "/1")
        #expect(first.request.headers["x-name"] == "value")
        first.sendHead(length: 5, headers: ["A": "b"])
        first.send(Data("he".utf8))
        first.send(Data("llo".utf8))
        first.finish()
        first.finish()
        first.send(Data("too late".utf8))
        let second = try await server.nextRequest()
        #expect(second.request.connection == first.request.connection)
        #expect(!second.isConnectionClosed)
        second.sendHead()
        second.send(Data("bye".utf8))
        second.finish()
        #expect(try await second.connectionClosed() == .byServer)
        #expect(try await first.connectionClosed() == .byServer)
        let texts = try await received
        #expect(texts.0 == "HTTP/1.1 200 OK\r\nA: b\r\nContent-Length: 5\r\n\r\nhello")
        #expect(texts.1 == "HTTP/1.1 200 OK\r\n\r\nbye")
    }

    @Test func `an exchange takes a whole reply, and breaks off a stalled one`() async throws {
        let server = try LoopbackServer()
        async let reset = exchange(server, "/a")
        let first = try await server.nextRequest()
        first.reply(.bytes(body).stalling(.beforeHead))
        try await server.until { $0.stalledReplies == 1 }
        first.reset()
        #expect(try await reset == ("", .reset))
        #expect(server.statistics.stalledReplies == 0)

        async let closed = exchange(server, "/a")
        let second = try await server.nextRequest()
        second.reply(.bytes(body).stalling(.afterBytes(1)))
        try await server.until { $0.stalledReplies == 1 }
        second.close()
        let (text, end) = try await closed
        #expect(text.hasSuffix("\r\n\r\n0"))
        #expect(end == .closed)
    }

    @Test func `the end of a connection tells which side ended it`() async throws {
        let server = try LoopbackServer()
        let port = server.port
        for isReset in [false, true] {
            let client = try await onThread {
                let client = try RawClient(port: port)
                client.get("/a")
                return client
            }
            let exchange = try await server.nextRequest()
            async let end = exchange.connectionClosed()
            if isReset { client.reset() } else { client.close() }
            #expect(try await end == .byClient)
            exchange.sendHead(length: 1)
            exchange.finish()
        }
        #expect(server.statistics.abandonedByPath == ["/a": 2])
    }

    @Test func `a reset does not wait for a client that reads nothing`() async throws {
        let server = try LoopbackServer()
        let port = server.port
        let client = try await onThread {
            let client = try RawClient(port: port)
            client.get("/a")
            return client
        }
        let exchange = try await server.nextRequest()
        exchange.send(Data(count: 50 << 20))
        exchange.reset()
        #expect(try await exchange.connectionClosed() == .byServer)
        client.close()
    }

    @Test func `closing is no reset, whatever the client has sent and nobody read`() async throws {
        let server = try LoopbackServer()
        let port = server.port
        let client = try await onThread {
            let client = try RawClient(port: port)
            client.get("/a")
            // More than the server reads ahead.
            client.send(repeatElement(65, count: 3 << 19))
            return client
        }
        let exchange = try await server.nextRequest()
        exchange.send(Data("HTTP/1.1 200 OK\r\n\r\nbye".utf8))
        exchange.close()
        let (bytes, end) = try await onThread { client.readToEnd() }
        #expect(String(decoding: bytes, as: UTF8.self).hasSuffix("bye"))
        #expect(end == .closed)
        client.close()
    }

    @Test func `waiting ends with the cancellation and with the server`() async throws {
        let server = try LoopbackServer()
        let request = Task { try await server.nextRequest() }
        let condition = Task { try await server.until { $0.requests == 1 } }
        condition.cancel()
        await #expect(throws: CancellationError.self) { try await condition.value }
        server.stop()
        await #expect(throws: LoopbackServer.Stopped()) { try await request.value }
        await #expect(throws: LoopbackServer.Stopped()) { try await server.nextRequest() }
        await #expect(throws: LoopbackServer.Stopped()) { try await server.until { $0.requests == 1 } }
    }

    // MARK: Robustness

    @Test func `a body of 50 MB holds nobody up`() async throws {
        let big = Data(repeating: 7, count: 50 << 20)
        let server = try LoopbackServer { [body] in .bytes($0.path == "/big" ? big : body) }
        let port = server.port
        let (client, start) = try await onThread {
            let client = try RawClient(port: port)
            client.get("/big", "Connection: close")
            return (client, client.read(through: "\r\n\r\n"))
        }
        // The client does not read, and others are served.
        #expect(try await exchange(server, "/small").text.hasSuffix("0123456789"))
        #expect(server.statistics.activeRequests == 1)
        let rest = try await onThread {
            defer { client.close() }
            return client.readToEnd()
        }
        let head = try #require(start.range(of: "\r\n\r\n"))
        #expect(start[head.upperBound...].utf8.count + rest.bytes.count == big.count)
        #expect(rest.end == .closed)
    }

    @Test(arguments: ["\u{0}\u{1}\u{2}\r\n\r\n", "GET\r\n\r\n", "GET / HTTP/1.1\r\nTransfer-Encoding: x\r\n\r\n"])
    func `rubbish is refused and the server serves on`(text: String) async throws {
        let server = try LoopbackServer { _ in .status(204) }
        let port = server.port
        let (answer, end) = try await onThread {
            let client = try RawClient(port: port)
            defer { client.close() }
            client.send(text.utf8)
            let (bytes, end) = client.readToEnd()
            return (String(decoding: bytes, as: UTF8.self), end)
        }
        #expect(answer.hasPrefix("HTTP/1.1 400 ") || answer.hasPrefix("HTTP/1.1 501 "))
        #expect(end == .closed)
        #expect(try await exchange(server, "/").text.hasPrefix("HTTP/1.1 204"))
        #expect(server.statistics.requests == 1)
    }

    @Test func `a head without end is refused`() async throws {
        let server = try LoopbackServer { _ in .status(204) }
        let port = server.port
        let answer = try await onThread {
            let client = try RawClient(port: port)
            defer { client.close() }
            client.send("GET / HTTP/1.1\r\nA: ".utf8)
            client.send(repeatElement(65, count: 300_000))
            return client.read(through: "\r\n\r\n")
        }
        #expect(answer.hasPrefix("HTTP/1.1 431 "))
    }

    @Test func `times are rounded up to the next millisecond`() {
        #expect(ServerLoop.milliseconds(.zero) == 0)
        #expect(ServerLoop.milliseconds(.seconds(-1)) == 0)
        #expect(ServerLoop.milliseconds(.nanoseconds(1)) == 1)
        #expect(ServerLoop.milliseconds(.milliseconds(1500)) == 1500)
        #expect(ServerLoop.milliseconds(.seconds(1_000_000)) == 1_000_000)
    }
}
