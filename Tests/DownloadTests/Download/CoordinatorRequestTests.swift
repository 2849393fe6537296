import Alcedo
import AlcedoTestSupport
import Foundation
import Testing

@testable import TestFixtures

/// What is sent for a request, and which responses are accepted.
@Suite(.timeLimit(.minutes(1))) struct CoordinatorRequestTests {
    private let sent = Recorder<DataRequest>()

    private func makeFixture(
        _ answer: ScriptedDataLoader.Answer = .bytes(Data([1])),
        _ configure: (inout DownloadCoordinator.Settings) -> Void = { _ in }
    ) -> CoordinatorFixture {
        let transport = ScriptedDataLoader { [sent] request in
            sent.record(request)
            return answer
        }
        return CoordinatorFixture(transport, configure: configure)
    }

    /// The request that reaches the transport.
    private func send(_ request: ImageRequest, headers: HTTPHeaders = [:]) async throws -> DataRequest {
        _ = try await makeFixture { $0.headers = headers }.download(request).value
        return try #require(sent.values.last)
    }

    private func send(_ text: String) async throws -> DataRequest {
        try await send(ImageRequest(url: try #require(URL(string: text))))
    }

    @Test func requestHeaders_replaceTheLoadersHeaders() async throws {
        let request = try ImageRequest.test { $0.headers = ["ACCEPT": "image/png", "X-Own": "1"] }
        let headers = try await send(request, headers: ["Accept": "*/*", "X-All": "2"]).headers
        #expect(headers["Accept"] == "image/png")
        #expect(headers["X-Own"] == "1")
        #expect(headers["X-All"] == "2")
        #expect(try await send(.test(), headers: ["Accept": "*/*"]).headers["Accept"] == "*/*")
    }

    @Test func methodAndBody_areSent() async throws {
        let request = try ImageRequest.test {
            $0.method = .post
            $0.body = Data([7])
        }
        let data = try await send(request)
        #expect(data.method == .post)
        #expect(data.body == Data([7]))
    }

    @Test func credentials_areSentAsBasic() async throws {
        // The example of RFC 7617 section 2.
        let request = try ImageRequest.test { $0.credentials = .init(user: "Aladdin", password: "open sesame") }
        #expect(try await send(request).headers["Authorization"] == "Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ==")
    }

    @Test func credentialsInTheURL_areSentAsBasic_andRemovedFromTheURL() async throws {
        for (text, plain) in [
            ("http://us%40er:p%3Aw%20d@host.test/a?b=c", "us@er:p:w d"), ("http://user@host.test/a?b=c", "user:"),
            ("http://:word@host.test/a?b=c", ":word"), ("http://100%2525:b%2541@host.test/a?b=c", "100%25:b%41"),
        ] {
            let data = try await send(text)
            #expect(data.url.absoluteString == "http://host.test/a?b=c", "\(text)")
            #expect(data.headers["Authorization"] == "Basic \(Data(plain.utf8).base64EncodedString())", "\(text)")
        }
        let plain = try await send("http://host.test/@a")
        #expect(plain.url.absoluteString == "http://host.test/@a")
        #expect(plain.headers["Authorization"] == nil)
    }

    @Test func requestCredentials_replaceThoseOfTheURL() async throws {
        var request = ImageRequest(url: try #require(URL(string: "http://one:two@host.test/a")))
        request.credentials = .init(user: "three", password: "four")
        let data = try await send(request)
        #expect(data.headers["Authorization"] == "Basic \(Data("three:four".utf8).base64EncodedString())")
        #expect(data.url.absoluteString == "http://host.test/a")
    }

    @Test func reload_asksProxiesToBypassTheirCaches() async throws {
        let fields: [CacheReadPolicy: String] = [.reload: "no-cache", .revalidate: "max-age=0"]
        for policy in CacheReadPolicy.allCases where policy != .cachedOnly {
            let field = try await send(.test { $0.readPolicy = policy }).headers["Cache-Control"]
            #expect(field == fields[policy])
        }
        let own = try ImageRequest.test {
            $0.readPolicy = .reload
            $0.headers = ["cache-control": "max-age=5"]
        }
        #expect(try await send(own).headers["Cache-Control"] == "max-age=5")
    }

    @Test func invalidHeader_isRejected_andNothingIsSent() async throws {
        for (name, value) in [
            ("X-A", "a\r\nX-B: b"), ("X-A", "a\nb"), ("X-A", "a\rb"), ("X-A", "a\0b"), ("", "a"), ("X A", "a"),
            ("X:", "a"), ("Ä", "a"), ("X\r\nY", "a"),
        ] {
            let fixture = makeFixture()
            let request = try ImageRequest.test { $0.headers = [name: value] }
            await #expect(throws: ImageLoaderError.invalidHeader(name: name)) {
                try await fixture.download(request).value
            }
            // It is reported and counted like any other failure.
            #expect(await fixture.statistics.failed == 1)
            await fixture.untilEnded(1)
            let own = makeFixture { $0.headers = [name: value] }
            await #expect(throws: ImageLoaderError.invalidHeader(name: name)) { try await own.download().value }
        }
        #expect(sent.values.isEmpty)
    }

    /// The transport's own: with them, a server would see another request than the one that is sent.
    @Test(arguments: [
        "Content-Length", "Transfer-Encoding", "Connection", "Keep-Alive", "Proxy-Connection", "TE", "Trailer",
        "Upgrade", "Expect", "content-length", "TRANSFER-ENCODING", "tE",
    ])
    func fieldOfTheTransport_isRejected_andNothingIsSent(name: String) async throws {
        let fixtures = [
            makeFixture(), makeFixture { $0.headers = [name: "1"] },
            makeFixture { $0.prepare = RequestPreparation(id: "test") { $0.headers[name] = "1" } },
        ]
        let requests = [try ImageRequest.test { $0.headers = [name: "1"] }, try .test(), try .test()]
        for (fixture, request) in zip(fixtures, requests) {
            await #expect(throws: ImageLoaderError.invalidHeader(name: name)) {
                try await fixture.download(request).value
            }
        }
        var settings = DownloadCoordinator.Settings()
        settings.headers = [name: "1"]
        #expect(throws: ImageLoaderError.invalidHeader(name: name)) { try DownloadCoordinator(settings) }
        #expect(sent.values.isEmpty)
    }

    /// It names one host, and the loader's fields go to all.
    @Test(arguments: ["Host", "host"])
    func hostOfALoader_isRejected(name: String) async throws {
        let fixture = makeFixture { $0.headers = [name: "host.test"] }
        await #expect(throws: ImageLoaderError.invalidHeader(name: name)) { try await fixture.download().value }
        let own = try ImageRequest.test { $0.headers = [name: "virtual.test"] }
        #expect(try await send(own).headers["Host"] == "virtual.test")
        #expect(sent.values.count == 1)
    }

    @Test(arguments: ["", "GET ", "GET / HTTP/1.1\r\nX-Own:", "G\0T", "GËT"])
    func invalidMethod_isRejected_andNothingIsSent(name: String) async throws {
        let method = HTTPMethod(rawValue: name)
        let ofRequest = try ImageRequest.test { $0.method = method }
        let fixtures = [
            makeFixture(), makeFixture { $0.prepare = RequestPreparation(id: "test") { $0.method = method } },
        ]
        for (fixture, request) in zip(fixtures, [ofRequest, try .test()]) {
            let error = await #expect(throws: ImageLoaderError.self) { try await fixture.download(request).value }
            #expect(error?.kind == .unsupportedConfiguration)
        }
        #expect(sent.values.isEmpty)
    }

    @Test func requestWithARange_loadsTheRange_andIsNotResumed() async throws {
        let fixture = CoordinatorFixture()
        let request = try ImageRequest.test { $0.headers = ["range": "bytes=40-"] }
        let broken = fixture.download(request)
        let call = try await fixture.nextCall()
        try await fixture.begin(call, bytes: 10)
        call.fail(.timedOut(.idle))
        _ = await broken.result
        let caller = fixture.download(request)
        let next = try await fixture.nextCall()
        #expect(next.request.headers["Range"] == "bytes=40-")
        #expect(next.request.headers["If-Range"] == nil)
        fixture.goOn(next, from: 40)
        let download = try await caller.value
        #expect(download.head.status == 206)
        #expect(download.body == fixture.body.dropFirst(40))
    }

    // MARK: The response

    @Test func acceptedStatus_isConfigurable() async throws {
        let strict = makeFixture(.response(status: 203, body: Data([1]))) { $0.response.acceptedStatus = 200...200 }
        await #expect(throws: ImageLoaderError.badStatus(203)) { try await strict.download().value }
        let lenient = makeFixture(.response(status: 404, body: Data([1]))) { $0.response.acceptedStatus = 200...499 }
        #expect(try await lenient.download().value.head.status == 404)
    }

    @Test func contentTypes_areAnAllowList_ifConfigured() async throws {
        for (type, isTaken) in [
            ("image/png", true), ("IMAGE/JPEG; q=1", true), ("application/x-own", true), ("text/html", false),
            ("imagex/png", false), ("", false),
        ] {
            let answer = ScriptedDataLoader.Answer.bytes(
                Data([1]), headers: type.isEmpty ? [:] : ["Content-Type": type])
            let fixture = makeFixture(answer) { $0.response.contentTypes = ["image/*", "Application/X-Own"] }
            if isTaken {
                _ = try await fixture.download().value
            } else {
                await #expect(throws: ImageLoaderError.contentTypeRefused(type)) { try await fixture.download().value }
            }
        }
    }

    @Test func largeHead_isRejected() async throws {
        // "A: " with its value and the line end has 104 bytes.
        let answer = ScriptedDataLoader.Answer.bytes(Data([1]), headers: ["A": String(repeating: "a", count: 99)])
        _ = try await makeFixture(answer) { $0.response.maximumHeaderBytes = 104 }.download().value
        let fixture = makeFixture(answer) { $0.response.maximumHeaderBytes = 103 }
        await #expect(throws: ImageLoaderError.limitExceeded(.headerBytes, value: 104, allowed: 103)) {
            try await fixture.download().value
        }
    }

    @Test func largeHead_isRejected_whenResuming() async throws {
        let fixture = CoordinatorFixture { $0.response.maximumHeaderBytes = 1000 }
        let first = try fixture.download()
        let call = try await fixture.nextCall()
        try await fixture.begin(call, bytes: 40)
        call.fail(.timedOut(.idle))
        _ = await first.result
        let second = try fixture.download()
        fixture.goOn(try await fixture.nextCall(), from: 40, filler: 1000)
        let error = await #expect(throws: ImageLoaderError.self) { try await second.value }
        guard case .limitExceeded(.headerBytes, _, 1000) = error else { return must(false, "\(error as Any)") }
    }

    @Test func largeBody_isRejected_announcedOrNot() async throws {
        for announced in [5, nil] {
            let answer = ScriptedDataLoader.Answer.response(
                status: 200, headers: [:], body: Data(repeating: 1, count: 5), expectedBytes: announced)
            let fixture = makeFixture(answer) { $0.response.maximumBytes = 4 }
            await #expect(throws: ImageLoaderError.limitExceeded(.inputBytes, value: 5, allowed: 4)) {
                try await fixture.download().value
            }
        }
    }
}
