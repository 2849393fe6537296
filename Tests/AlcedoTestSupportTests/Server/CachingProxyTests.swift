import Alcedo
import Foundation
import Testing

@testable import AlcedoTestSupport

@Suite(.timeLimit(.minutes(1)), .enabled(if: NginxServer.isInstalled)) struct CachingProxyTests {
    /// The status and the body of an answer.
    private func fetch(_ url: URL) async throws -> String {
        let directory = try TemporaryDirectory()
        let curl = try #require(ServerProcess.find("curl"))
        let log = directory.file("log")
        try ServerProcess.run([curl, "-sS", "-w", " %{http_code}", url.absoluteString], log: log, in: directory.path)
        return try String(contentsOfFile: log, encoding: .utf8)
    }

    @Test func freshResponse_isSentByTheOriginOnce() async throws {
        let picture = Data("content".utf8)
        let origin = try LoopbackServer {
            $0.path == "/a" ? .bytes(picture).header("Cache-Control", "max-age=60") : .status(404)
        }
        let proxy = try CachingProxy(origin: origin.port)
        for _ in 0..<3 { #expect(try await fetch(proxy.url("/a")) == "content 200") }
        #expect(try await fetch(proxy.url("/b")).hasSuffix("404"))
        #expect(origin.statistics.requestsByPath["/a"] == 1)
        proxy.stop()
        let answers = try proxy.answers()
        #expect(answers.map(\.outcome) == [.miss, .hit, .hit, .miss])
        #expect(answers.map(\.path) == ["/a", "/a", "/a", "/b"] && answers.map(\.status) == [200, 200, 200, 404])
        #expect(!Sockets.awaitListener(proxy.port) { false })
    }

    @Test func anUnreachableOrigin_isAnError() async throws {
        let port = try Sockets.freePort()
        let proxy = try CachingProxy(origin: port)
        #expect(try await fetch(proxy.url("/a")).hasSuffix("502"))
    }
}
