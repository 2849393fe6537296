import Alcedo
import AlcedoTestSupport
import Foundation
import Testing

@testable import TestFixtures

/// Owners that several loaders share.
@Suite(.timeLimit(.minutes(1))) struct SharedOwnerTests {
    private let temporary: TemporaryDirectory
    private let transport = ScriptedDataLoader()
    private let png: Data
    private let memory = MemoryCache()
    private let disk: DiskStore
    private let downloads: DownloadCoordinator

    init() throws {
        temporary = try TemporaryDirectory()
        png = try Pictures.png()
        disk = try DiskStore(.init(directory: temporary.url.appending(path: "cache")))
        downloads = Self.makeDownloads(transport)
    }

    private static func makeDownloads(
        _ transport: ScriptedDataLoader, _ change: (inout DownloadCoordinator.Settings) -> Void = { _ in }
    ) -> DownloadCoordinator {
        var settings = DownloadCoordinator.Settings()
        settings.retry = .none
        settings.failureLifetimes = .none
        change(&settings)
        return DownloadCoordinator(valid: settings, loader: transport)
    }

    private func makeLoader() -> ImageLoader {
        ImageLoader(memoryCache: memory, diskCache: disk, downloads: downloads)
    }

    @Test func loadersOnSharedOwners_shareDownloads_andFindEachOthersImages() async throws {
        let (one, other) = (makeLoader(), makeLoader())
        let first = Task { try await one.response(for: .test()).source }
        let call = try await transport.nextCall()
        let second = Task { try await other.response(for: .test()).source }
        while !Task.isCancelled, await downloads.statistics.coalesced < 1 { await Task.yield() }
        call.answer(png)
        #expect(try await [first.value, second.value] == [.network, .network])
        #expect(try await other.response(for: .test()).source == .memory)
        await memory.removeAll()
        #expect(try await other.response(for: .test()).source == .disk)
        #expect(transport.callCount == 1)
        #expect(one.key(for: try .test() as ImageRequest) == other.key(for: try URL.test()))
    }

    /// The coordinator reports no events of its own.
    @Test func callersOfOneDownload_areFlagged_inTheirLoadersEvents() async throws {
        let recorder = LoadRecorder()
        var configuration = ImageLoader.Configuration()
        configuration.disk = nil
        configuration.eventSinks = [recorder]
        let loader = ImageLoader(configuration, downloads: downloads)
        let request: ImageRequest = try .test()
        let first = Task { try await loader.data(for: request) }
        let call = try await transport.nextCall()
        let second = Task { try await loader.data(for: request) }
        while !Task.isCancelled, await downloads.statistics.coalesced < 1 { await Task.yield() }
        call.answer(png)
        _ = try await (first.value, second.value)
        let flags = recorder.events.compactMap { event in
            if case .loaded(_, _, let outcome) = event.kind { outcome.flags } else { nil }
        }
        #expect(flags.count == 2 && flags.filter { $0 == .coalesced }.count == 1)
    }

    @Test(arguments: [0, 1, 2])
    func removal_endsTheSharingOfLoadsOfOtherLoaders(kind: Int) async throws {
        let (one, other) = (makeLoader(), makeLoader())
        let request: ImageRequest = try .test()
        let early = one.imageTask(for: request)
        let call = try await transport.nextCall()
        switch kind {
        case 0: await other.remove(request)
        case 1: try await other.remove(.prefix("http://host.test/"))
        default: await other.removeAll()
        }
        let late = one.imageTask(for: request)
        let second = try await transport.nextCall()
        call.answer(png, headers: ["Cache-Control": "max-age=60"])
        #expect(try await early.image.size.width == 8)
        second.answer(try Pictures.png(44, 30), headers: ["Cache-Control": "max-age=60"])
        #expect(try await late.image.size.width == 44)
        #expect(one.cachedImage(for: request)?.size.width == 44 && transport.callCount == 2)
    }

    /// Loaders with different versions in memory share one conditional request.
    @Test func confirmation_isNoAnswer_toALoaderWithAnotherVersion() async throws {
        var configuration = ImageLoader.Configuration()
        configuration.disk = nil
        let loaders = [0, 1].map { [configuration, downloads] _ in ImageLoader(configuration, downloads: downloads) }
        var request: ImageRequest = try .test()
        func answer(_ width: Int) async throws {
            let call = try await transport.nextCall()
            #expect(call.request.headers["If-None-Match"] == nil)
            call.respond(headers: ["ETag": "\"\(width)\"", "Cache-Control": "max-age=60"])
            call.send(try Pictures.png(width, 30))
            call.finish()
        }
        for (loader, width) in zip(loaders, [40, 44]) {
            let handle = loader.imageTask(for: request)
            try await answer(width)
            _ = try await handle.value
        }
        request.readPolicy = .revalidate
        let first = loaders[0].imageTask(for: request)
        let conditional = try await transport.nextCall()
        let second = loaders[1].imageTask(for: request)
        while !Task.isCancelled, await downloads.statistics.coalesced < 1 { await Task.yield() }
        conditional.respond(status: 304, headers: ["ETag": "\"40\""])
        conditional.finish()
        try await answer(40)
        #expect(try await first.value.source == .memory)
        #expect(try await second.value.image.size.width == 40)
    }

    /// The tickets of an owner hold for the loads of all loaders.
    @Test(arguments: ["one loader", "the owners"])
    func removal_appliesToLoadsOfAnotherLoader(by remover: String) async throws {
        let (one, other) = (makeLoader(), makeLoader())
        let loading = Task { try await other.image(for: .test()) }
        let call = try await transport.nextCall()
        if remover == "one loader" {
            await one.remove(try .test())
        } else {
            let key = one.key(for: try .test() as ImageRequest)
            await memory.remove(key)
            await disk.remove(key)
        }
        call.answer(png)
        _ = try await loading.value
        await other.flush()
        #expect(other.cachedImage(for: try .test() as ImageRequest) == nil)
        #expect(await disk.contains(other.key(for: try .test() as ImageRequest)) == false)
    }

    @Test func cancellingOneLoader_leavesCallersOfAnother() async throws {
        let (one, other) = (makeLoader(), makeLoader())
        let bytes = Task { try await one.data(for: .test()) }
        let call = try await transport.nextCall()
        let image = Task { try await one.image(for: .test()) }
        let shared = Task { try await other.image(for: .test()) }
        while !Task.isCancelled, await downloads.statistics.coalesced < 2 { await Task.yield() }
        #expect(await one.isLoading(try .test()))
        await one.cancelAll()
        await #expect(throws: ImageLoaderError.cancelled) { try await bytes.value }
        await #expect(throws: ImageLoaderError.cancelled) { try await image.value }
        #expect(call.end == nil)
        call.answer(png)
        #expect(try await shared.value.size == PixelSize(width: 8, height: 6))
        #expect(await other.isLoading(try .test()) == false)
    }

    @Test func cancelAll_endsCurrentLoadsOnly() async throws {
        let loader = makeLoader()
        let started = loader.imageTask(for: try .test())
        let call = try await transport.nextCall()
        let queued = (0..<20).map { _ in loader.dataTask(for: ImageRequest(url: URL(filePath: "/none"))) }
        await loader.cancelAll()
        await #expect(throws: ImageLoaderError.cancelled) { try await started.value }
        #expect(try await call.ended() == .cancelled)
        for task in queued { await task.end() }
        let later = loader.imageTask(for: try .test())
        try await transport.nextCall().answer(png)
        #expect(try await later.image.size == PixelSize(width: 8, height: 6))
    }

    @Test func cancellingDownloads_reachesAllLoaders() async throws {
        let loads = [makeLoader(), makeLoader()].map { loader in Task { try await loader.image(for: .test()) } }
        let call = try await transport.nextCall()
        while !Task.isCancelled, await downloads.statistics.coalesced < 1 { await Task.yield() }
        await downloads.cancelAll()
        for load in loads { await #expect(throws: ImageLoaderError.cancelled) { try await load.value } }
        #expect(try await call.ended() == .cancelled)
    }

    // MARK: Scope

    @Test func loadersWithDifferentScopes_doNotShareImages() async throws {
        let plain = ScriptedDataLoader { [png] _ in .bytes(png) }
        var changes: [(inout ImageLoader.Configuration) -> Void] = [
            { _ in }, { $0.download.headers = ["Accept-Language": "de"] },
            { $0.download.headers = ["Accept-Language": "fr"] },
            { $0.download.prepare = RequestPreparation(id: "7") { _ in } },
            { $0.download.prepare = RequestPreparation(id: "8") { _ in } },
        ]
        changes.append { $0.decode.decoders = ImageDecoders(ImageDecoders.builtIn.decoders.reversed()) }
        var keys: Set<ImageKey> = []
        for change in changes {
            var configuration = ImageLoader.Configuration()
            change(&configuration)
            let settings = configuration.download
            // All on one memory cache and one disk.
            let loader = ImageLoader(
                Self.decoding(configuration.decode), memoryCache: memory, diskCache: disk,
                downloads: Self.makeDownloads(plain) {
                    $0.headers = settings.headers
                    $0.prepare = settings.prepare
                })
            keys.insert(loader.key(for: try URL.test()))
            let count = plain.callCount
            #expect(loader.cachedImage(for: try URL.test()) == nil)
            _ = try await loader.image(for: URL.test())
            #expect(loader.cachedImage(for: try URL.test()) != nil)
            // The bytes are the same for another decoder.
            #expect(plain.callCount - count == (keys.count < 6 ? 1 : 0))
            await loader.flush()
        }
        #expect(keys.count == changes.count)
        #expect(await disk.statistics.entryCount == 5)
    }

    private static func decoding(_ decode: DecodeSettings) -> ImageLoader.Configuration {
        var configuration = ImageLoader.Configuration()
        configuration.decode = decode
        return configuration
    }

    @Test func keyWithoutLoader_equalsDefaultLoadersKey() throws {
        var request = try ImageRequest.test()
        request.targetSize = PixelSize(width: 4, height: 4)
        #expect(makeLoader().key(for: request) == ImageKey(request))
        #expect(makeLoader().key(for: try URL.test()) == ImageKey(try URL.test()))
        #expect(ImageKey(request).original == ImageKey(try URL.test()))
        #expect(ImageKey(request) != ImageKey(request).original)
        #expect(ImageKey(request).url == "http://host.test/a.png" && ImageKey(request).id == nil)
        let own = ImageKey(ImageRequest(data: Data(), id: "mine"))
        #expect(own.url == nil && own.id == "mine")
    }
}
