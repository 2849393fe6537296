#if os(Linux) && Curl
import Alcedo
import AlcedoTestSupport
import Foundation
import Testing

@testable import TestFixtures

/// Codings with libcurl, which decodes on the thread that serves all loads of a loader.
@Suite(.timeLimit(.minutes(1))) struct CurlCodingTests {
    private let server: LoopbackServer
    private let client: TransportClient
    private let body = Data((0..<100_000).map { UInt8(truncatingIfNeeded: $0 &* 31) })

    init() throws {
        server = try LoopbackServer()
        client = TransportClient(transport: CurlDataLoader(), server: server)
    }

    /// Decoding this body takes days and yields nothing: one such response used to block all loads of its loader.
    @Test(arguments: [
        "200 OK\r\nContent-Encoding: gzip, gzip, gzip, gzip", "200 OK\r\nTransfer-Encoding: gzip, gzip, gzip, gzip",
        "302 Found\r\nLocation: /b\r\nContent-Encoding: gzip, gzip, gzip, gzip",
        "404 Not Found\r\nContent-Encoding: gzip, gzip\r\nContent-Encoding: gzip, gzip",
        // The field names of informational responses set up decoders too.
        "103 Early Hints\r\nContent-Encoding: gzip, gzip\r\n\r\nHTTP/1.1 200 OK\r\nContent-Encoding: gzip, gzip",
        "103 Early Hints\r\nContent-Encoding: gzip, gzip, gzip, gzip\r\n\r\nHTTP/1.1 200 OK\r\nX: 1",
        "200 OK\r\nContent-Encoding: gzip, gzip, gzip, gzip\r\nHTTP/1.1 200: OK",
        "200 OK\r\nX: 1\r\n \r\nContent-Encoding: gzip, gzip, gzip, gzip",
    ])
    func nestedBody_isRejected_andOthersLoad(start: String) async throws {
        let bomb = NestedGzip.emptyBlocks(layers: 4, bytes: 18_000)
        server.enqueue(
            .raw(Data("HTTP/1.1 \(start)\r\nConnection: close\r\n\r\n".utf8) + bomb), for: "/bomb")
        server.handle("/a") { [body] _ in .bytes(body) }
        let nested = Task { try await client.download("/bomb") }
        let others = (0..<20).map { _ in Task { try await client.download() } }
        for other in others { #expect(try await other.value.body == body) }
        let error = await #expect(throws: ImageLoaderError.self) { try await nested.value }
        #expect(error?.kind == .malformedResponse)
        #expect(try await client.download().body == body)
    }

    /// The cost of one layer is proportional to its length: some milliseconds per megabyte.
    @Test func singleLayerOfEmptyBlocks_isAnEmptyBody() async throws {
        let blocks = NestedGzip.emptyBlocks(layers: 1, bytes: 1 << 20)
        server.enqueue(.bytes(blocks).header("Content-Encoding", "gzip"))
        await #expect(throws: ImageLoaderError.emptyBody) { try await client.download() }
    }

    /// Input that yields no byte of a body counts as silence, however much arrives.
    @Test func endlessEmptyBlocks_endWithTheIdleTimeout() async throws {
        let blocks = NestedGzip.emptyBlocks(layers: 1, bytes: 1 << 20)
        server.enqueue(
            .bytes(blocks).header("Content-Encoding", "gzip").dripping(100, every: .milliseconds(5)))
        await #expect(throws: ImageLoaderError.timedOut(.idle)) {
            try await client.download { $0.idleTimeout = .milliseconds(500) }
        }
        try await server.untilAbandoned("/a")
    }

    // MARK: Unknown codings

    @Test(arguments: ["aws-chunked", "utf-8", "binary", "none, UTF-8", "unheard-of", "aws-chunked, identity"])
    func unknownCoding_isTreatedAsNone(coding: String) async throws {
        for reply in [LoopbackServer.Reply.bytes(body), .bytes(body).chunked(1000), .bytes(body).withoutLength()] {
            server.enqueue(reply.header("Content-Encoding", coding))
            let download = try await client.download()
            #expect(download.body == body)
            #expect(download.head.expectedBytes == download.head.headers["Content-Length"].map { _ in body.count })
        }
        server.enqueue(.bytes(body).header("Content-Encoding", coding).truncating(.afterBytes(40_000)))
        await #expect(throws: ImageLoaderError.truncated(received: 40_000, expected: body.count)) {
            try await client.download()
        }
        // The next body is still decoded.
        server.enqueue(
            .bytes(try #require(Data(base64Encoded: "H4sIAAAAAAACA8tIzcnJBwCGphA2BQAAAA==")))
                .header("Content-Encoding", "gzip"))
        #expect(try await client.download().body == Data("hello".utf8))
    }

    @Test func unknownCodingBesideACompressingOne_isMalformed() async throws {
        let error = await client.error(.bytes(body).header("Content-Encoding", "aws-chunked, gzip"))
        #expect(error?.kind == .malformedResponse)
    }
}
#endif
