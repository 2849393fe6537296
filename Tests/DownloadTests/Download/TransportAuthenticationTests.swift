import Alcedo
import AlcedoTestSupport
import Foundation
import Synchronization
import Testing

@testable import TestFixtures

/// The hook for credentials over sockets, and redirects.
@Suite(.timeLimit(.minutes(1))) struct TransportAuthenticationTests {
    private let body = Data("body".utf8)

    /// A server that demands `token`.
    private func server(_ token: String, challenge: String = "Bearer realm=\"a\"") throws -> LoopbackServer {
        try LoopbackServer { [body] request in
            request.headers["Authorization"] == token
                ? .bytes(body) : .status(401, headers: ["WWW-Authenticate": challenge])
        }
    }

    private func coordinator(
        _ kind: RealTransport, _ hook: @escaping @Sendable (RequestAuthentication.Question) -> String?
    ) throws -> DownloadCoordinator {
        var settings = DownloadCoordinator.Settings()
        settings.idleTimeout = .seconds(3_600)
        settings.authenticate = RequestAuthentication(id: "test") { hook($0) }
        return try DownloadCoordinator(settings, dataLoader: kind.make(TransportSettings()))
    }

    @Test(arguments: RealTransport.all, ["Bearer realm=\"a\"", "Basic realm=\"a\"", "Digest realm=\"a\", nonce=b"])
    func challenge_reachesTheHook(kind: RealTransport, challenge: String) async throws {
        let server = try server("Token 7", challenge: challenge)
        let asked = Mutex<[RequestAuthentication.Question]>([])
        let coordinator = try coordinator(kind) { question in
            asked.withLock { $0.append(question) }
            return "Token 7"
        }
        for path in ["/a", "/b"] {
            #expect(try await coordinator.data(for: ImageRequest(url: server.url(path))) == body)
        }
        #expect(server.statistics.requestsByPath == ["/a": 2, "/b": 1])
        let question = try #require(asked.withLock { $0.first })
        #expect(asked.withLock { $0.count } == 1)
        #expect(question.origin == "http://127.0.0.1:\(server.port)" && question.url == server.url("/a"))
        #expect(question.challenges == AuthenticationChallenge.challenges(in: challenge))
        #expect(question.challenges.first?.parameters["realm"] == "a")
    }

    /// Each origin gets its own credentials, and is asked for them in its own name.
    @Test(arguments: RealTransport.all)
    func redirectToAnotherOrigin_carriesOnlyItsCredentials(kind: RealTransport) async throws {
        let target = try server("Token target")
        let location = target.url("/b").absoluteString
        let source = try LoopbackServer { request in
            request.headers["Authorization"] == "Token source"
                ? .redirect(to: location) : .status(401, headers: ["WWW-Authenticate": "Token"])
        }
        let origins = Mutex<[String]>([])
        let (first, second) = ("http://127.0.0.1:\(source.port)", "http://127.0.0.1:\(target.port)")
        let coordinator = try coordinator(kind) { question in
            origins.withLock { $0.append(question.origin) }
            return question.origin == first ? "Token source" : "Token target"
        }
        #expect(try await coordinator.data(for: ImageRequest(url: source.url("/a"))) == body)
        #expect(origins.withLock { $0 } == [first, second])
        // Once without, once with credentials, and once more for the sake of the other origin.
        #expect(source.statistics.requests == 3 && target.statistics.requests == 2)
        // Now both are known.
        #expect(try await coordinator.data(for: ImageRequest(url: source.url("/c"))) == body)
        #expect(source.statistics.requests == 4 && target.statistics.requests == 3)
        #expect(origins.withLock { $0.count } == 2)
    }

    @Test(arguments: RealTransport.all)
    func originThatNeedsNone_getsNone(kind: RealTransport) async throws {
        let sent = Mutex<[String?]>([])
        let open = try LoopbackServer { [body] request in
            sent.withLock { $0.append(request.headers["Authorization"]) }
            return .bytes(body)
        }
        let location = open.url("/b").absoluteString
        let source = try LoopbackServer { request in
            request.headers["Authorization"] == nil ? .status(401) : .redirect(to: location)
        }
        let coordinator = try coordinator(kind) { _ in "Token 1" }
        #expect(try await coordinator.data(for: ImageRequest(url: source.url("/a"))) == body)
        #expect(sent.withLock { $0 } == [nil])
    }
}
