import Alcedo
import AlcedoTestSupport
import Foundation
import Testing

@testable import TestFixtures

/// The head of the response that an image was made from.
@Suite(.timeLimit(.minutes(1))) struct ImageHeadTests {
    private let fixture: LoaderFixture
    private let png: Data

    init() throws {
        let png = try Pictures.png(40, 30)
        self.png = png
        fixture = try LoaderFixture(
            ScriptedDataLoader { request in
                if request.url.path == "/gone" { return .status(404) }
                return .bytes(
                    png,
                    headers: [
                        "ETag": "\"v1\"", "Cache-Control": "private, max-age=600", "Vary": "Accept",
                        "Set-Cookie": "a=b", "Connection": "keep-alive",
                    ])
            })
    }

    private func check(_ response: ImageResponse?, _ source: ImageSource, _ url: URL?) throws {
        let response = try #require(response)
        let head = try #require(response.head)
        #expect(response.source == source && head.status == 200 && head.url == url)
        #expect(head.headers["ETag"] == "\"v1\"" && head.headers["Cache-Control"] == "private, max-age=600")
        #expect(head.headers["Vary"] == "Accept")
        #expect(head.headers["Set-Cookie"] == nil && head.headers["Connection"] == nil)
        #expect((head.headers["Age"] == nil) == (source == .network))
    }

    @Test(arguments: [false, true]) func head_isThatOfTheServer_fromAnyCache(isProcessed: Bool) async throws {
        var request = ImageRequest(url: try .test("a"))
        if isProcessed { request.processors = [.gray(), .flip(.horizontal)] }
        let loader = fixture.makeLoader()
        try check(try await loader.response(for: request), .network, request.url)
        try check(try await loader.response(for: request), .memory, request.url)
        try check(loader.memoryResponse(for: request), .memory, request.url)
        try check(loader.cachedResponse(for: request), .memory, request.url)
        try check(try await loader.imageTask(for: request).value, .memory, request.url)
        await loader.close()
        try check(try await fixture.makeLoader().response(for: request), .disk, request.url)
    }

    /// The input of the last processor is in memory.
    @Test func head_goesOnToWhatIsMade() async throws {
        var request = ImageRequest(url: try .test("a"))
        let loader = fixture.makeLoader()
        _ = try await loader.image(for: request)
        request.processors = [.gray()]
        try check(try await loader.response(for: request), .memory, request.url)
        try check(loader.cachedResponse(for: request), .memory, request.url)
    }

    @Test func head_ofAFallback_hasItsURL() async throws {
        var request = ImageRequest(url: try .test("gone"))
        request.fallbacks = [try .test("b")]
        let loader = fixture.makeLoader()
        try check(try await loader.response(for: request), .network, request.fallbacks.first)
        try check(try await loader.response(for: request), .memory, request.fallbacks.first)
    }

    @Test func imageWithoutAServer_hasNone() async throws {
        let response = try await fixture.makeLoader().response(for: ImageRequest(data: png, id: "a"))
        #expect(response.head == nil && response.freshness == nil)
    }
}
