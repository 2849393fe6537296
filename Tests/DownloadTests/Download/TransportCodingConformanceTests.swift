import Alcedo
import AlcedoTestSupport
import Foundation
import Testing

@testable import TestFixtures

/// Accepted codings of a body: one that compresses at most, so that a response can't expand twice.
@Suite(.timeLimit(.minutes(1))) struct TransportCodingConformanceTests {
    private let server: LoopbackServer

    init() throws { server = try LoopbackServer() }

    private func client(_ kind: RealTransport) -> TransportClient {
        TransportClient(transport: kind.make(TransportSettings()), server: server)
    }

    /// The body never arrives, so the head must be what is rejected.
    @Test(
        arguments: RealTransport.all,
        [
            "Content-Encoding: gzip, gzip", "Content-Encoding: gzip, gzip, gzip, gzip", "Content-Encoding: GZIP ,\tbr",
            "Content-Encoding: x-gzip,,deflate", "Content-Encoding: gzip\r\nX: 1\r\nContent-Encoding: zstd",
            "Content-Encoding: gzip, aws-chunked, identity, gzip", "Content-Encoding: compress, gzip",
            "Content-Encoding: gzip\r\nTransfer-Encoding: gzip, chunked", "Transfer-Encoding: deflate, gzip, chunked",
        ])
    func severalCompressingCodings_areRejectedAtTheHead(kind: RealTransport, fields: String) async throws {
        let head = Data("HTTP/1.1 200 OK\r\n\(fields)\r\n\r\n".utf8)
        let error = await client(kind).error(.raw(head).stalling(.afterBytes(head.count)))
        guard case .malformedResponse(let detail) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(detail.contains("coding"))
        try await server.untilAbandoned("/a")
    }

    @Test(arguments: RealTransport.all, ["gzip, identity", "identity,gzip", "x-gzip", "GZIP"])
    func singleCompressingCoding_isDecoded(kind: RealTransport, codings: String) async throws {
        let coded = try #require(Data(base64Encoded: "H4sIAAAAAAACA8tIzcnJBwCGphA2BQAAAA=="))
        server.enqueue(.bytes(coded).header("Content-Encoding", codings))
        #expect(try await client(kind).download().body == Data("hello".utf8))
    }

    @Test(arguments: RealTransport.all, ["identity", "Identity", "identity, identity", ""])
    func identityCoding_leavesTheBodyAndItsLength(kind: RealTransport, codings: String) async throws {
        server.enqueue(.bytes(Data("hello".utf8)).header("Content-Encoding", codings))
        let download = try await client(kind).download()
        #expect(download.body == Data("hello".utf8))
        #expect(download.head.expectedBytes == 5)
    }
}
