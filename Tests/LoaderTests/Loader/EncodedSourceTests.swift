import AlcedoTestSupport
import Foundation
import Testing

@testable import Alcedo
@testable import TestFixtures

/// Files for clients follow their source, their caller and its removal.
@Suite(.timeLimit(.minutes(1))) struct EncodedSourceTests {
    private let origin: ChangingOrigin
    private let fixture: LoaderFixture
    private let encoder = CountingEncoder()

    init() throws {
        origin = try ChangingOrigin()
        fixture = try origin.fixture()
    }

    private func loader(_ edit: (inout ImageLoader.Configuration) -> Void = { _ in }) -> ImageLoader {
        var configuration = fixture.configuration
        configuration.disk?.contents = .originals
        edit(&configuration)
        return ImageLoader(configuration, calls: fixture.calls)
    }

    private func request(_ edit: (inout ImageRequest) -> Void = { _ in }) throws -> ImageRequest {
        try .test("a.png") {
            $0.targetSize = PixelSize(width: 20, height: 20)
            edit(&$0)
        }
    }

    private func entries(_ loader: ImageLoader) async throws -> [DiskEntry] {
        await loader.flush()
        return try await #require(loader.diskCache).entries()
    }

    @Test func newVersion_withoutATag_replacesTheFile() async throws {
        origin.change { $0.hasTags = false }
        let loader = loader()
        let old = try await loader.encoded(for: request(), as: encoder)
        origin.pass(61)
        origin.change { $0.widths["/a.png"] = 44 }
        let new = try await loader.encoded(for: request(), as: encoder)
        #expect(new.data != old.data && new.head.etag != old.head.etag && encoder.count == 2)
        #expect(try await entries(loader).count == 1)
    }

    @Test func responseForOneRequestOnly_isAskedForAgain() async throws {
        origin.change { state in
            state.headers["Vary"] = "*"
            state.hasTags = false
        }
        let loader = loader()
        for count in 1...2 {
            _ = try await loader.encoded(for: request(), as: encoder)
            #expect(origin.requestCount == count)
        }
    }

    @Test func fieldsOfTheRequest_selectTheFile() async throws {
        origin.change { $0.headers["Vary"] = "Accept-Language" }
        let loader = loader()
        for language in ["de", "en", "de", "en"] {
            _ = try await loader.encoded(for: request { $0.headers["Accept-Language"] = language }, as: encoder)
        }
        #expect(origin.requestCount == 2 && encoder.count == 2)
    }

    @Test(arguments: [CacheSelection.tag("feed"), .prefix("http://host.test/")])
    func selection_removesTheFile(_ selection: CacheSelection) async throws {
        let loader = loader()
        _ = try await loader.encoded(for: request { $0.tags = ["feed"] }, as: encoder)
        #expect(try await entries(loader).count == 1)
        try await loader.remove(selection)
        #expect(try await entries(loader).isEmpty)
        _ = try await loader.encoded(for: request { $0.tags = ["feed"] }, as: encoder)
        #expect(origin.requestCount == 2)
    }

    @Test func callerThatLeavesInTheQueue_isNotServed() async throws {
        let loader = loader { $0.decode.maximumConcurrentDecodes = 1 }
        let (gate, gatekeeper) = (ThreadGate(), loader.path.decoding)
        let held = Task.detached { await gatekeeper.whenIdle { _ in gate.enter() } }
        await gate.arrivals(1)
        let waiting = Task { [request = try request(), encoder] in try await loader.encoded(for: request, as: encoder) }
        while gatekeeper.counts.waiting == 0 { await Task.yield() }
        waiting.cancel()
        await #expect(throws: ImageLoaderError.cancelled) { try await waiting.value }
        while gatekeeper.counts.waiting > 0 { await Task.yield() }
        gate.open()
        _ = await held.value
        #expect(encoder.count == 0)
    }
}
