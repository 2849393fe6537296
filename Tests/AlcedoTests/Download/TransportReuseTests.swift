import AlcedoTestSupport
import Foundation
import Testing

@testable import Alcedo

/// What lies on a connection before it is asked for anything: it answers no request.
@Suite(.timeLimit(.minutes(1))) struct TransportReuseTests {
    private let server: LoopbackServer
    private let body = Data((0..<1_000).map { UInt8(truncatingIfNeeded: $0 &* 31) })

    init() throws { server = try LoopbackServer() }

    /// Rubbish ahead of a reused connection's response is what an idle connection was left with.
    @Test(arguments: RealTransport.curl)
    func rubbishOnAReusedConnection_isALostConnection(kind: RealTransport) async throws {
        let client = TransportClient(transport: kind.make(TransportSettings()), server: server)
        server.enqueue(.bytes(body), .raw(Data("rubbish that is no head".utf8)))
        #expect(try await client.download().body == body)
        let error = await #expect(throws: ImageLoaderError.self) { try await client.download() }
        if case .connectionFailed(.lost, _) = error {} else { Issue.record("\(String(describing: error))") }
        #expect(server.statistics.connectionsAccepted == 1)
        // On a new connection, it is what the server says.
        let fresh = TransportClient(transport: kind.make(TransportSettings()), server: server)
        let first = await fresh.error(.raw(Data("rubbish that is no head".utf8)))
        if case .malformedResponse = first {} else { Issue.record("\(String(describing: first))") }
    }
}
