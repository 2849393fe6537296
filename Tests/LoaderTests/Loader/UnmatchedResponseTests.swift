import Alcedo
import AlcedoTestSupport
import Foundation
import Testing

@testable import TestFixtures

/// Responses that are known to match no later request: they vary by everything, or by cookies that the transport keeps.
/// None is shown before its server has confirmed it, by any way to an image.
@Suite(.timeLimit(.minutes(1)), .overEachStore) struct UnmatchedResponseTests {
    private let origin: ChangingOrigin
    private let fixture: LoaderFixture

    init() throws {
        origin = try ChangingOrigin()
        fixture = try origin.fixture()
        origin.change {
            $0.headers = ["Cache-Control": "max-age=60, stale-while-revalidate=60, stale-if-error=60", "Vary": "*"]
        }
    }

    /// A loader whose caches hold the picture.
    private func loader(isRestarted: Bool = false) async throws -> ImageLoader {
        let loader = fixture.makeLoader()
        _ = try await loader.image(for: .test())
        await loader.flush()
        return isRestarted ? fixture.makeLoader() : loader
    }

    private func request(_ policy: CacheReadPolicy) throws -> ImageRequest { try .test { $0.readPolicy = policy } }

    @Test func image_isConfirmedBeforeEachUse() async throws {
        let loader = try await loader()
        let first = try await loader.response(for: .test())
        #expect(first.source == .memory && !first.isStale && origin.conditionalCount == 1)
        // The picture of another user.
        origin.change { $0.widths["/a.png"] = 44 }
        #expect(try await loader.response(for: .test()).image.size.width == 44)
        #expect(origin.requestCount == 3)
    }

    @Test func lookUps_findNothing() async throws {
        let loader = try await loader()
        let request = try ImageRequest.test()
        #expect(loader.cachedImage(for: request) == nil)
        #expect(loader.cachedImage(for: try URL.test()) == nil)
        #expect(loader.memoryResponse(for: request) == nil && loader.cachedResponse(for: request) == nil)
        #expect(loader.memoryCache.image(for: loader.key(for: request)) == nil)
        #expect(!(await loader.contains(request, in: .memory)))
        let smaller = try ImageRequest.test {
            $0.targetSize = PixelSize(width: 10, height: 10)
            $0.precision = .atLeast
        }
        #expect(loader.cachedImage(for: smaller) == nil)
    }

    @Test func evictedImageInUse_isNotFound() async throws {
        let loader = try await loader()
        let image = try await loader.image(for: .test())
        await loader.memoryCache.trim(toBytes: 0)
        #expect(loader.cachedImage(for: try URL.test()) == nil)
        withExtendedLifetime(image) {}
    }

    @Test(arguments: [false, true])
    func policies_doNotUseIt(isRestarted: Bool) async throws {
        let loader = try await loader(isRestarted: isRestarted)
        await #expect(throws: ImageLoaderError.notCached) { try await loader.image(for: request(.cachedOnly)) }
        await #expect(throws: ImageLoaderError.notCached) { try await loader.data(for: request(.cachedOnly)) }
        #expect(loader.cachedImage(for: try request(.immutable)) == nil && origin.requestCount == 1)
        _ = try await loader.image(for: request(.immutable))
        #expect(origin.conditionalCount == 1)
        _ = try await loader.data(for: request(.immutable))
        #expect(origin.conditionalCount == 2)
        var configuration = fixture.configuration
        configuration.readPolicy = .immutable
        let immutable = fixture.makeLoader(configuration)
        _ = try await immutable.image(for: .test())
        #expect(origin.conditionalCount == 3)
        #expect(immutable.cachedImage(for: try URL.test()) == nil)
        _ = try await immutable.image(for: .test())
        #expect(origin.conditionalCount == 4)
    }

    @Test(arguments: [false, true])
    func brokenServer_leavesNothingToShow(isRestarted: Bool) async throws {
        let loader = try await loader(isRestarted: isRestarted)
        origin.change { $0.failure = .status(500) }
        await #expect(throws: ImageLoaderError.badStatus(500)) { try await loader.image(for: .test()) }
        await #expect(throws: ImageLoaderError.badStatus(500)) { try await loader.data(for: .test()) }
    }

    @Test(arguments: [false, true])
    func responses_beginWithTheServersImage(isRestarted: Bool) async throws {
        let loader = try await loader(isRestarted: isRestarted)
        origin.change { $0.widths["/a.png"] = 44 }
        var widths: [Int] = []
        for try await response in loader.responses(for: try .test()) {
            #expect(!response.isStale)
            widths.append(response.image.size.width)
        }
        #expect(widths == [44])
    }

    @Test(arguments: [false, true]) @MainActor
    func slot_showsNoStaleImage(isRestarted: Bool) async throws {
        let loader = try await loader(isRestarted: isRestarted)
        origin.change { $0.widths["/a.png"] = 44 }
        var settings = ImageSlot.Settings()
        settings.showsStale = true
        let slot = ImageSlot(loader, settings: settings)
        var widths: [Int] = []
        slot.onChange = { slot in
            if let image = slot.shown.picture.image { widths.append(image.size.width) }
        }
        slot.load(try .test())
        #expect(slot.shown.picture.image == nil)
        await slot.settled()
        #expect(Set(widths) == [44])
    }

    @Test func prefetchedImage_isConfirmed() async throws {
        let loader = fixture.makeLoader()
        let prefetcher = ImagePrefetcher(loader)
        prefetcher.start([try ImageRequest.test()])
        for await progress in prefetcher.progressUpdates where progress.finished == 1 { break }
        #expect(origin.requestCount == 1)
        origin.change { $0.widths["/a.png"] = 44 }
        #expect(try await loader.image(for: .test()).size.width == 44)
    }

    @Test func processedImage_isConfirmed() async throws {
        let loader = fixture.makeLoader()
        let request = try ImageRequest.test { $0.processors = [.gray()] }
        _ = try await loader.image(for: request)
        origin.change { $0.widths["/a.png"] = 44 }
        #expect(loader.cachedImage(for: request) == nil)
        #expect(try await loader.image(for: request).size.width == 44)
    }
}
