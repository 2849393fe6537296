import Alcedo
import AlcedoTestSupport
import Foundation
import Synchronization
import Testing

@testable import TestFixtures

@Suite(.timeLimit(.minutes(1))) struct ImageLoaderTests {
    private let png: Data

    init() throws { png = try Pictures.png() }

    private func answering() throws -> LoaderFixture {
        try LoaderFixture(ScriptedDataLoader { [png] _ in .bytes(png) })
    }

    @Test func image_isLoaded_fromNetworkThenMemoryThenDisk() async throws {
        let fixture = try answering()
        let request = ImageRequest(url: try .test())
        let loader = fixture.makeLoader()
        #expect(loader.cachedImage(for: request) == nil)
        let first = try await loader.response(for: request)
        #expect(first.source == .network)
        #expect(first.image.bitmap == (try Pictures.gradient(8, 6)))
        #expect(first.image.format == .png)
        #expect(first.timings.download != nil && first.timings.decode != nil && first.timings.disk == nil)
        #expect(try await loader.response(for: request).source == .memory)
        #expect(loader.cachedImage(for: request)?.bitmap === first.image.bitmap)
        await loader.flush()

        let restarted = fixture.makeLoader()
        let third = try await restarted.response(for: request)
        #expect(third.source == .disk)
        #expect(try await restarted.response(for: request).source == .memory)
        #expect(third.image.bitmap == first.image.bitmap)
        #expect(third.timings.disk != nil && third.timings.download == nil)
        #expect(fixture.transport.callCount == 1)
        #expect(fixture.cacheFailures.isEmpty)
    }

    @Test func stagedImage_isFoundByAnotherLoad() async throws {
        let fixture = try answering()
        var configuration = fixture.configuration
        configuration.memory.maximumBytes = 0
        let loader = ImageLoader(configuration, calls: fixture.calls)
        let gate = ThreadGate()
        fixture.calls.hold(.writev, on: "/temporary/", at: gate)
        _ = try await loader.image(for: .test())
        #expect(try await loader.response(for: ImageRequest(url: .test())).source == .disk)
        gate.open()
        await loader.flush()
    }

    @Test func withoutCaches_everyLoadIsDownload() async throws {
        var fixture = try answering()
        fixture.configuration.memory.maximumBytes = 0
        fixture.configuration.disk = nil
        let loader = fixture.makeLoader()
        for _ in 0..<3 { #expect(try await loader.response(for: ImageRequest(url: .test())).source == .network) }
        #expect(fixture.transport.callCount == 3)
    }

    @Test func events_describeCompleteLoad() async throws {
        let fixture = try answering()
        let loader = fixture.makeLoader()
        _ = try await loader.image(for: .test())
        _ = try await loader.image(for: .test())
        let told = fixture.events.values.map { event in
            switch event {
            case .requested: "requested"
            case .began(let stage): "+\(stage)"
            case .progress(let received, let expected): "\(received)/\(expected ?? -1)"
            case .ended(let stage, let end): "-\(stage) \(end.bytes ?? -1) \(end.error == nil)"
            case .loaded(_, let source, _): source.rawValue
            default: "other"
            }
        }
        let size = png.count
        #expect(
            told == [
                "requested", "-memory -1 true", "+disk", "-disk -1 true", "+download", "-firstByte -1 true",
                "0/\(size)", "\(size)/\(size)", "-download \(size) true", "+decode", "-decode \(size) true", "+store",
                "-store \(size) true", "network", "requested", "-memory -1 true", "memory",
            ])
    }

    @Test func data_isReturned_fromNetworkOrDisk() async throws {
        let fixture = try answering()
        let loader = fixture.makeLoader()
        let request = ImageRequest(url: try .test())
        let first = try await loader.dataResponse(for: request)
        #expect(first.data == png && first.source == .network && first.head?.status == 200)
        #expect(try await loader.response(for: request).source == .disk)
        let second = try await loader.dataResponse(for: request)
        #expect(second.data == png && second.source == .disk && !second.isStale)
        #expect(second.freshness == first.freshness && second.head?.headers["Age"] == "0")
        #expect(try await loader.data(for: request) == png)
        #expect(fixture.transport.callCount == 1)
    }

    @Test func responseWithoutContent_isAnEmptyBody_butAResponse() async throws {
        let fixture = try LoaderFixture(ScriptedDataLoader { _ in .status(204) })
        let loader = fixture.makeLoader()
        for _ in 0..<2 {
            #expect(try await loader.dataResponse(for: .test()).head?.status == 204)
            await #expect(throws: ImageLoaderError.emptyBody) { try await loader.data(for: .test()) }
            await #expect(throws: ImageLoaderError.emptyBody) { try await loader.image(for: .test()) }
            await #expect(throws: ImageLoaderError.emptyBody) { try await loader.downloads.data(for: .test()) }
        }
    }

    @Test func endOfTruncatedDownload_reportsReceivedBytes() async throws {
        let part = png.prefix(20)
        let fixture = try LoaderFixture(
            ScriptedDataLoader { _ in .response(status: 200, headers: [:], body: part, expectedBytes: 100) })
        await #expect(throws: ImageLoaderError.truncated(received: 20, expected: 100)) {
            try await fixture.makeLoader().image(for: .test())
        }
        let ends = fixture.events.values.compactMap {
            if case .ended(.download, let end) = $0 { end.bytes } else { nil }
        }
        #expect(ends == [20])
    }

    @Test func cancelledDataCaller_returnsAtOnce() async throws {
        let fixture = try answering()
        let request = ImageRequest(url: try .test())
        let loader = fixture.makeLoader()
        _ = try await loader.image(for: request)
        await loader.flush()
        let gate = ThreadGate()
        fixture.calls.hold(.read, at: gate)
        let caller = Task { try await loader.data(for: request) }
        await gate.arrivals(1)
        caller.cancel()
        await #expect(throws: ImageLoaderError.cancelled) { try await caller.value }
        gate.open()
        let file = fixture.temporary.url.appendingPathComponent("a.png")
        try png.write(to: file)
        let late = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            return try await loader.data(for: ImageRequest(url: file))
        }
        await #expect(throws: ImageLoaderError.cancelled) { try await late.value }
    }

    // MARK: No hop on a memory hit

    @MainActor @Test func memoryHit_returnsBeforeJobEnqueuedJustBefore() async throws {
        let fixture = try answering()
        let loader = fixture.makeLoader()
        let url = try URL.test()
        _ = try await loader.image(for: url)
        let hasRun = Mutex(false)
        let job = Task { @MainActor in hasRun.withLock { $0 = true } }
        _ = try await loader.image(for: url)
        #expect(hasRun.withLock { $0 } == false)
        _ = try await loader.response(for: ImageRequest(url: url))
        #expect(hasRun.withLock { $0 } == false)
        await job.value
        #expect(hasRun.withLock { $0 })
    }

    // MARK: The disk entry

    @Test func differentHeaders_haveSeparateDiskEntries() async throws {
        let fixture = try answering()
        let request = ImageRequest(url: try .test())
        func source(authorization: String?) async throws -> ImageSource {
            var configuration = fixture.configuration
            configuration.download.headers["Authorization"] = authorization
            let loader = ImageLoader(configuration, calls: fixture.calls)
            let source = try await loader.response(for: request).source
            await loader.flush()
            return source
        }
        #expect(try await source(authorization: "A") == .network)
        #expect(try await source(authorization: "B") == .network)
        #expect(try await source(authorization: nil) == .network)
        #expect(try await source(authorization: "A") == .disk)
        for file in try fixture.temporary.files(in: "cache") {
            #expect(try Data(contentsOf: file).range(of: Data("authorization".utf8)) == nil)
        }
    }

    @Test func undecodableEntry_isReported_andDownloadedAgain() async throws {
        let fixture = try answering()
        let request = ImageRequest(url: try .test())
        let store = DiskStore(directory: fixture.temporary.path + "/cache", byteLimit: 1 << 20)
        try await store.store(Data("no picture".utf8), for: StoredKey(URL.test().absoluteString), begun: store.ticket())
        await store.flush()
        let loader = fixture.makeLoader()
        #expect(try await loader.response(for: request).source == .network)
        await loader.flush()
        #expect(fixture.cacheFailures.map(\.operation) == [.read])
        #expect(try await fixture.makeLoader().response(for: request).source == .disk)
    }

    @Test func entryAboveLimits_isRejected_withoutDownload() async throws {
        var fixture = try answering()
        let request = ImageRequest(url: try .test())
        let first = fixture.makeLoader()
        _ = try await first.image(for: request)
        await first.flush()
        fixture.configuration.decode.limits.pixels = 10
        await #expect(throws: ImageLoaderError.limitExceeded(.imagePixels, value: 48, allowed: 10)) {
            try await fixture.makeLoader().image(for: request)
        }
        #expect(fixture.transport.callCount == 1)
    }

    // MARK: Removal

    @Test func removal_clearsMemory_beforeWaitingForDisk() async throws {
        let fixture = try answering()
        let loader = fixture.makeLoader()
        let request = ImageRequest(url: try .test())
        _ = try await loader.image(for: request)
        await loader.flush()
        let gate = ThreadGate()
        fixture.calls.hold(.unlink, on: "/entries/", at: gate)
        async let removed: Void = loader.remove(request)
        await gate.arrivals(1)
        #expect(loader.cachedImage(for: request) == nil)
        gate.open()
        await removed
    }

    @Test func removedImage_isAbsent_fromMemoryAndDisk() async throws {
        let fixture = try answering()
        let loader = fixture.makeLoader()
        let request = ImageRequest(url: try .test())
        _ = try await loader.image(for: request)
        await loader.remove(request)
        #expect(loader.cachedImage(for: request) == nil)
        #expect(try await loader.response(for: request).source == .network)
        await loader.removeAll()
        #expect(loader.cachedImage(for: request) == nil)
        #expect(try await fixture.makeLoader().response(for: request).source == .network)
    }

    @Test(arguments: [false, true])
    func removedKey_remainsRemoved_despiteRunningLoad(all: Bool) async throws {
        let fixture = try LoaderFixture(ScriptedDataLoader())
        let loader = fixture.makeLoader()
        let request = ImageRequest(url: try .test())
        async let loaded = loader.image(for: request)
        let call = try await fixture.transport.nextCall()
        if all { await loader.removeAll() } else { await loader.remove(request) }

        // Who asks now gets a load of its own, not the one from before the removal.
        async let later = loader.image(for: request)
        let laterCall = try await fixture.transport.nextCall()
        call.respond()
        call.send(png)
        call.finish()
        _ = try await loaded
        #expect(loader.cachedImage(for: request) == nil)
        #expect(try await fixture.makeLoader().data(for: request, expecting: fixture.transport) == nil)

        laterCall.respond()
        laterCall.send(png)
        laterCall.finish()
        _ = try await later
        #expect(loader.cachedImage(for: request) != nil)
    }

    @Test func loadReadingDiskBeforeRemoval_restoresNothing() async throws {
        let fixture = try answering()
        let request = ImageRequest(url: try .test())
        let first = fixture.makeLoader()
        _ = try await first.image(for: request)
        await first.flush()
        // This one stands still with the old bytes in hand while the picture is removed.
        let loader = fixture.makeLoader()
        let gate = ThreadGate()
        fixture.calls.hold(.read, at: gate)
        let early = Task { try await loader.response(for: request) }
        await gate.arrivals(1)
        await loader.remove(request)
        gate.open()
        _ = try await early.value
        #expect(loader.cachedImage(for: request) == nil)
        #expect(try await loader.response(for: request).source == .network)
    }

    // MARK: Caches that fail

    @Test func unusableCacheDirectory_isEvent_andImageLoads() async throws {
        var fixture = try answering()
        let file = fixture.temporary.url.appendingPathComponent("file")
        try Data().write(to: file)
        fixture.configuration.disk = .init(directory: file.appendingPathComponent("cache"))
        let loader = fixture.makeLoader()
        #expect(try await loader.response(for: ImageRequest(url: .test())).source == .network)
        await loader.flush()
        let failure = try #require(fixture.cacheFailures.first)
        #expect(failure.operation == .open || failure.operation == .read)
        #expect(failure.reason.contains("Not a directory"))
    }

    @Test(arguments: SystemCall.allCases)
    func failingDisk_neverFailsLoad(call: SystemCall) async throws {
        let fixture = try answering()
        fixture.calls.fail(call, with: EIO)
        for _ in 0..<2 {
            let loader = fixture.makeLoader()
            _ = try await loader.image(for: .test())
            await loader.flush()
            await loader.remove(ImageRequest(url: try .test()))
        }
    }
}

extension ImageLoader {
    /// The bytes on disk, nil when the loader would download them.
    fileprivate func data(for request: ImageRequest, expecting transport: ScriptedDataLoader) async throws -> Data? {
        try await withThrowingTaskGroup(of: Data?.self) { group in
            group.addTask {
                do { return try await self.data(for: request) } catch ImageLoaderError.cancelled { return nil }
            }
            group.addTask {
                let call = try await transport.nextCall()
                call.fail(.cancelled)
                return nil
            }
            let first = try await group.next() ?? nil
            group.cancelAll()
            return first
        }
    }
}
