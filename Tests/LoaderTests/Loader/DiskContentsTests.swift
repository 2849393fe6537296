import Alcedo
import AlcedoTestSupport
import Foundation
import Testing

@testable import TestFixtures

/// What a loader keeps on disk of the pictures it makes, and finds there.
@Suite(.timeLimit(.minutes(1))) struct DiskContentsTests {
    private var fixture: LoaderFixture

    init() throws {
        let picture = try Pictures.png(80, 60)
        fixture = try LoaderFixture(ScriptedDataLoader { _ in .bytes(picture) })
    }

    private func request(_ width: Int, _ change: (inout ImageRequest) -> Void = { _ in }) throws -> ImageRequest {
        try .test {
            $0.targetSize = PixelSize(width: width, height: width)
            change(&$0)
        }
    }

    private func loader(_ contents: DiskContents) -> ImageLoader {
        var configuration = fixture.configuration
        configuration.disk?.contents = contents
        return ImageLoader(configuration, calls: fixture.calls)
    }

    private func isCached(_ request: ImageRequest, _ contents: DiskContents) async throws -> Bool {
        do {
            _ = try await loader(contents).image(
                for: {
                    var only = request; only.readPolicy = .cachedOnly; return only
                }())
            return true
        } catch ImageLoaderError.notCached {
            return false
        }
    }

    private func entries(_ loader: ImageLoader) async -> [DiskEntry] {
        await loader.flush()
        return await loader.diskCache?.entries() ?? []
    }

    @Test(arguments: DiskContents.allCases)
    func scaledImage_isStored_asConfigured(contents: DiskContents) async throws {
        let first = loader(contents)
        _ = try await first.image(for: request(20))
        let kept = await entries(first)
        let wanted: [Bool] =
            switch contents {
            // It is small, and quickly decoded again.
            case .originals, .automatic: [false]
            case .processed: [true]
            case .both: [false, true]
            }
        #expect(kept.map(\.isProcessed).sorted { !$0 && $1 } == wanted)
        #expect(try await isCached(request(20), contents))
        // Another size is made of the bytes, where they are.
        #expect(try await isCached(request(30), contents) == (contents != .processed))
        #expect(fixture.transport.callCount == 1)
    }

    @Test(arguments: DiskContents.allCases)
    func unscaledImage_isStored_unchanged(contents: DiskContents) async throws {
        let first = loader(contents)
        _ = try await first.image(for: request(500))
        #expect(await entries(first).map(\.isProcessed) == [false])
        #expect(try await isCached(request(500), contents))
    }

    @Test func scaledImage_isRemoved_withItsOriginal() async throws {
        let first = loader(.both)
        _ = try await first.image(for: request(20))
        await first.flush()
        let second = loader(.both)
        await second.remove(try .test())
        #expect(await second.diskCache?.entries().isEmpty == true)
        #expect(try await !isCached(request(20), .both))
    }

    @Test func removal_winsOverImageInProgress() async throws {
        let gate = ThreadGate()
        var fixture = fixture
        fixture.configuration.decode.maximumConcurrentDecodes = 1
        fixture.configuration.disk?.contents = .both
        let loader = fixture.makeLoader()
        // Its file is held up before it gets its name, and the encoding may be anywhere.
        fixture.calls.hold(.rename, on: "/entries/", at: gate)
        _ = try await loader.image(for: request(20))
        await gate.arrivals(1)
        async let removed: Void = loader.remove(try .test())
        gate.open()
        _ = try await removed
        #expect(await entries(loader).isEmpty)
        #expect(try await !isCached(request(20), .both))
    }

    // MARK: Time

    @Test func timeToLive_isUnlimitedOrZero() async throws {
        let loader = loader(.both)
        let picture = try Pictures.png(8, 8)
        for (name, time) in [("e", Duration.seconds(Int64.max)), ("z", .zero), ("n", .seconds(-5))] {
            _ = try await loader.image(for: ImageRequest.test(name) { $0.timeToLive = time })
            try await loader.store(picture, for: ImageRequest.test(name + "2") { $0.timeToLive = time }, in: .disk)
        }
        await loader.flush()
        let kept = await entries(loader)
        #expect(Set(kept.map { String($0.url.suffix(2)) }) == ["/e", "e2"])
        for name in ["e", "e2"] { #expect(try await isCached(.test(name), .both)) }
    }
}
