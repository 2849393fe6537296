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
}
