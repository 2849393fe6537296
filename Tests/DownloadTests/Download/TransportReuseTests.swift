import Alcedo
import AlcedoTestSupport
import Foundation
import Testing

@testable import TestFixtures

/// Bytes that arrive on a connection before its next request are no response to that request.
@Suite(.timeLimit(.minutes(1))) struct TransportReuseTests {
    private let server: LoopbackServer
    private let body = Data((0..<1_000).map { UInt8(truncatingIfNeeded: $0 &* 31) })

    init() throws { server = try LoopbackServer() }

    /// Garbage ahead of the response on a reused connection is left over from when the connection was idle.
    @Test(arguments: RealTransport.curl)
    func garbageOnAReusedConnection_isALostConnection(kind: RealTransport) async throws {
        let client = TransportClient(transport: kind.make(TransportSettings()), server: server)
        server.enqueue(.bytes(body), .raw(Data("garbage without a head".utf8)))
        #expect(try await client.download().body == body)
        let error = await #expect(throws: ImageLoaderError.self) { try await client.download() }
        if case .connectionFailed(.lost, _) = error {} else { Issue.record("\(String(describing: error))") }
        #expect(server.statistics.connectionsAccepted == 1)
        // On a new connection, it is the server's response.
        let fresh = TransportClient(transport: kind.make(TransportSettings()), server: server)
        let first = await fresh.error(.raw(Data("garbage without a head".utf8)))
        #expect(first?.kind == .malformedResponse)
    }

    /// The rest of an answer that is too long, for example, which the client doesn't read.
    @Test(arguments: RealTransport.curl)
    func responseThatNobodyAskedFor_isNotThatOfTheNextRequest(kind: RealTransport) async throws {
        let client = TransportClient(transport: kind.make(TransportSettings()), server: server)
        let right = Data("right".utf8)
        server.handle("/b") { _ in .bytes(right) }
        for round in 1...3 {
            let first = Task { try await client.download("/a") }
            let exchange = try await server.nextRequest()
            exchange.sendHead(length: 5)
            exchange.send(Data("first".utf8))
            _ = try await first.value
            exchange.send(Data("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nwrong".utf8))
            exchange.finish()
            try await Self.untilBytesWait(onConnectionsTo: server.port)
            #expect(try await client.download("/b").body == right)
            // The request went over a new connection, and the other one is closed.
            try await server.until { [round] in $0.closedByClient == round }
            #expect(server.statistics.requestsByPath == ["/a": round, "/b": round])
        }
        #expect(server.statistics.connectionsAccepted == 4)
    }

    /// Its connections are closed one after another, until there is none left to use again.
    @Test(arguments: RealTransport.curl)
    func requestIsSentOnce_ifNoIdleConnectionCanBeUsed(kind: RealTransport) async throws {
        let client = TransportClient(transport: kind.make(TransportSettings()), server: server)
        let loads = (0..<4).map { _ in Task { try await client.download("/a") } }
        var exchanges: [LoopbackServer.Exchange] = []
        for _ in 0..<4 { exchanges.append(try await server.nextRequest()) }
        for exchange in exchanges {
            exchange.sendHead(length: 1)
            exchange.send(Data([1]))
        }
        for load in loads { _ = try await load.value }
        for exchange in exchanges {
            exchange.send(Data("HTTP/1.1 204 No Content\r\n\r\n".utf8))
            exchange.finish()
        }
        try await Self.untilBytesWait(onConnectionsTo: server.port, count: 4)
        server.handle("/b") { [body] _ in .bytes(body) }
        let download = try await client.download("/b") {
            $0.method = .post
            $0.body = Data("sent once".utf8)
        }
        #expect(download.body == body)
        #expect(server.statistics.requestsByPath == ["/a": 4, "/b": 1])
        #expect(server.statistics.connectionsAccepted == 5)
        try await server.until { $0.closedByClient == 4 }
    }

    /// Waits until the system has bytes for the client on so many connections to a port of this machine.
    private static func untilBytesWait(onConnectionsTo port: Int, count: Int = 1) async throws {
        let end = String(format: "0100007F:%04X", port)
        while !Task.isCancelled {
            // A String takes only the first page of such a file.
            let table = try FileHandle(forReadingAtPath: "/proc/self/net/tcp")?.readToEnd() ?? Data()
            let lines = String(decoding: table, as: UTF8.self).split(separator: "\n")
            // Number, local and remote end, state, bytes to send and received.
            let received = lines.dropFirst().compactMap { line -> Int? in
                let fields = line.split(separator: " ")
                guard fields.count > 4, fields[2] == end else { return nil }
                return Int(fields[4].split(separator: ":")[1], radix: 16)
            }
            if received.count(where: { $0 > 0 }) >= count { return }
            await Task.yield()
        }
        try Task.checkCancellation()
    }
}
