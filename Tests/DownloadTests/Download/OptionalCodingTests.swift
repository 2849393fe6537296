#if os(Linux) && Curl && Brotli && Zstandard
import AlcedoTestSupport
import Foundation
import Testing

import Alcedo
@testable import TestFixtures

/// The codings with traits that are off by default; `make codings` runs these tests.
@Suite(.timeLimit(.minutes(1))) struct OptionalCodingTests {
    private static let bodies = [
        ("br", "G4cT+KXL0NjexGtRQM8CgNQ="), ("zstd", "KLUv/WSIEm0AAChoZWxsbwEAgIO+aAHULQSi"),
    ]

    @Test(arguments: bodies) func body_isDecoded_ifItsCodingWasAskedFor(coding: String, coded: String) async throws {
        let server = try LoopbackServer()
        let client = TransportClient(transport: CurlDataLoader(), server: server)
        let bytes = try #require(Data(base64Encoded: coded))
        let whole = Data(String(repeating: "hello", count: 1_000).utf8)
        for piece in [1, 7, 1_000] {
            let load = Task { try await client.download { $0.headers["Accept-Encoding"] = "gzip, \(coding)" } }
            let exchange = try await server.nextRequest()
            #expect(exchange.request.headers["Accept-Encoding"] == "gzip, \(coding)")
            exchange.reply(.bytes(bytes).header("Content-Encoding", coding).chunked(piece))
            #expect(try await load.value.body == whole)
        }
        server.enqueue(.bytes(bytes + Data(repeating: 0x5A, count: 200_000)).header("Content-Encoding", coding))
        let padded = try await client.download(byteLimit: whole.count) { $0.headers["Accept-Encoding"] = coding }
        #expect(padded.body == whole)
        server.enqueue(.bytes(bytes.dropLast(2)).header("Content-Encoding", coding))
        let error = await #expect(throws: ImageLoaderError.self) {
            try await client.download { $0.headers["Accept-Encoding"] = coding }
        }
        #expect(error?.kind == .truncated)
        server.enqueue(.bytes(bytes).header("Content-Encoding", coding))
        let refusal = await #expect(throws: ImageLoaderError.self) { try await client.download() }
        #expect(refusal?.kind == .malformedResponse)
    }
}
#endif
