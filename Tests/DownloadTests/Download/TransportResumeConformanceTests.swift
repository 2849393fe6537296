import Alcedo
import AlcedoTestSupport
import Foundation
import Testing

@testable import TestFixtures

/// Two versions of a resource are never joined, whatever the server says about the second, for every transport.
@Suite(.timeLimit(.minutes(1))) struct TransportResumeConformanceTests {
    private let server: LoopbackServer
    private let old = Data((0..<100_000).map { UInt8(truncatingIfNeeded: $0 &* 31) })
    private let new = Data((0..<100_000).map { UInt8(truncatingIfNeeded: $0 &* 17) })

    init() throws { server = try LoopbackServer() }

    private func fixture(_ kind: RealTransport) -> CoordinatorFixture {
        CoordinatorFixture(loader: kind.make(TransportSettings())) {
            $0.retry = .atOnce()
            $0.maximumResumableBytes = 1 << 20
        }
    }

    /// Breaks off after 40,000 bytes of the old version.
    private func enqueueBrokenBody(_ headers: HTTPHeaders) {
        var reply = LoopbackServer.Reply.bytes(old, contentType: "image/png").header("Accept-Ranges", "bytes")
        for field in headers { reply = reply.header(field.name, field.value) }
        server.enqueue(reply.truncating(.afterBytes(40_000)))
    }

    private func enqueueRest(_ body: Data, _ headers: HTTPHeaders) {
        var rest = LoopbackServer.Reply(status: 206, headers: headers, body: body.dropFirst(40_000))
        rest.headers["Content-Range"] = "bytes 40000-99999/100000"
        server.enqueue(rest)
    }

    @Test(arguments: RealTransport.all)
    func rest_isAppended_ifItsValidatorMatches(kind: RealTransport) async throws {
        enqueueBrokenBody(["ETag": "\"v1\""])
        enqueueRest(old, ["ETag": "\"v1\""])
        let fixture = fixture(kind)
        let download = try await fixture.coordinator.download(ImageRequest(url: server.url("/a")))
        #expect(download.body == old)
        #expect(await fixture.statistics.resumed == 1)
    }

    private static let dated: HTTPHeaders = [
        "Last-Modified": "Sun, 06 Nov 1994 08:49:37 GMT", "Date": "Sun, 06 Nov 1994 09:49:37 GMT",
    ]

    @Test(arguments: RealTransport.all)
    func wholeBody_isRequested_ifTheValidatorDiffers(kind: RealTransport) async throws {
        let tagged: HTTPHeaders = ["ETag": "\"v1\""]
        let cases: [(HTTPHeaders, HTTPHeaders)] = [
            (tagged, [:]), (tagged, ["Last-Modified": "Sun, 06 Nov 1994 08:49:37 GMT"]), (tagged, ["ETag": "\"v2\""]),
            (tagged, ["ETag": "W/\"v1\""]), (tagged, ["ETag": "\"v1\"", "Content-Type": "image/webp"]),
            (Self.dated, [:]), (Self.dated, ["Last-Modified": "Sun, 06 Nov 1994 08:49:38 GMT"]),
        ]
        for (first, second) in cases {
            enqueueBrokenBody(first)
            enqueueRest(new, second)
            server.enqueue(.bytes(new))
            let seen = server.statistics.requests
            let fixture = fixture(kind)
            let download = try await fixture.coordinator.download(ImageRequest(url: server.url("/a")))
            #expect(download.body == new)
            let statistics = await fixture.statistics
            #expect(statistics.resumed == 0)
            // It still belongs to the retry of the broken download.
            #expect(statistics.retried == 1)
            #expect(server.statistics.requests == seen + 3)
        }
    }
}
