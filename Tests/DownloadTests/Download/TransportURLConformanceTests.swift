import Alcedo
import AlcedoTestSupport
import Foundation
import Testing

@testable import TestFixtures

/// What the server sees of a URL.
@Suite(.timeLimit(.minutes(1))) struct TransportURLConformanceTests {
    private let server: LoopbackServer
    private let targets = Recorder<String>()
    private let body = Data("body".utf8)

    init() throws {
        server = try LoopbackServer { [targets, body] request in
            targets.record(request.target)
            return .bytes(body)
        }
    }

    /// A signature may cover the text of a URL.
    private static let written = [
        "/%6B%7e%2F%2f%41/~k/A%25zz", "/a'b(c)!$*,;=:@&+d?x=%41&y='z'&&=?/:@",
        "/%E9%c3%a9?%E9", "//a//b/", "/.a/..b/c../...", "/a/%2e%2e%2Fb", "/a?/../b/./c", "/?", "/a?b=http://h/../c",
    ]

    @Test(arguments: RealTransport.all, written)
    func escapesAndPath_areSentAsWritten(kind: RealTransport, path: String) async throws {
        let url = try #require(URL(string: "http://127.0.0.1:\(server.port)\(path)"))
        let client = TransportClient(transport: kind.make(TransportSettings()), server: server)
        #expect(try await client.download { $0.url = url }.body == body)
        let withUser = try #require(URL(string: "http://u%40:p@127.0.0.1:\(server.port)\(path)#f"))
        #expect(try await client.download { $0.url = withUser }.body == body)
        server.enqueue(.redirect(to: url.absoluteString), for: "/start")
        #expect(try await client.download("/start").body == body)
        #expect(targets.values == [path, path, path])
    }

    @Test(arguments: RealTransport.all)
    func otherCharacters_areEncoded_inRequestsAndRedirects(kind: RealTransport) async throws {
        let client = TransportClient(transport: kind.make(TransportSettings()), server: server)
        for (text, target) in [
            ("/a b[1]|2.png?f={x}", "/a%20b%5B1%5D%7C2.png?f=%7Bx%7D"),
            ("/100%.png", "/100%25.png"), ("/a/../b\\c\"", "/b/c%22"), ("/a\t/%2e/b ", "/a/b"),
        ] {
            let request = try ImageRequest("HTTP://LOCALHOST:\(server.port)\(text)")
            let url = try #require(request.url)
            #expect(try await client.download { $0.url = url }.body == body)
            server.enqueue(.redirect(to: text), for: "/start")
            #expect(try await client.download("/start").head.url == server.url(target))
            #expect(targets.takeAll() == [target, target])
        }
    }

    /// A transport is given the form that the checks have seen, whoever sets the URL.
    @Test func urlOfARequest_isInNormalForm() throws {
        var request = DataRequest(url: try #require(URL(string: "HTTP://Host.test:80/a/../b")))
        #expect(request.url.absoluteString == "http://host.test/b")
        request.url = try #require(URL(string: "http://127.1"))
        #expect(request.url.absoluteString == "http://127.0.0.1/")
        request.url = try #require(URL(string: "FTP://Host.test/"))
        #expect(request.url.absoluteString == "FTP://Host.test/")
    }
}
