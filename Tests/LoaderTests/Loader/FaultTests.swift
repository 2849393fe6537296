import Alcedo
import AlcedoTestSupport
import Foundation
import Testing

@testable import TestFixtures

/// What servers and networks do wrong, through a whole loader over each transport: a typed error, and nothing kept.
@Suite(.timeLimit(.minutes(1))) struct FaultTests {
    typealias Reply = LoopbackServer.Reply

    /// A fault and what it is told as.
    struct Fault: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let reply: Reply
        let matches: @Sendable (ImageLoaderError) -> Bool

        init(_ name: String, _ reply: Reply, _ matches: @escaping @Sendable (ImageLoaderError) -> Bool) {
            testDescription = name
            self.reply = reply
            self.matches = matches
        }
    }

    /// Empty when it can't be made, which fails every test.
    private static let png = (try? Pictures.png(40, 40)) ?? Data()

    private static let faults: [Fault] = [
        Fault("reset before the head", .bytes(png).resetting(.beforeHead)) {
            if case .connectionFailed(.lost, _) = $0 { true } else { false }
        },
        Fault("reset in the body", .bytes(png).resetting(.afterBytes(20))) {
            if case .connectionFailed(.lost, _) = $0 { true } else { false }
        },
        Fault("body shorter than its length", .bytes(png).truncating(.afterBytes(20))) {
            $0 == .truncated(received: 20, expected: png.count)
        },
        Fault("chunked body cut", .bytes(png).chunked(10).truncating(.afterBytes(20))) {
            switch $0 {
            case .truncated, .connectionFailed(.lost, _), .malformedResponse: true
            default: false
            }
        },
        Fault("body cut where only the close tells its end", .bytes(png.prefix(60)).withoutLength()) {
            if case .corruptImage(.png, _) = $0 { true } else { false }
        },
        Fault("garbage for a status line", .raw(Data("GARBAGE GARBAGE\r\n\r\n".utf8))) {
            if case .malformedResponse = $0 { true } else { false }
        },
        Fault("100 KB of fields", longHead) {
            if case .limitExceeded(.headerBytes, _, 65_536) = $0 { true } else { false }
        },
        Fault("redirect to itself", .redirect(to: "/a.png")) {
            $0 == .limitExceeded(.redirects, value: 11, allowed: 10)
        },
        Fault("redirect to a file", .redirect(to: "file:///etc/passwd")) {
            if case .redirectRefused("file:///etc/passwd", _) = $0 { true } else { false }
        },
        Fault("redirect to a data URL", .redirect(to: "data:image/png;base64,AAAA")) {
            if case .redirectRefused = $0 { true } else { false }
        },
        Fault("401 with a challenge", .status(401).header("WWW-Authenticate", "Basic realm=\"x\"")) {
            $0 == .badStatus(401)
        },
        Fault("304 that nobody asked for", .status(304)) { $0 == .badStatus(304) },
        Fault("206 that nobody asked for", Reply(status: 206, body: png)) {
            if case .malformedResponse = $0 { true } else { false }
        },
        Fault("a page in place of a picture", .bytes(Data("<html></html>".utf8), contentType: "image/png")) {
            if case .notAnImage = $0 { true } else { false }
        },
        Fault("no byte at all", .bytes(Data())) { $0 == .emptyBody },
        Fault("two compressing codings", .bytes(png).header("Content-Encoding", "gzip, gzip")) {
            if case .malformedResponse = $0 { true } else { false }
        },
    ]

    private static var longHead: Reply {
        (0..<100).reduce(Reply.bytes(png)) { reply, number in
            reply.header("X-Field-\(number)", String(repeating: "x", count: 1_000))
        }
    }

    private func configuration(_ transport: RealTransport, in directory: TemporaryDirectory)
        -> ImageLoader.Configuration
    {
        var configuration = ImageLoader.Configuration()
        configuration.disk = .init(directory: directory.url.appending(path: "cache"))
        configuration.dataLoader = transport.make(TransportSettings())
        configuration.download.retry = .none
        configuration.download.idleTimeout = .seconds(3_600)
        return configuration
    }

    /// The error of a load, of which nothing may be left.
    private func error(
        of url: URL, _ transport: RealTransport, _ adjust: (inout ImageLoader.Configuration) -> Void = { _ in }
    ) async throws -> ImageLoaderError? {
        let directory = try TemporaryDirectory()
        var configuration = configuration(transport, in: directory)
        adjust(&configuration)
        let loader = ImageLoader(configuration)
        let request = ImageRequest(url: url)
        let error = await #expect(throws: ImageLoaderError.self) { try await loader.image(for: request) }
        await loader.flush()
        #expect(loader.cachedImage(for: request) == nil)
        let kept = FileManager.default.enumerator(atPath: directory.file("cache"))?.compactMap { $0 as? String } ?? []
        #expect(kept.filter { $0.contains("/") } == [])
        return error
    }

    @Test(arguments: RealTransport.all, faults)
    func fault_isReported_andNothingIsStored(transport: RealTransport, fault: Fault) async throws {
        let server = try LoopbackServer { _ in fault.reply }
        let error = try await error(of: server.url("/a.png"), transport)
        #expect(error.map(fault.matches) == true, "\(error.map { "\($0)" } ?? "no error")")
    }

    @Test(arguments: RealTransport.all)
    func silenceAfterHead_endsWithIdleTime(transport: RealTransport) async throws {
        for position in [Reply.Position.beforeHead, .afterHead, .afterBytes(20)] {
            let server = try LoopbackServer { _ in .bytes(Self.png).stalling(position) }
            let error = try await error(of: server.url("/a.png"), transport) {
                $0.download.idleTimeout = .milliseconds(300)
            }
            #expect(error == .timedOut(.idle))
        }
    }

    @Test(arguments: RealTransport.all)
    func endlessDrip_endsWithTotalTimeout(transport: RealTransport) async throws {
        let server = try LoopbackServer { _ in .bytes(Self.png).dripping(1, every: .milliseconds(50)) }
        let error = try await error(of: server.url("/a.png"), transport) {
            $0.download.totalTimeout = .milliseconds(400)
        }
        #expect(error == .timedOut(.total))
    }

    @Test(arguments: RealTransport.all)
    func portWithoutServer_isReported(transport: RealTransport) async throws {
        let port = try RefusingPort()
        let error = try await error(of: port.url("/a.png"), transport)
        if case .connectionFailed(.refused, _) = error {} else { Issue.record("\(String(describing: error))") }
    }

    @Test(arguments: RealTransport.all)
    func credentials_areSent_andWrongOnesReported(transport: RealTransport) async throws {
        let server = try LoopbackServer { request in
            request.headers["authorization"] == "Basic " + Data("us:pw".utf8).base64EncodedString()
                ? .bytes(Self.png) : .status(401).header("WWW-Authenticate", "Basic realm=\"x\"")
        }
        let directory = try TemporaryDirectory()
        let loader = ImageLoader(configuration(transport, in: directory))
        var request = ImageRequest(url: server.url("/a.png"))
        request.credentials = .init(user: "us", password: "wrong")
        await #expect(throws: ImageLoaderError.badStatus(401)) { try await loader.image(for: request) }
        request.credentials?.password = "pw"
        #expect(try await loader.image(for: request).size == PixelSize(width: 40, height: 40))
    }

    // MARK: Certificates

    /// Where the transport can be told to trust who signed it, that is not what is wrong with it.
    @Test(arguments: RealTransport.all, [TestCertificates.Kind.expired, .selfSigned, .wrongHost])
    func invalidCertificate_isReported(transport: RealTransport, kind: TestCertificates.Kind) async throws {
        let server = try TLSServer(files: ["a.png": Self.png], certificate: kind)
        let error = try await error(of: server.url("/a.png"), transport) {
            $0.dataLoader = transport.make(settings(transport, trusting: server))
        }
        if case .connectionFailed(.insecure, _) = error {} else { Issue.record("\(String(describing: error))") }
    }

    /// What the test above refuses is the kind alone.
    @Test(arguments: RealTransport.all.filter(\.keepsTrust))
    func trustedCertificate_isAccepted(transport: RealTransport) async throws {
        let server = try TLSServer(files: ["a.png": Self.png])
        let directory = try TemporaryDirectory()
        var configuration = configuration(transport, in: directory)
        configuration.dataLoader = transport.make(settings(transport, trusting: server))
        let image = try await ImageLoader(configuration).image(for: server.url("/a.png"))
        #expect(image.size == PixelSize(width: 40, height: 40))
    }

    private func settings(_ transport: RealTransport, trusting server: TLSServer) -> TransportSettings {
        var settings = TransportSettings()
        if transport.keepsTrust { settings.authorities = server.authority }
        return settings
    }

    // MARK: Codings

    /// A PNG of 200 by 200 pixels in 120,278 bytes, which are 488 in this coding.
    private static let coded =
        Data(
            base64Encoded: "H4sIAAAAAAACA+3UsQ0BUQDH4XdCIpLrVEqVFehwwjUiQk9lBDqiYggLKAxgAgYwhx4JJzGChnyX790Vr/vn"
                + "l9sO+t24VCmFEOK0lwyz7+l9irnsXW3UzyG67NKkOVpE4f7MZze1MnydsBAWwkJYVkBYCAthgbAQFsICYSEshAXCQlgI"
                + "C4SFsBAWCAthISwQFsJCWCAshIWwQFgIC2GBsBAWwgJhISyEBcJCWAgLhIWwEBYIC2EhLBAWwkJYICyEhbBAWAgLYYGw"
                + "EBbCAmEhLIQFwkJYCAuEhbAQFggLYSEsEBbCQlggLISFsEBYCAthgbAQFsICYSEshAXCQlgIC2FZAWEhLIQFwkJYCAuE"
                + "hbAQFggLYSEsEBbCQlggLISFsEBY/FJYobC6LY2D3xbCQlggLISFsEBYCAthgbAQFsICYSEshAXCQlgIC4SFsBAWCAth"
                + "ISwQFsJCWCAshIWwQFgIC2GBsBAWwgJhISyEBcJCWAgLhIWwEBYIC2EhLBAWwkJYICyEhbD4iDbj+d4M6kJYCAthmQBh"
                + "ISyEBcJCWAgLhIWwEBYIC2EhLBAWwkJYICyEhbBAWAgLYYGwEBbCAmEhLIQFwkJYCAuEhbD4d/vesX19TGche9JOPzm0"
                + "JusXvPd1GNbVAQA=") ?? Data()

    private static let codedReply = Reply.bytes(coded, contentType: "image/png").header("Content-Encoding", "gzip")

    @Test(arguments: RealTransport.all)
    func codedImage_isStoredDecoded(transport: RealTransport) async throws {
        let server = try LoopbackServer { _ in Self.codedReply }
        let directory = try TemporaryDirectory()
        let loader = ImageLoader(configuration(transport, in: directory))
        let request = ImageRequest(url: server.url("/a.png"))
        #expect(try await loader.image(for: request).size == PixelSize(width: 200, height: 200))
        await loader.flush()
        let kept = try await loader.data(for: request)
        #expect(kept.count == 120_278 && kept.starts(with: [0x89, 0x50, 0x4E, 0x47]))
        #expect(server.statistics.requests == 1)
    }

    @Test(arguments: RealTransport.all)
    func bodyLimit_appliesToDecodedBytes(transport: RealTransport) async throws {
        let server = try LoopbackServer { _ in Self.codedReply }
        let error = try await error(of: server.url("/a.png"), transport) { $0.download.response.maximumBytes = 120_277 }
        guard case .limitExceeded(.inputBytes, let value, 120_277) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(value > 120_277)
    }

    @Test(arguments: RealTransport.all)
    func brokenCodedImage_isRetriedFromTheStart(transport: RealTransport) async throws {
        let server = try LoopbackServer()
        let resumable = Self.codedReply.header("ETag", "\"1\"").header("Accept-Ranges", "bytes")
        let directory = try TemporaryDirectory()
        let loader = ImageLoader(retrying(transport, in: directory))
        let load = Task { try await loader.image(for: server.url("/a.png")) }
        (try await server.nextRequest()).reply(resumable.truncating(.afterBytes(400)))
        let second = try await server.nextRequest()
        #expect(second.request.headers["range"] == nil && second.request.headers["if-range"] == nil)
        second.reply(resumable)
        #expect(try await load.value.size == PixelSize(width: 200, height: 200))
        #expect(await loader.downloads.statistics.resumed == 0)
    }

    // MARK: Continuing

    private func retrying(_ transport: RealTransport, in directory: TemporaryDirectory) -> ImageLoader.Configuration {
        var configuration = configuration(transport, in: directory)
        configuration.download.retry = .atOnce()
        return configuration
    }

    private static func resource(for exchange: LoopbackServer.Exchange) -> Reply {
        .resource(png, contentType: "image/png", etag: "\"1\"", for: exchange.request)
    }

    /// The retry asks for what is missing only, and the picture is the whole one.
    @Test(arguments: RealTransport.all)
    func brokenBody_isContinued(transport: RealTransport) async throws {
        let server = try LoopbackServer()
        let directory = try TemporaryDirectory()
        let loader = ImageLoader(retrying(transport, in: directory))
        let load = Task { try await loader.image(for: server.url("/a.png")) }
        let first = try await server.nextRequest()
        #expect(first.request.headers["range"] == nil)
        first.reply(Self.resource(for: first).truncating(.afterBytes(50)))
        let second = try await server.nextRequest()
        #expect(second.request.headers["range"] == "bytes=50-")
        #expect(second.request.headers["if-range"] == "\"1\"")
        second.reply(Self.resource(for: second))
        #expect(try await load.value.size == PixelSize(width: 40, height: 40))
        #expect(await loader.downloads.statistics.resumed == 1)
        #expect(try await loader.data(for: ImageRequest(url: server.url("/a.png"))) == Self.png)
    }

    /// Another part than was asked for: begins before or after it, is of another whole, or does not say what it is.
    private static let wrongParts: [Reply] = [
        part(from: 49), part(from: 51), part(from: 50, of: png.count + 1), part(from: 50, etag: "\"2\""),
        Reply(status: 206, headers: ["ETag": "\"1\""], body: png.dropFirst(50)),
    ]

    private static func part(from start: Int, of total: Int = png.count, etag: String = "\"1\"") -> Reply {
        let range = "bytes \(start)-\(png.count - 1)/\(total)"
        return Reply(status: 206, headers: ["ETag": etag, "Content-Range": range], body: png.dropFirst(start))
    }

    /// Nothing of a wrong part is taken: the whole is asked for, and is the picture.
    @Test(arguments: RealTransport.all, wrongParts)
    func wrongPart_isDropped(transport: RealTransport, part: Reply) async throws {
        let server = try LoopbackServer()
        let directory = try TemporaryDirectory()
        let loader = ImageLoader(retrying(transport, in: directory))
        let request = ImageRequest(url: server.url("/a.png"))
        let load = Task { try await loader.image(for: request) }
        let first = try await server.nextRequest()
        first.reply(Self.resource(for: first).truncating(.afterBytes(50)))
        let second = try await server.nextRequest()
        #expect(second.request.headers["range"] == "bytes=50-")
        second.reply(part)
        let third = try await server.nextRequest()
        #expect(third.request.headers["range"] == nil)
        third.reply(Self.resource(for: third))
        #expect(try await load.value.size == PixelSize(width: 40, height: 40))
        await loader.flush()
        #expect(try await loader.data(for: request) == Self.png)
        #expect(server.statistics.requests == 3)
    }

    /// A server that goes on like that is told.
    @Test(arguments: RealTransport.all, wrongParts)
    func repeatedWrongPart_isReported(transport: RealTransport, part: Reply) async throws {
        let server = try LoopbackServer { _ in part }
        server.enqueue(
            Reply.bytes(Self.png, contentType: "image/png").header("ETag", "\"1\"").header("Accept-Ranges", "bytes")
                .truncating(.afterBytes(50)))
        let error = try await error(of: server.url("/a.png"), transport) { $0.download.retry = .atOnce() }
        if case .malformedResponse = error {} else { Issue.record("\(String(describing: error))") }
        #expect(server.statistics.requests == 3)
    }
}
