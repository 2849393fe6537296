import Alcedo
import AlcedoTestSupport
import Foundation
import Testing

@testable import TestFixtures

/// Invalid heads, and headers that look like another head, for every transport.
@Suite(.timeLimit(.minutes(1))) struct TransportHeadConformanceTests {
    private let server: LoopbackServer
    private let body = Data((0..<100_000).map { UInt8(truncatingIfNeeded: $0 &* 31) })

    init() throws { server = try LoopbackServer() }

    private func client(_ kind: RealTransport) -> TransportClient {
        TransportClient(transport: kind.make(TransportSettings()), server: server)
    }

    private func raw(_ text: String) -> LoopbackServer.Reply { .raw(Data(text.utf8)) }

    private func load(_ kind: RealTransport, _ reply: LoopbackServer.Reply) async -> (ImageLoaderError?, [String]) {
        server.enqueue(reply)
        let events = Recorder<String>()
        let sink = ResponseSink(rules: ResponseRules()) {
            if case .connected = $0 { return }
            events.record("\($0)")
        }
        do throws(ImageLoaderError) {
            let request = DataRequest(url: server.url("/a"), idleTimeout: .seconds(3_600))
            try await kind.make(TransportSettings()).load(request, into: sink)
            _ = try sink.finish()
            return (nil, events.values)
        } catch {
            return (error, events.values)
        }
    }

    // MARK: Bodies without a head

    @Test(
        arguments: RealTransport.all,
        [
            "HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: Upgrade\r\n\r\nhello",
            "HTTP/1.1 101 Switching Protocols\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello",
            "HTTP/9 200 OK\r\nContent-Length: 5\r\n\r\nhello", "HTTP/1.1 20 OK\r\n\r\nhello",
            "HTTP/1.1 OK\r\n\r\nhello", "hello", "\r\n\r\nhello", "HTTP/1.1\u{9}200\r\n\r\nhello",
        ])
    func bodyWithoutAHead_isNotDelivered(kind: RealTransport, text: String) async throws {
        let (error, events) = await load(kind, raw(text))
        #expect(error?.kind == .malformedResponse)
        #expect(events.isEmpty)
    }

    @Test(arguments: RealTransport.all)
    func protocolSwitch_isRejected_beforeFurtherData(kind: RealTransport) async throws {
        let head = "HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\n\r\n"
        let (error, events) = await load(kind, raw(head).stalling(.afterBytes(head.utf8.count)))
        #expect(error?.kind == .malformedResponse)
        #expect(events.isEmpty)
        try await server.untilAbandoned("/a")
    }

    /// A second status line is at most a header with a strange name. URLSession on Linux rejects such a name.
    @Test(arguments: RealTransport.all, ["HTTP/9: x", "HTTP/1.1 500 No: x", "HTTP/1.1 103: x"])
    func headerLikeAStatusLine_replacesNoHead(kind: RealTransport, line: String) async throws {
        let (error, events) = await load(
            kind, raw("HTTP/1.1 200 OK\r\nX-First: 1\r\n\(line)\r\nContent-Length: 5\r\n\r\nhello"))
        switch error {
        case nil: #expect(events.first?.contains("status: 200") == true && events.first?.contains("X-First") == true)
        case .malformedResponse: #expect(events.isEmpty)
        default: Issue.record("\(String(describing: error))")
        }
    }

    @Test(arguments: RealTransport.curl)
    func headerLikeAStatusLine_isSkipped(kind: RealTransport) async throws {
        server.enqueue(raw("HTTP/1.1 200 OK\r\nX-First: 1\r\nHTTP/9: x\r\nContent-Length: 5\r\n\r\nhello"))
        let download = try await client(kind).download()
        #expect(download.head.status == 200)
        #expect(download.head.headers["X-First"] == "1")
        #expect(download.body == Data("hello".utf8))
    }

    @Test(arguments: RealTransport.all, ["HTTP/9 x", "HTTP/1.1 500 No"])
    func lineWithoutAColon_isMalformed(kind: RealTransport, line: String) async throws {
        let (error, events) = await load(
            kind, raw("HTTP/1.1 200 OK\r\nX-First: 1\r\n\(line)\r\nContent-Length: 5\r\n\r\nhello"))
        #expect(error?.kind == .malformedResponse)
        #expect(events.isEmpty)
    }

    // MARK: Locations

    @Test(arguments: RealTransport.all)
    func equalLocations_countAsOne(kind: RealTransport) async throws {
        server.handle("/end") { [body] _ in .bytes(body) }
        for location in ["/end", server.url("/end").absoluteString] {
            for count in 1...3 {
                let fields = String(repeating: "Location: \(location)\r\n", count: count)
                server.enqueue(raw("HTTP/1.1 302 Found\r\n\(fields)Content-Length: 0\r\n\r\n"), for: "/a")
                let download = try await client(kind).download()
                #expect(download.body == body)
                #expect(download.head.url == server.url("/end"))
            }
        }
    }

    @Test(arguments: RealTransport.all)
    func differentLocations_areRejected(kind: RealTransport) async throws {
        for fields in [
            "Location: /b\r\nLocation: /c", "Location: /b\r\nX: 1\r\nLocation: http://127.0.0.1/b",
            "Location: /b\r\nLocation: /b\r\nLocation: /c",
        ] {
            let error = await client(kind).error(raw("HTTP/1.1 302 Found\r\n\(fields)\r\nContent-Length: 0\r\n\r\n"))
            guard case .redirectRefused(let location, _) = error else {
                Issue.record("\(String(describing: error))")
                continue
            }
            #expect(location.hasPrefix("/b, "))
        }
        #expect(server.statistics.requests == 3)
    }

    @Test(
        arguments: RealTransport.all,
        [
            "http://127.0.0.1:abc/", "http://127.0.0.1:99999/", "http://127.0.0.1: 80/", "http://127.0.0.1:-1/",
            "http://127.0.0.1:65536/", "http://127.0.0.1:18446744073709551696/", "http://127.0.0.1:0x50/",
            "//127.0.0.1:abc/", "http://127.0.0.1:8a/", "http://[::1]:abc/",
            "http://127.0.0.1:+80/",
        ])
    func invalidPort_isRejected(kind: RealTransport, location: String) async throws {
        for status in [301, 307] {
            let error = await client(kind).error(.redirect(to: location, status: status))
            guard case .redirectRefused(location, let reason) = error else {
                Issue.record("\(String(describing: error))")
                continue
            }
            #expect(reason.contains("port"))
        }
    }
}
