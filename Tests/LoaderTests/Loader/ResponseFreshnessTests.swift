import AlcedoTestSupport
import Foundation
import Testing

@testable import Alcedo
@testable import TestFixtures

/// How long a response may be used goes with its picture, wherever that is kept.
@Suite(.timeLimit(.minutes(1))) struct ResponseFreshnessTests {
    private let fixture: LoaderFixture

    init() throws {
        let png = try Pictures.png(40, 30)
        fixture = try LoaderFixture(
            ScriptedDataLoader { request in
                switch request.url.path {
                case "/hour": .bytes(png, headers: ["Cache-Control": "max-age=3600"])
                case "/old": .bytes(png, headers: ["Cache-Control": "max-age=3600", "Age": "7200"])
                default: .bytes(png)
                }
            })
    }

    private func loader(_ contents: DiskContents = .originals) -> ImageLoader {
        var configuration = fixture.configuration
        configuration.disk?.contents = contents
        return ImageLoader(configuration, calls: fixture.calls)
    }

    private func request(_ name: String, side: Int? = nil) throws -> ImageRequest {
        try .test(name) { $0.targetSize = side.map { PixelSize(width: $0, height: $0) } }
    }

    @Test(arguments: [DiskContents.originals, .processed, .both], [nil, 20])
    func freshness_isReported_byNetworkMemoryAndDisk(contents: DiskContents, side: Int?) async throws {
        let before = Date()
        let first = loader(contents)
        for name in ["hour", "old", "silent"] {
            let request = try request(name, side: side)
            let come = try await first.response(for: request)
            #expect(come.source == .network)
            switch name {
            case "hour":
                let end = try #require(come.freshness?.end)
                // Whole seconds, of a clock that is some milliseconds late.
                #expect((before + 3598...Date() + 3601).contains(end) && come.freshness?.isFresh(at: .now) == true)
            case "old": #expect(come.freshness?.isFresh(at: .now) == false)
            default: #expect(come.freshness?.basis == .assumed && come.freshness?.lifetime == .seconds(3600))
            }
            // A stale image is used in memory while it was validated a short while ago.
            for _ in 0..<2 {
                let kept = try await first.response(for: request)
                #expect(kept.source == .memory && kept.freshness == come.freshness)
            }
            await first.flush()
            #expect(
                await first.diskCache?.entries().filter { $0.url.hasSuffix(name) }.allSatisfy {
                    $0.freshness == come.freshness
                } == true)
            let second = loader(contents)
            for source in [name == "old" ? ImageSource.network : .disk, .memory] {
                let found = try await second.response(for: request)
                #expect(found.source == source)
                if name != "old" { #expect(found.freshness == come.freshness) }
            }
        }
    }

    @Test func largerAndEvictedImages_reportFreshness() async throws {
        let loader = loader()
        let large = try await loader.response(for: request("hour"))
        #expect(large.freshness != nil)
        var smaller = try request("hour", side: 20)
        smaller.precision = .atLeast
        #expect(try await loader.response(for: smaller).freshness == large.freshness)
        await loader.memoryCache.trim(toBytes: 0)
        let again = try await loader.response(for: request("hour"))
        #expect(again.source == .memory && again.freshness == large.freshness)
        #expect(try await loader.response(for: request("hour")).freshness == large.freshness)
        withExtendedLifetime(large) {}
    }

    @Test func localImage_hasNoFreshness() async throws {
        let loader = loader()
        try await loader.store(DecodedImage(bitmap: Pictures.plain(3, 2)), for: request("hour"), in: .all)
        #expect(try await loader.response(for: request("hour")).freshness == nil)
        let file = fixture.temporary.url.appendingPathComponent("a.png")
        try Pictures.png(3, 2).write(to: file)
        #expect(try await loader.response(for: ImageRequest(url: file)).freshness == nil)
        await loader.flush()
        let entry = try #require(await loader.diskEntry(for: request("hour")))
        #expect(entry.freshness == nil)
    }

    @Test func staleImage_isFound_andCanBeRemoved() async throws {
        let loader = loader()
        for name in ["hour", "old"] { _ = try await loader.image(for: request(name)) }
        #expect(try await loader.response(for: request("old")).source == .memory)
        let removed = await loader.memoryCache.remove { $0.freshness?.isFresh(at: .now) == false }
        #expect(removed == 1)
        #expect(try ["hour", "old"].map { loader.cachedImage(for: try request($0)) != nil } == [true, false])
    }

    /// The age that another cache tells is older by the time the request took; not by that of the body.
    @Test func timeToHead_isSubtracted() async throws {
        let transport = ScriptedDataLoader()
        let clock = Recorder<Int64>()
        clock.record(1_000)
        let coordinator = DownloadCoordinator(
            loader: transport, time: TimeSource(ManualClock()) { clock.values.last ?? 0 })
        let download = Task { try await coordinator.download(ImageRequest.test("a")) }
        let call = try await transport.nextCall()
        clock.record(1_007)
        call.respond(headers: ["Cache-Control": "max-age=60", "Age": "10"])
        call.send(try Pictures.png(40, 30))
        try await call.delivered()
        clock.record(2_000)
        call.finish()
        #expect(try await download.value.freshness.endSecond == 1_007 + 60 - 17)
    }
}
