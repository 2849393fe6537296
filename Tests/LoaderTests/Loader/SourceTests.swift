import Alcedo
import AlcedoTestSupport
import Foundation
import Testing

@testable import TestFixtures

/// Bytes that no server is asked for.
@Suite(.timeLimit(.minutes(1))) struct SourceTests {
    private struct Broken: Error, CustomStringConvertible {
        var description: String { "broken" }
    }

    /// Lets whoever comes pass once it is open; a cancel opens it too.
    private struct Gate {
        private let opened = Recorder<Void>()

        func open() { opened.record(()) }

        func pass() async throws {
            await withTaskCancellationHandler {
                _ = await opened.wait { !$0.isEmpty }
            } onCancel: {
                open()
            }
            try Task.checkCancellation()
        }
    }

    private var fixture: LoaderFixture
    private let png: Data
    private let calls = Recorder<Void>()
    private let gate = Gate()

    init() throws {
        png = try Pictures.png()
        fixture = try LoaderFixture(ScriptedDataLoader { _ in .failure(.malformedResponse("a server was asked")) })
    }

    private func dataURL(_ text: String) throws -> ImageRequest {
        ImageRequest(url: try #require(URL(string: "data:" + text)))
    }

    /// A closure that stands at the gate, and notices when it is cancelled there.
    private func gated(_ id: String = "gated") -> ImageRequest {
        ImageRequest(id: id) { [png, calls, gate] in
            calls.record(())
            try await gate.pass()
            return png
        }
    }

    private var percentEncoded: String { png.map { "%" + ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined() }

    private func expectNothingOnDisk(_ loader: ImageLoader) async throws {
        await loader.flush()
        let cache = fixture.temporary.url.appendingPathComponent("cache")
        guard FileManager.default.fileExists(atPath: cache.path) else { return }
        #expect(try fixture.temporary.names(in: "cache/entries") == [])
    }

    // MARK: All of them

    @Test func localSources_areCachedInMemoryOnly() async throws {
        let loader = fixture.makeLoader()
        for request in [
            try dataURL("image/png;base64," + png.base64EncodedString()), try dataURL("image/png," + percentEncoded),
            ImageRequest(data: png, id: "bytes"), ImageRequest(id: "closure") { [png] in png },
        ] {
            let response = try await loader.response(for: request)
            #expect(response.source == .local)
            #expect(response.image.bitmap == (try Pictures.gradient(8, 6)))
            #expect(response.timings.download == nil)
            #expect(loader.cachedImage(for: request)?.bitmap === response.image.bitmap)
            #expect(try await loader.response(for: request).source == .memory)
            #expect(try await loader.data(for: request) == png)
            await loader.remove(request)
            #expect(loader.cachedImage(for: request) == nil)
        }
        try await expectNothingOnDisk(loader)
        #expect(fixture.transport.callCount == 0)
    }

    @Test func oversizedEmptyOrInvalidSource_isRejected() async throws {
        var fixture = fixture
        fixture.configuration.download.response.maximumBytes = png.count
        let loader = fixture.makeLoader()
        let large = png + [0]
        let tooLarge = ImageLoaderError.limitExceeded(.inputBytes, value: large.count, allowed: png.count)
        for (bytes, error) in [
            (large, tooLarge), (Data(), .emptyBody), (Data("text".utf8), .notAnImage(found: "text")),
        ] {
            for request in [
                try dataURL(";base64," + bytes.base64EncodedString()), ImageRequest(data: bytes, id: "\(bytes.count)"),
                ImageRequest(id: "closure \(bytes.count)") { bytes },
            ] {
                let thrown = await #expect(throws: ImageLoaderError.self) { try await loader.image(for: request) }
                if case .notAnImage = error, case .notAnImage = thrown { continue }
                if case .limitExceeded(.inputBytes, _, png.count) = thrown, error == tooLarge { continue }
                #expect(thrown == error)
            }
        }
        _ = try await loader.image(for: ImageRequest(data: png, id: "just"))
    }

    @Test func malformedDataURL_isInvalid() async throws {
        let request = try dataURL("image/png;base64")
        let thrown = await #expect(throws: ImageLoaderError.self) { try await fixture.makeLoader().image(for: request) }
        guard case .invalidURL = thrown else { return #expect(thrown == .invalidURL("", reason: "")) }
    }

    // MARK: Closures

    @Test func closure_isCalledOnce_forConcurrentLoads() async throws {
        let loader = fixture.makeLoader()
        let callers = (0..<20).map { _ in loader.imageTask(for: gated()) }
        await fixture.untilCoalesced(19)
        gate.open()
        for caller in callers { #expect(try await caller.value.source == .local) }
        #expect(calls.values.count == 1)
        _ = try await loader.image(for: gated("another"))
        #expect(calls.values.count == 2)
    }

    @Test func closure_isCancelled_withLastWaiter() async throws {
        let cancelled = Recorder<Void>()
        let request = ImageRequest(id: "slow") { [calls, gate, png] in
            calls.record(())
            do { try await gate.pass() } catch { cancelled.record(()) }
            return png
        }
        let loader = fixture.makeLoader()
        let callers = [loader.imageTask(for: request), loader.imageTask(for: request)]
        await calls.wait { $0.count == 1 }
        await fixture.untilCoalesced(1)
        callers[0].cancel()
        await #expect(throws: ImageLoaderError.cancelled) { try await callers[0].value }
        #expect(cancelled.values.isEmpty)
        callers[1].cancel()
        await cancelled.wait { $0.count == 1 }
        await #expect(throws: ImageLoaderError.cancelled) { try await callers[1].value }
        #expect(loader.cachedImage(for: request) == nil)
    }

    @Test func closureError_isReported() async throws {
        let loader = fixture.makeLoader()
        let broken = ImageRequest(id: "broken") { throw Broken() }
        let failed = ImageLoaderError.sourceFailed(UnderlyingError(Broken()))
        await #expect(throws: failed) { try await loader.image(for: broken) }
        await #expect(throws: failed) { try await loader.data(for: broken) }
        let own = ImageRequest(id: "own") { throw ImageLoaderError.notCached }
        await #expect(throws: ImageLoaderError.notCached) { try await loader.image(for: own) }
        let gone = ImageRequest(id: "gone") { throw CancellationError() }
        // Nobody cancelled the caller.
        let notCancelled = ImageLoaderError.sourceFailed(UnderlyingError(CancellationError()))
        await #expect(throws: notCancelled) { try await loader.image(for: gone) }
        let other = ImageRequest(id: "other") { throw ImageLoaderError.cancelled }
        let elsewhere = ImageLoaderError.sourceFailed(UnderlyingError(ImageLoaderError.cancelled))
        await #expect(throws: elsewhere) { try await loader.image(for: other) }
    }

    @Test func dataCaller_isCancelled_whateverClosureThrows() async throws {
        let request = ImageRequest(id: "slow") { [calls, gate, png] in
            calls.record(())
            do { try await gate.pass() } catch { throw Broken() }
            return png
        }
        let task = fixture.makeLoader().dataTask(for: request)
        await calls.wait { $0.count == 1 }
        task.cancel()
        await #expect(throws: ImageLoaderError.cancelled) { try await task.value }
    }

    @Test func cancelledCaller_doesNotWaitForClosure() async throws {
        defer { gate.open() }
        let request = ImageRequest(id: "stubborn") { [calls, gate, png] in
            calls.record(())
            // Not cancelled with the one who waits for it.
            _ = await Task.detached { try await gate.pass() }.result
            return png
        }
        let loader = fixture.makeLoader()
        let bytes = loader.dataTask(for: request)
        await calls.wait { $0.count == 1 }
        bytes.cancel()
        await #expect(throws: ImageLoaderError.cancelled) { try await bytes.value }
        let image = loader.imageTask(for: request)
        await calls.wait { $0.count == 2 }
        image.cancel()
        await #expect(throws: ImageLoaderError.cancelled) { try await image.value }
    }

    @Test func failure_isNotRemembered() async throws {
        var fixture = fixture
        fixture.configuration.download.failureLifetimes = FailureLifetimes()
        let loader = fixture.makeLoader()
        let png = png
        let request = ImageRequest(id: "late") { [calls] in
            calls.record(())
            return calls.values.count == 1 ? Data("no picture".utf8) : png
        }
        #expect(await failure { try await loader.image(for: request) } == .notAnImage)
        #expect(try await loader.response(for: request).source == .local)
    }

    @Test func id_isNotURL() async throws {
        let loader = fixture.makeLoader()
        let url = try URL.test()
        _ = try await loader.image(for: ImageRequest(data: png, id: url.absoluteString))
        #expect(loader.cachedImage(for: ImageRequest(url: url)) == nil)
    }
}
