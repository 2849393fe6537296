// region: tested-file
import Alcedo
import AlcedoTestSupport
import Foundation
import Testing

@MainActor @Suite(.timeLimit(.minutes(1))) struct ProfileTests {
    private let url: URL
    private let png: Data

    init() throws {
        url = try #require(URL(string: "https://example.org/avatar.png"))
        png = try Pictures.png(width: 40, height: 40)
    }

    private func makeLoader(_ transport: ScriptedDataLoader) -> ImageLoader {
        var configuration = ImageLoader.Configuration()
        configuration.disk = nil
        configuration.dataLoader = transport
        return ImageLoader(configuration)
    }

    @Test func anAvatar_isShown() async throws {
        let network = ScriptedDataLoader { [png] _ in .bytes(png) }
        let profile = Profile(makeLoader(network))
        profile.show(url)
        #expect(
            await profile.avatar.settled().response?.image.size
                == PixelSize(width: 40, height: 40))
    }

    @Test func aMissingAvatar_isAnError() async throws {
        let profile = Profile(makeLoader(ScriptedDataLoader { _ in .status(404) }))
        profile.show(url)
        #expect(await profile.avatar.settled().error == .badStatus(404))
    }
}
// endregion

// region: tested-code
@MainActor final class Profile {
    let avatar: ImageSlot

    init(_ loader: ImageLoader) { avatar = ImageSlot(loader) }

    func show(_ url: URL) { avatar.load(url) }
}
// endregion

/// The other listings of the article.
extension ProfileTests {
    @Test func aHeldCall() async throws {
        // region: tested-held
        let transport = ScriptedDataLoader()
        let profile = Profile(makeLoader(transport))
        profile.show(url)
        let call = try await transport.nextCall(for: url)
        #expect(profile.avatar.isLoading)
        call.answer(png)
        #expect(await profile.avatar.settled().response != nil)
        // endregion
    }

    @Test func aCancelledCall() async throws {
        let other = try #require(URL(string: "https://example.org/other.png"))
        let transport = ScriptedDataLoader()
        let profile = Profile(makeLoader(transport))
        // region: tested-cancelled
        profile.show(url)
        let call = try await transport.nextCall(for: url)
        profile.show(other)
        try await call.cancelled()
        // endregion
    }

    @Test func piecesOfAResponse() async throws {
        let transport = ScriptedDataLoader()
        let profile = Profile(makeLoader(transport))
        profile.show(url)
        let call = try await transport.nextCall(for: url)
        // region: tested-pieces
        call.respond(headers: ["Cache-Control": "max-age=60"], expectedBytes: png.count)
        call.send(png.prefix(10))
        try await call.delivered()
        call.fail(.timedOut(.idle))
        // endregion
        _ = try await call.ended()
        profile.avatar.cancel()
    }

    @Test func aServer() async throws {
        var configuration = ImageLoader.Configuration()
        configuration.disk = nil
        // region: tested-server
        let server = try LoopbackServer { [png] _ in .bytes(png, contentType: "image/png") }
        server.enqueue(.bytes(png).stalling(.afterBytes(20)), for: "/slow.png")
        let loader = ImageLoader(configuration)

        let load = Task { try await loader.image(for: server.url("/slow.png")) }
        try await server.until { $0.stalledReplies == 1 }
        load.cancel()
        try await server.untilAbandoned("/slow.png")
        // endregion
        #expect(try await loader.image(for: server.url("/a.png")).size.width == 40)
    }

    @Test func aRetry() async throws {
        var configuration = ImageLoader.Configuration()
        configuration.disk = nil
        let transport = ScriptedDataLoader()
        configuration.dataLoader = transport
        // region: tested-time
        let clock = ManualClock()
        configuration.clock = clock
        let loader = ImageLoader(configuration)

        let load = Task { try await loader.image(for: url) }
        try await transport.nextCall().answer(status: 503)
        clock.advance(to: try await clock.nextSleeper())  // the delay before the next attempt
        try await transport.nextCall().answer(png)
        _ = try await load.value
        // endregion
    }

    @Test func anEvent() async throws {
        var configuration = ImageLoader.Configuration()
        configuration.disk = nil
        configuration.dataLoader = ScriptedDataLoader { [png] _ in .bytes(png) }
        let start = { [url] (loader: ImageLoader) in _ = loader.imageTask(for: url) }
        // region: tested-events
        let events = EventRecorder()
        configuration.eventSinks = [events]
        let loader = ImageLoader(configuration)

        start(loader)  // loads without telling when it is done
        _ = try await events.nextEnd(of: url)
        #expect(loader.cachedImage(for: url) != nil)
        // endregion
    }
}

// region: tested-disk
@Suite(.timeLimit(.minutes(1))) struct RestartTests {
    private let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    @Test func anImage_isOnDiskAfterARestart() async throws {
        let url = try #require(URL(string: "https://example.org/avatar.png"))
        let png = try Pictures.png(width: 40, height: 40)
        var configuration = ImageLoader.Configuration()
        configuration.disk = DiskStore.Settings(directory: directory.url)
        configuration.dataLoader = ScriptedDataLoader { _ in
            .bytes(png, headers: ["Cache-Control": "max-age=3600"])
        }
        let loader = ImageLoader(configuration)
        _ = try await loader.image(for: url)
        await loader.close()

        let restarted = ImageLoader(configuration)
        #expect(try await restarted.response(for: url).source == .disk)
    }
}
// endregion
