import AlcedoTestSupport
import Foundation
import Testing

@testable import Alcedo
@testable import TestFixtures

/// One flight of a resource serves images of all sizes, callers that want the bytes, and prefetchers.
@Suite(.timeLimit(.minutes(1))) struct ResourceFlightTests {
    private let transport = ScriptedDataLoader()
    private var fixture: LoaderFixture
    private let png: Data
    private let whole: ImageRequest
    private let small: ImageRequest

    init() throws {
        fixture = try LoaderFixture(transport)
        // So that a stale image in memory is revalidated at once.
        fixture.configuration.memory.reuseWindow = .zero
        png = try Pictures.png()
        whole = try .test()
        small = try .test { $0.targetSize = PixelSize(width: 8, height: 8) }
    }

    /// A loader whose disk has the picture, and which has the whole image in memory if it is the one that stored it.
    private func loader(isNew: Bool = true, headers: HTTPHeaders) async throws -> ImageLoader {
        let first = fixture.makeLoader()
        let stored = first.imageTask(for: whole)
        try await transport.nextCall().answer(png, headers: headers)
        _ = try await stored.value
        await first.flush()
        return isNew ? fixture.makeLoader() : first
    }

    private func untilCoalesced(_ count: Int, _ loader: ImageLoader) async {
        while await loader.downloads.statistics.coalesced < count, !Task.isCancelled { await Task.yield() }
    }

    @Test func sizesAndBytes_shareOneReadOfTheDisk() async throws {
        let loader = try await loader(headers: ["Cache-Control": "max-age=3600"])
        let before = await loader.diskCache?.statistics.hits
        let gate = ThreadGate()
        fixture.calls.hold(.read, at: gate)
        let images = [loader.imageTask(for: whole), loader.imageTask(for: small)]
        let bytes = loader.dataTask(for: whole)
        await gate.arrivals(1)
        await untilCoalesced(2, loader)
        gate.open()
        for image in images { #expect(try await image.value.source == .disk) }
        #expect(try await bytes.value == png)
        #expect(await loader.diskCache?.statistics.hits == before.map { $0 + 1 })
        #expect(loader.downloads.bodyBudget.byteCount == 0)
        #expect(transport.callCount == 1)
    }

    /// The bytes are read from disk although the image doesn't need them.
    @Test func confirmationOfAnImageInMemory_servesTheBytesToo() async throws {
        let loader = try await loader(isNew: false, headers: ["ETag": "\"1\"", "Cache-Control": "no-cache"])
        let image = loader.imageTask(for: whole)
        let call = try await transport.nextCall()
        let bytes = loader.dataTask(for: whole)
        let other = loader.imageTask(for: small)
        await untilCoalesced(2, loader)
        call.respond(status: 304, headers: ["ETag": "\"1\""])
        call.finish()
        #expect(try await image.value.source == .memory)
        #expect(try await bytes.value == png)
        #expect(try await other.value.source == .disk)
        #expect(transport.callCount == 2)
    }

    /// There are no bytes on disk, so they are downloaded.
    @Test func confirmationOfAnImageInMemory_withoutDisk_letsTheBytesBeDownloaded() async throws {
        var fixture = fixture
        fixture.configuration.disk = nil
        let loader = fixture.makeLoader()
        let stored = loader.imageTask(for: whole)
        try await transport.nextCall().answer(png, headers: ["ETag": "\"1\"", "Cache-Control": "no-cache"])
        _ = try await stored.value
        let image = loader.imageTask(for: whole)
        let call = try await transport.nextCall()
        let bytes = loader.dataTask(for: whole)
        await untilCoalesced(1, loader)
        call.respond(status: 304, headers: ["ETag": "\"1\""])
        call.finish()
        #expect(try await image.value.source == .memory)
        try await transport.nextCall().answer(png, headers: ["ETag": "\"1\"", "Cache-Control": "no-cache"])
        #expect(try await bytes.value == png)
        #expect(transport.callCount == 3)
    }

    /// Loaders that have the coordinator in common share a flight if they search the same disk cache.
    @Test(arguments: [true, false])
    func loadersOfOneCoordinator_shareFlights_ofOneDisk(haveOneDisk: Bool) async throws {
        let disk = try DiskStore(.init(directory: fixture.temporary.url.appending(path: "other")))
        let downloads = DownloadCoordinator(loader: transport)
        let one = ImageLoader(diskCache: disk, downloads: downloads)
        var configuration = ImageLoader.Configuration()
        configuration.disk = nil
        let other =
            haveOneDisk
            ? ImageLoader(diskCache: disk, downloads: downloads) : ImageLoader(configuration, downloads: downloads)
        let first = one.imageTask(for: whole)
        let call = try await transport.nextCall()
        let second = other.imageTask(for: whole)
        if haveOneDisk { await untilCoalesced(1, one) } else { try await transport.nextCall().answer(png) }
        call.answer(png)
        _ = try await (first.value, second.value)
        #expect(transport.callCount == (haveOneDisk ? 1 : 2))
        #expect(one.memoryCache.contains(one.key(for: whole)) && other.memoryCache.contains(other.key(for: whole)))
        await one.close()
        await other.close()
    }

    /// The loader that began the flight is gone, and its own memory doesn't serve the other one.
    @Test func flightOfALoaderThatIsGone_confirmsForTheOther() async throws {
        let disk = try DiskStore(.init(directory: fixture.temporary.url.appending(path: "other")))
        let downloads = DownloadCoordinator(loader: transport)
        var configuration = ImageLoader.Configuration()
        configuration.memory.reuseWindow = .zero
        var one: ImageLoader? = ImageLoader(configuration, diskCache: disk, downloads: downloads)
        let other = ImageLoader(configuration, diskCache: disk, downloads: downloads)
        let stored = other.imageTask(for: whole)
        try await transport.nextCall().answer(png, headers: ["ETag": "\"1\"", "Cache-Control": "no-cache"])
        _ = try await stored.value
        await other.flush()
        let first = one?.imageTask(for: whole)
        let call = try await transport.nextCall()
        let second = other.imageTask(for: whole)
        await untilCoalesced(1, other)
        first?.cancel()
        one = nil
        call.respond(status: 304, headers: ["ETag": "\"1\"", "Cache-Control": "max-age=3600"])
        call.finish()
        #expect(try await second.value.source == .memory)
        #expect(other.cachedImage(for: whole) != nil)
        #expect(transport.callCount == 2)
    }

    @Test func callersOfBytes_shareOneDownload_andStoreItOnce() async throws {
        let loader = fixture.makeLoader()
        let tasks = [loader.dataTask(for: whole), loader.dataTask(for: whole)]
        let call = try await transport.nextCall()
        await untilCoalesced(1, loader)
        call.answer(png, headers: ["Cache-Control": "max-age=3600"])
        for task in tasks { #expect(try await task.value == png) }
        // It finds the bytes without a flush.
        #expect(try await loader.dataResponse(for: whole).source == .disk)
        await loader.flush()
        #expect(await loader.diskCache?.statistics.stores == 1)
        #expect(transport.callCount == 1)
    }

    @Test func cancelAll_endsCallersOfBytesThatTheProgramProvides() async throws {
        let loader = fixture.makeLoader()
        let (entered, cancelled, ended) = (Recorder<Bool>(), Recorder<Bool>(), Recorder<Bool>())
        let own = ImageRequest(id: "own") {
            entered.record(true)
            await withTaskCancellationHandler {
                _ = await cancelled.wait { !$0.isEmpty }
            } onCancel: {
                cancelled.record(true)
            }
            ended.record(true)
            return Data()
        }
        let load = Task { try await loader.data(for: own) }
        await entered.wait { !$0.isEmpty }
        await loader.cancelAll()
        await #expect(throws: ImageLoaderError.cancelled) { try await load.value }
        await ended.wait { !$0.isEmpty }
    }
}
