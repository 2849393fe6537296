import Foundation
import Testing

@testable import AlcedoTestSupport

/// The servers that are other programs, asked by `curl` and by plain connections.
@Suite(.timeLimit(.minutes(1))) struct NginxServerTests {
    private let files = ["a.txt": Data("content".utf8), "folder/b.txt": Data("deeper".utf8)]

    /// What curl brings from `url`, and the protocol it spoke.
    private func fetch(_ url: URL, authority: URL? = nil) async throws -> String {
        let directory = try TemporaryDirectory()
        let curl = try #require(ServerProcess.find("curl"))
        var command = [curl, "-sS", "-w", " %{http_version}", url.absoluteString]
        if let authority { command += ["--cacert", authority.path] }
        let log = directory.file("log")
        try ServerProcess.run(command, log: log, in: directory.path)
        return try String(contentsOfFile: log, encoding: .utf8)
    }

    private static var hasNginx: Bool { NginxServer.isInstalled }
    private static var hasCurl: Bool { ServerProcess.find("curl") != nil }

    @Test(.enabled(if: hasNginx && hasCurl)) func nginx_servesFiles_plainlyAndSecurely() async throws {
        let server = try NginxServer(files: files)
        #expect(try await fetch(server.url("/a.txt")) == "content 1.1")
        #expect(try await fetch(server.secureURL("/folder/b.txt"), authority: server.authority) == "deeper 2")
        await #expect(throws: ServerProcess.Failure.self) { try await fetch(server.secureURL("/a.txt")) }
    }

    @Test(.enabled(if: hasCurl)) func opensslsServer_servesFiles() async throws {
        let server = try TLSServer(files: ["a.txt": Data("content".utf8)], usesNginx: false)
        #expect(try await fetch(server.url("/a.txt"), authority: server.authority).hasPrefix("content"))
    }

    @Test(.enabled(if: hasCurl), arguments: TestCertificates.Kind.allCases, [true, false])
    func aBadCertificate_isNotTrusted(kind: TestCertificates.Kind, usesNginx: Bool) async throws {
        guard !usesNginx || Self.hasNginx else { return }
        let server = try TLSServer(
            files: ["a.txt": Data("content".utf8)], certificate: kind, usesNginx: usesNginx)
        let failure: String
        do {
            failure = try await fetch(server.url("/a.txt"), authority: server.authority)
        } catch let error as ServerProcess.Failure {
            failure = error.description
        }
        let sign =
            switch kind {
            case .good: "content"
            case .expired: "expired"
            case .selfSigned: "self"
            case .wrongHost: "127.0.0.1"
            }
        #expect(failure.contains(sign))
        #expect(failure.contains("SSL") == (kind != .good))
    }

    @Test(.enabled(if: hasNginx)) func aStoppedServer_isGone() throws {
        let server = try NginxServer(files: files)
        #expect(Sockets.awaitListener(server.port) { true })
        server.stop()
        server.stop()
        #expect(!Sockets.awaitListener(server.port) { false })
    }

    @Test func aServerThatDoesNotStart_saysWhy() throws {
        let directory = try TemporaryDirectory()
        let log = directory.file("log")
        let process = try ServerProcess(["/bin/ls", "/no such place"], log: log, in: directory.path)
        let port = try Sockets.freePort()
        #expect(!Sockets.awaitListener(port) { process.isRunning })
        process.stop()
        #expect(try String(contentsOfFile: log, encoding: .utf8).contains("no such place"))
        #expect(throws: ServerProcess.Failure.self) {
            try ServerProcess.run(["/bin/ls", "/no such place"], log: log, in: directory.path)
        }
    }
}
