import Alcedo
import AlcedoTestSupport
import Foundation
import Synchronization
import Testing

@testable import TestFixtures

/// What a program does with the memory cache of its loader.
@Suite(.timeLimit(.minutes(1))) struct MemoryControlTests {
    private var fixture: LoaderFixture

    init() throws {
        let png = try Pictures.png(40, 30)
        fixture = try LoaderFixture(ScriptedDataLoader { _ in .bytes(png) })
    }

    private func inMemory(_ loader: ImageLoader, _ paths: String...) throws -> [Bool] {
        try paths.map { loader.cachedImage(for: try .test($0)) != nil }
    }

    @Test func evictedImageInUse_isRestoredWhole() async throws {
        let (still, moving) = (try Pictures.jpeg(64, 48), GIFFixture.animation(3).data)
        let fixture = try LoaderFixture(
            ScriptedDataLoader { .bytes($0.url.path.hasSuffix("gif") ? moving : still) })
        let loader = fixture.makeLoader()
        for request in [
            try ImageRequest.test("a.gif"), try .test("a.jpg") { $0.targetSize = PixelSize(width: 16, height: 12) },
        ] {
            let used = try await loader.image(for: request)
            await loader.memoryCache.trim(toBytes: 0)
            #expect(loader.memoryCache.statistics.count == 0)
            for _ in 0..<2 {
                let found = try await loader.response(for: request)
                #expect(found.source == .memory && found.image.bitmap === used.bitmap)
                #expect(found.image.animation === used.animation && found.image.originalSize == used.originalSize)
                #expect(found.image.isOpaque == used.isOpaque && found.image.format == used.format)
            }
            withExtendedLifetime(used) {}
        }
    }

    // MARK: Storing by hand

    @Test(arguments: [CacheTiers.memory, .disk, .all])
    func storedImage_isFound_inItsTiers(tiers: CacheTiers) async throws {
        let loader = fixture.makeLoader()
        let made = DecodedImage(bitmap: try Pictures.plain(3, 2, [10, 20, 30, 128]))
        try await loader.store(made, for: .test(), in: tiers)
        let response = try await loader.response(for: .test())
        #expect(response.image.bitmap == made.bitmap)
        #expect(response.source == (tiers == .disk ? .disk : .memory))
        await loader.flush()
        let restarted = fixture.makeLoader()
        #expect(try await restarted.response(for: .test()).source == (tiers == .memory ? .network : .disk))
        #expect(fixture.transport.callCount == (tiers == .memory ? 1 : 0))
    }

    @Test func storedBytes_areDecoded_andCachedInBothTiers() async throws {
        let loader = fixture.makeLoader()
        try await loader.store(Pictures.png(5, 4), for: .test())
        #expect(loader.cachedImage(for: try .test())?.size.width == 5)
        await loader.flush()
        #expect(try await fixture.makeLoader().response(for: .test()).source == .disk)
    }

    @Test func storedImage_replacesAllSizes_andEarlierLoadsDoNotUndoIt() async throws {
        let transport = ScriptedDataLoader()
        let fixture = try LoaderFixture(transport)
        let loader = fixture.makeLoader()
        let loading = Task { try await loader.image(for: ImageRequest.test()) }
        let call = try await transport.nextCall()
        let made = DecodedImage(bitmap: try Pictures.plain(3, 2))
        try await loader.store(made, for: .test(), in: .memory)
        call.respond()
        call.send(try Pictures.png(40, 30))
        call.finish()
        // Who asked before gets what was on its way.
        #expect(try await loading.value.size.width == 40)
        #expect(loader.cachedImage(for: try .test())?.bitmap === made.bitmap)
        await loader.flush()
        #expect(try await loader.response(for: .test()).source == .memory)
    }

    @Test func unstorableImage_isRejected_andNothingChanges() async throws {
        let loader = fixture.makeLoader()
        _ = try await loader.image(for: ImageRequest.test())
        let made = DecodedImage(bitmap: try Pictures.plain(3, 2))
        let unsupported = ImageLoaderError.unsupportedConfiguration
        await #expect(throws: unsupported("a scaled or processed image can't be stored on disk as the original")) {
            try await loader.store(made, for: .test { $0.targetSize = .init(width: 8, height: 8) }, in: .all)
        }
        await #expect(throws: unsupported("only what a web server would send is looked for on disk")) {
            try await loader.store(made, for: ImageRequest(data: Data(), id: "x"), in: .disk)
        }
        await #expect(throws: unsupported("a target size of 0 × 8 pixels")) {
            try await loader.store(made, for: .test { $0.targetSize = .init(width: 0, height: 8) })
        }
        await #expect(throws: ImageLoaderError.emptyBody) { try await loader.store(Data(), for: .test()) }
        await #expect {
            try await loader.store(Data("no picture".utf8), for: .test())
        } throws: {
            if case ImageLoaderError.notAnImage = $0 { true } else { false }
        }
        #expect(loader.cachedImage(for: try .test())?.size.width == 40)
    }

    @Test func bytes_areCachedInMemory_withoutDisk() async throws {
        var fixture = fixture
        fixture.configuration.disk = nil
        let loader = fixture.makeLoader()
        try await loader.store(Pictures.png(5, 4), for: .test())
        try await loader.store(Pictures.png(6, 4), for: ImageRequest(data: Data(), id: "x"))
        #expect(loader.memoryCache.statistics.count == 2)
        let none = ImageLoaderError.unsupportedConfiguration("there is no disk cache to store in")
        let made = DecodedImage(bitmap: try Pictures.plain(3, 2))
        await #expect(throws: none) { try await loader.store(made, for: .test(), in: .disk) }
        await #expect(throws: none) { try await loader.store(Pictures.png(5, 4), for: .test(), in: .all) }
        #expect(loader.cachedImage(for: try .test())?.size.width == 5)
    }

    @Test func providedBytes_areStored_underTheirID() async throws {
        let loader = fixture.makeLoader()
        let made = DecodedImage(bitmap: try Pictures.plain(3, 2))
        let request = ImageRequest(id: "mine") { throw CancellationError() }
        try await loader.store(made, for: request)
        #expect(try await loader.image(for: request).bitmap === made.bitmap)
    }

    @Test func idsWithNumberSigns_areDistinct() async throws {
        let loader = fixture.makeLoader()
        _ = try await loader.image(for: ImageRequest(data: Pictures.png(4, 3), id: "photo#1"))
        let second = ImageRequest(data: try Pictures.png(6, 5), id: "photo#2")
        #expect(loader.cachedImage(for: second) == nil)
        #expect(try await loader.image(for: second).size.width == 6)
        #expect(await loader.memoryCache.remove { $0.id == "photo#1" } == 1)
    }

    @Test func emptyPrefix_matchesAllURLs_butNoIDs() async throws {
        let loader = fixture.makeLoader()
        let mine = ImageRequest(data: try Pictures.png(4, 3), id: "mine")
        _ = try await loader.image(for: mine)
        _ = try await loader.image(for: ImageRequest.test())
        #expect(await loader.memoryCache.remove(.prefix("")) == 1)
        #expect(loader.cachedImage(for: mine) != nil)
    }

    // MARK: Removing

    @Test func removal_affectsSelectedImagesOnly() async throws {
        let loader = fixture.makeLoader()
        func fill() async throws {
            for path in ["a/1.png", "a/2.png", "b/1.png"] {
                _ = try await loader.image(for: ImageRequest.test(path) { if path == "b/1.png" { $0.tags = ["x"] } })
                _ = try await loader.image(
                    for: ImageRequest.test(path) { $0.targetSize = .init(width: 16, height: 16) })
            }
        }
        try await fill()
        #expect(loader.memoryCache.statistics.count == 6)
        #expect(await loader.memoryCache.remove(.url(try .test("a/1.png"))) == 2)
        #expect(try inMemory(loader, "a/1.png", "a/2.png", "b/1.png") == [false, true, true])
        #expect(await loader.memoryCache.remove(.tag("x")) == 1)
        #expect(try inMemory(loader, "a/1.png", "a/2.png", "b/1.png") == [false, true, false])
        try await fill()
        #expect(await loader.memoryCache.remove(.prefix("http://host.test/a/")) == 4)
        #expect(try inMemory(loader, "a/1.png", "a/2.png", "b/1.png") == [false, false, true])
        try await fill()
        // The program's own code may ask the loader.
        let removed = await loader.memoryCache.remove {
            $0.size.width <= 16 && $0.url != nil && loader.memoryCache.statistics.count == 6
        }
        #expect(removed == 3)
        #expect(loader.memoryCache.statistics.count == 3)
        #expect(await loader.memoryCache.remove(.all) == 3)
        #expect(loader.memoryCache.statistics.byteCount == 0)
    }

    @Test(arguments: [CacheSelection.all, .prefix("http://host.test/"), .tag("x")])
    func earlierLoad_restoresNothing(selection: CacheSelection) async throws {
        let transport = ScriptedDataLoader()
        let fixture = try LoaderFixture(transport)
        let loader = fixture.makeLoader()
        let request = try ImageRequest.test { $0.tags = ["x"] }
        let loading = Task { try await loader.image(for: request) }
        let call = try await transport.nextCall()
        await loader.memoryCache.remove(selection)
        call.respond()
        call.send(try Pictures.png(4, 3))
        call.finish()
        _ = try await loading.value
        #expect(loader.cachedImage(for: request) == nil)
    }

    @Test func removalOfRequest_removesAllSizes() async throws {
        let loader = fixture.makeLoader()
        let small = try ImageRequest.test { $0.targetSize = .init(width: 16, height: 16) }
        _ = try await loader.image(for: small)
        await loader.remove(try .test())
        #expect(loader.cachedImage(for: small) == nil)
        #expect(try await loader.response(for: small).source == .network)
    }

    // MARK: Limits and time

    @Test func imagesAboveLimit_areNotCached() async throws {
        var fixture = fixture
        fixture.configuration.disk = nil
        fixture.configuration.memory.maximumCount = 2
        fixture.configuration.memory.maximumBytesPerImage = 40 * 30 * 4
        let loader = fixture.makeLoader()
        for path in ["a", "b", "c"] { _ = try await loader.image(for: ImageRequest.test(path)) }
        #expect(loader.memoryCache.statistics.count == 2)
        #expect(loader.memoryCache.statistics.byteCount == 2 * 40 * 30 * 4)
        #expect(loader.memoryCache.statistics.evictions.byCount == 1)
        var smaller = fixture.configuration.memory
        smaller.maximumBytesPerImage = 40 * 30 * 4 - 1
        try await loader.memoryCache.change(to: smaller)
        #expect(loader.memoryCache.statistics.count == 0)
        _ = try await loader.image(for: ImageRequest.test("d"))
        #expect(loader.memoryCache.statistics.count == 0)
    }

    @Test func image_expires_byItsOwnOrCachesTimeToLive() async throws {
        let clock = ManualClock()
        var fixture = fixture
        fixture.configuration.clock = clock
        fixture.configuration.memory.timeToLive = .seconds(60)
        let loader = fixture.makeLoader()
        _ = try await loader.image(for: ImageRequest.test("a"))
        _ = try await loader.image(for: ImageRequest.test("b") { $0.timeToLive = .seconds(10) })
        _ = try await loader.image(for: ImageRequest.test("c") { $0.timeToLive = .zero })
        _ = try await loader.image(for: ImageRequest.test("d") { $0.timeToLive = .seconds(-5) })
        _ = try await loader.image(for: ImageRequest.test("e") { $0.timeToLive = .seconds(Int64.max) })
        #expect(try inMemory(loader, "a", "b", "c", "d", "e") == [true, true, false, false, true])
        clock.advance(by: .seconds(10))
        #expect(try inMemory(loader, "a", "b", "e") == [true, false, true])
        clock.advance(by: .seconds(50))
        #expect(try inMemory(loader, "a", "b", "e") == [false, false, true])
        #expect(try await loader.response(for: .test("a")).source == .disk)
    }

    /// An image that is found again is stored again after its caller has it.
    private func untilCached(_ count: Int, _ loader: ImageLoader) async {
        while loader.memoryCache.statistics.count != count { await Task.yield() }
    }

    @Test func trimming_leavesFraction_andImagesInUseAreFoundAgain() async throws {
        let loader = fixture.makeLoader()
        let used = try await loader.image(for: ImageRequest.test("a"))
        for path in ["b", "c", "d"] { _ = try await loader.image(for: ImageRequest.test(path)) }
        await loader.memoryCache.trim(toFraction: 0.5)
        #expect(loader.memoryCache.statistics.count == 2)
        await loader.memoryCache.trim(toBytes: 1)
        #expect(loader.memoryCache.statistics.count == 0)
        #expect(loader.memoryCache.statistics.evictions.byTrim == 4)
        let response = try await loader.response(for: .test("a"))
        #expect(response.source == .memory)
        #expect(response.image.bitmap === used.bitmap)
        await untilCached(1, loader)
        #expect(loader.memoryCache.statistics.hitsOfReleased == 1)
    }

    @Test func imageFoundAgain_countsOnce_andIsCachedAgain() async throws {
        var fixture = fixture
        fixture.configuration.eventSinks = []
        let loader = fixture.makeLoader()
        let url = try URL.test("a")
        let used = try await loader.image(for: url)
        await loader.memoryCache.trim(toBytes: 0)
        #expect(try await loader.image(for: url).bitmap === used.bitmap)
        await untilCached(1, loader)
        let statistics = loader.memoryCache.statistics
        check([statistics.hits, statistics.hitsOfReleased, statistics.misses, statistics.count], [1, 1, 1, 1])
    }

    // MARK: Sizes

    @Test func smallerImage_isScaledCached_andSharesDownload() async throws {
        let loader = fixture.makeLoader()
        let small = try ImageRequest.test { $0.targetSize = .init(width: 16, height: 16) }
        let response = try await loader.response(for: small)
        #expect(response.image.size == PixelSize(width: 16, height: 12))
        #expect(try await loader.response(for: small).source == .memory)
        // The full one is another picture, made of the same bytes.
        #expect(try await loader.response(for: .test()).source == .disk)
        #expect(try await loader.image(for: ImageRequest.test()).size.width == 40)
        #expect(fixture.transport.callCount == 1)
    }

    @Test func largerImage_serves_whenAllowed() async throws {
        let loader = fixture.makeLoader()
        _ = try await loader.image(for: ImageRequest.test { $0.targetSize = .init(width: 32, height: 32) })
        func request(_ precision: ImageRequest.Precision) throws -> ImageRequest {
            try .test {
                $0.targetSize = .init(width: 16, height: 16)
                $0.precision = precision
            }
        }
        #expect(loader.cachedImage(for: try request(.exact)) == nil)
        #expect(loader.cachedImage(for: try request(.atLeast))?.size.width == 32)
        #expect(try await loader.response(for: request(.atLeast)).source == .memory)
        #expect(try await loader.image(for: request(.exact)).size.width == 16)
        #expect(try await loader.image(for: request(.atLeast)).size.width == 16)
    }

    @Test(arguments: [(0, 5), (5, 0), (-1, 5), (Int.min, Int.max)])
    func emptyTargetSize_isRejected(width: Int, height: Int) async throws {
        let loader = fixture.makeLoader()
        // What is wrong is told, whatever is in memory.
        _ = try await loader.image(for: ImageRequest.test { $0.targetSize = .init(width: 8, height: 8) })
        let calls = fixture.transport.callCount
        let request = try ImageRequest.test {
            $0.targetSize = .init(width: width, height: height)
            $0.precision = .atLeast
        }
        await #expect(throws: ImageLoaderError.unsupportedConfiguration("a target size of \(width) × \(height) pixels"))
        {
            try await loader.image(for: request)
        }
        #expect(loader.cachedImage(for: request) == nil)
        #expect(fixture.transport.callCount == calls)
    }

    // MARK: Statistics

    @Test func statistics_countOperations() async throws {
        let loader = fixture.makeLoader()
        _ = try await loader.image(for: ImageRequest.test())
        let before = loader.memoryCache.statistics
        _ = try await loader.image(for: ImageRequest.test())
        _ = loader.cachedImage(for: try .test())
        _ = loader.cachedImage(for: try .test("other"))
        let after = loader.memoryCache.statistics
        #expect(after.hits - before.hits == 2)
        #expect(after.misses - before.misses == 1)
        let cost = 40 * 30 * 4
        check([after.stores, after.count, after.byteCount], [1, 1, cost])
    }
}
