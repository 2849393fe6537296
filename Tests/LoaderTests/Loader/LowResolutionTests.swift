import Alcedo
import AlcedoTestSupport
import Foundation
import Testing

@testable import TestFixtures

/// A small version of an image, shown until the image is there.
@Suite(.timeLimit(.minutes(1))) struct LowResolutionTests {
    private let transport = ScriptedDataLoader()
    private let fixture: LoaderFixture
    private let large: Data
    private let small: Data

    init() throws {
        fixture = try LoaderFixture(transport)
        large = try Pictures.png(40, 20)
        small = try Pictures.png(4, 2)
    }

    private func request(_ change: (inout ImageRequest) throws -> Void = { _ in }) throws -> ImageRequest {
        try ImageRequest.test("large.png") {
            $0.lowResolution = try .test("small.png")
            try change(&$0)
        }
    }

    /// The transport's next two calls, which may come in either order: that for the image, and that for the small
    /// version.
    private func calls() async throws -> (large: ScriptedDataLoader.Call, small: ScriptedDataLoader.Call) {
        let calls = [try await transport.nextCall(), try await transport.nextCall()]
            .sorted { $0.request.url.lastPathComponent < $1.request.url.lastPathComponent }
        try #require(calls.map(\.request.url.lastPathComponent) == ["large.png", "small.png"])
        return (calls[0], calls[1])
    }

    private func load(_ request: ImageRequest, with loader: ImageLoader) -> Task<[String], Never> {
        Task {
            var seen: [String] = []
            do throws(ImageLoaderError) {
                for try await response in loader.responses(for: request) {
                    seen.append("\(response.image.size.width)" + (response.isLowResolution ? " low" : ""))
                    shown.record(response.image.size.width)
                }
            } catch {
                seen.append("\(error)")
            }
            return seen
        }
    }

    private let shown = Recorder<Int>()

    @Test func smallVersion_isShown_untilImageIsThere() async throws {
        let loader = fixture.makeLoader()
        let seen = load(try request(), with: loader)
        let (large, small) = try await calls()
        small.answer(self.small)
        await shown.wait { $0 == [4] }
        large.answer(self.large)
        #expect(await seen.value == ["4 low", "40"])
        // From then on, both are in memory.
        #expect(await load(try request(), with: loader).value == ["40"])
        #expect(loader.cachedImage(for: try .test("small.png"))?.size.width == 4)
        #expect(transport.callCount == 2)
    }

    @Test func imageThatIsFaster_isAlone_andEndsTheOther() async throws {
        let seen = load(try request(), with: fixture.makeLoader())
        let (large, small) = try await calls()
        large.answer(self.large)
        #expect(await seen.value == ["40"])
        try await small.cancelled()
    }

    @Test func smallVersionThatFails_isLeftOut() async throws {
        let seen = load(try request(), with: fixture.makeLoader())
        let (large, small) = try await calls()
        small.fail(.timedOut(.idle))
        large.answer(self.large)
        #expect(await seen.value == ["40"])
    }

    @Test func errorOfTheImage_followsTheSmallVersion() async throws {
        let seen = load(try request(), with: fixture.makeLoader())
        let (large, small) = try await calls()
        small.answer(self.small)
        await shown.wait { $0 == [4] }
        large.fail(.timedOut(.idle))
        #expect(await seen.value == ["4 low", "\(ImageLoaderError.timedOut(.idle))"])
    }

    @Test(arguments: [CacheReadPolicy.http, .immutable, .revalidate])
    func imageOnDisk_needsNoSmallVersion(policy: CacheReadPolicy) async throws {
        let loader = fixture.makeLoader()
        try await loader.store(large, for: request())
        await loader.flush()
        let again = fixture.makeLoader()
        let seen = load(try request { $0.readPolicy = policy }, with: again)
        if policy == .revalidate {
            await shown.wait { $0 == [40] }
            let call = try await transport.nextCall()
            #expect(call.request.url.lastPathComponent == "large.png")
            call.answer(large)
        }
        #expect(await seen.value == ["40"])
        await again.flush()
        #expect(transport.callCount == (policy == .revalidate ? 1 : 0))
        #expect(await load(try request { $0.readPolicy = .cachedOnly }, with: fixture.makeLoader()).value == ["40"])
    }

    @Test func cachedOnly_asksForNeither() async throws {
        let seen = await load(try request { $0.readPolicy = .cachedOnly }, with: fixture.makeLoader()).value
        #expect(seen == ["\(ImageLoaderError.notCached)"] && transport.callCount == 0)
    }

    private static let bound = ["Cookie", "Host", "Origin", "Referer"]

    @Test func smallVersion_hasTheOptions_butNoSecretsForOthers() async throws {
        let request = try request {
            $0.lowResolution = URL(string: "http://other.test/small.png")
            $0.fallbacks = [try .test("fallback.png")]
            $0.headers["X-Size"] = "1"
            for name in Self.bound { $0.headers[name] = "secret" }
            $0.credentials = .init(user: "me", password: "secret")
            $0.processors = [.crop(to: PixelRectangle(x: 0, y: 0, width: 2, height: 2))]
        }
        let seen = load(request, with: fixture.makeLoader())
        let (large, small) = try await calls()
        for name in Self.bound + ["Authorization"] {
            #expect(large.request.headers[name] != nil && small.request.headers[name] == nil, "\(name)")
        }
        #expect(small.request.headers["X-Size"] == "1")
        small.answer(self.small)
        await shown.wait { $0 == [2] }
        large.answer(self.large)
        #expect(await seen.value == ["2 low", "2"])
    }

    @Test func cancelling_endsBoth() async throws {
        let seen = load(try request(), with: fixture.makeLoader())
        let (large, small) = try await calls()
        seen.cancel()
        #expect(await seen.value == ["\(ImageLoaderError.cancelled)"])
        try await large.cancelled()
        try await small.cancelled()
    }

    @Test func droppedSequence_loadsNothingMore() async throws {
        let loader = fixture.makeLoader()
        let request = try request()
        let first = Task {
            var responses = loader.responses(for: request).makeAsyncIterator()
            return try await responses.next()?.image.size.width
        }
        let (large, small) = try await calls()
        small.answer(self.small)
        #expect(try await first.value == 4)
        try await large.cancelled()
    }
}
