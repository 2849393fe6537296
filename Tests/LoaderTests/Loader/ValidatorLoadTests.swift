import Alcedo
import AlcedoTestSupport
import Foundation
import Testing

@testable import TestFixtures

/// Validators that real servers and transports make of what they are sent.
@Suite(.timeLimit(.minutes(1))) struct ValidatorLoadTests {
    private let server: LoopbackServer
    private let temporary: TemporaryDirectory
    private let png: Data

    init() throws {
        server = try LoopbackServer()
        temporary = try TemporaryDirectory()
        png = try Pictures.png(40, 30)
    }

    private func loader(_ kind: RealTransport) -> ImageLoader {
        var configuration = ImageLoader.Configuration()
        configuration.dataLoader = kind.make(TransportSettings())
        configuration.download.retry = .none
        configuration.download.failureLifetimes = .none
        configuration.memory.maximumBytes = 0
        configuration.disk = .init(directory: temporary.url.appendingPathComponent("cache"))
        return ImageLoader(configuration)
    }

    /// The picture with one more line in its head, of any bytes.
    private func picture(_ line: [UInt8]) -> LoopbackServer.Reply {
        let head = "HTTP/1.1 200 OK\r\nContent-Length: \(png.count)\r\nCache-Control: no-cache\r\n"
        return .raw(Data(head.utf8) + Data(line) + Data("\r\n\r\n".utf8) + png)
    }

    /// Whether a loader has stored the response. A transport may refuse its head.
    private func isTaken(_ request: ImageRequest, by loader: ImageLoader) async throws -> Bool {
        do {
            _ = try await loader.image(for: request)
        } catch {
            if error.kind == .malformedResponse { return false }
            throw error
        }
        await loader.flush()
        return true
    }

    /// A server that healed is asked for the whole image.
    @Test(
        arguments: RealTransport.all,
        ["ETag: \"a\rb\"", "Last-Modified: Wed, 21 Oct 2015 07:28:00 GMT\rx", "ETag: \"a\u{1}b\""])
    func validatorThatCannotBeSent_isNoObstacle(kind: RealTransport, line: String) async throws {
        let request = ImageRequest(url: server.url("/a"))
        server.enqueue(picture(Array(line.utf8)), for: "/a")
        guard try await isTaken(request, by: loader(kind)) else { return }
        server.enqueue(.bytes(png), for: "/a")
        #expect(try await loader(kind).response(for: request).source == .network)
        #expect(server.statistics.requests == 2)
    }

    /// The server sends a longer line than it takes.
    @Test(arguments: RealTransport.all, ["ETag", "Last-Modified"])
    func longValidator_isNoObstacle(kind: RealTransport, name: String) async throws {
        let request = ImageRequest(url: server.url("/a"))
        server.enqueue(picture(Array("\(name): \"\(String(repeating: "a", count: 20_000))\"".utf8)), for: "/a")
        #expect(try await isTaken(request, by: loader(kind)))
        let load = Task { [loader = loader(kind)] in try await loader.response(for: request).source }
        let exchange = try await server.nextRequest()
        let isTaken = exchange.request.headers.allSatisfy { $0.bytes.count < 8_000 }
        exchange.reply(isTaken ? .bytes(png) : .status(431))
        #expect(try await load.value == .network)
    }

    /// Tags of Latin-1, of UTF-8, and of bytes that are neither.
    private static let tags: [[UInt8]] = [
        [0x22, 0xE9, 0x22], [0x22, 0xC3, 0xA9, 0x22], [0x22, 0xFF, 0xC3, 0x22], [0x57, 0x2F, 0x22, 0x80, 0x22],
    ]

    /// A tag goes to the disk and back to its server as it came.
    @Test(arguments: tags)
    func tagOfAnyBytes_isSentBackAsItCame(tag: [UInt8]) async throws {
        for kind in RealTransport.curl {
            let request = ImageRequest(url: server.url("/a"))
            server.enqueue(picture(Array("ETag: ".utf8) + tag), for: "/a")
            let first = loader(kind)
            _ = try await first.image(for: request)
            await first.flush()
            for _ in 0..<2 {
                let load = Task { try await loader(kind).response(for: request).source }
                let exchange = try await server.nextRequest()
                let field = exchange.request.headers.first { $0.name == "If-None-Match" }
                #expect(field?.bytes == tag)
                let head = "HTTP/1.1 304 Not Modified\r\nCache-Control: no-cache\r\nETag: "
                exchange.reply(.raw(Data(head.utf8) + Data(tag) + Data("\r\n\r\n".utf8)))
                #expect(try await load.value == .disk)
            }
        }
    }

    /// URLSession has no way to send other bytes than UTF-8, and may not be able to read them.
    @Test(arguments: RealTransport.all, tags)
    func tagThatURLSessionCannotSend_isNoObstacle(kind: RealTransport, tag: [UInt8]) async throws {
        let request = ImageRequest(url: server.url("/a"))
        server.enqueue(picture(Array("ETag: ".utf8) + tag), for: "/a")
        guard try await isTaken(request, by: loader(kind)) else { return }
        let load = Task { [loader = loader(.urlSession)] in try await loader.response(for: request).source }
        let exchange = try await server.nextRequest()
        let sent = exchange.request.headers.first { $0.name == "If-None-Match" }
        #expect(sent == nil || sent?.bytes == tag)
        exchange.reply(.bytes(png))
        #expect(try await load.value == .network)
    }
}
