import AlcedoTestSupport
import Foundation
import Testing

@testable import Alcedo
@testable import TestFixtures

/// Files for clients: made once, stored, and valid for one version of their source.
@Suite(.timeLimit(.minutes(1)), .overEachStore) struct EncodedImageTests {
    private let origin: ChangingOrigin
    private var fixture: LoaderFixture
    private let encoder = CountingEncoder()

    init() throws {
        origin = try ChangingOrigin()
        fixture = try origin.fixture()
    }

    private func loader(_ contents: DiskContents = .originals) -> ImageLoader {
        var configuration = fixture.configuration
        configuration.disk?.contents = contents
        return fixture.makeLoader(configuration)
    }

    private func request(_ side: Int? = 20, _ name: String = "a.png") throws -> ImageRequest {
        try .test(name) { $0.targetSize = side.map { PixelSize(width: $0, height: $0) } }
    }

    /// The tag, if the client has the file.
    private func unmodified(
        _ loader: ImageLoader, _ tag: String?, _ request: ImageRequest? = nil
    ) async throws -> String? {
        let answer = try await loader.encoded(for: request ?? self.request(), as: encoder, ifNoneMatch: tag)
        if case .notModified(let head) = answer { return head.etag }
        return nil
    }

    private func bodies(_ loader: ImageLoader) async throws -> [StoredMetadata] {
        await loader.flush()
        return try await loader.storedEntries()
    }

    private func untilWaiting(_ count: Int, _ loader: ImageLoader) async {
        while !Task.isCancelled, loader.path.decoding.counts.waiting < count { await Task.yield() }
    }

    // MARK: The file

    @Test func file_showsTheImage() async throws {
        var request = try request()
        request.processors = [.gray(), .flip(.horizontal)]
        let loader = loader()
        let file = try await loader.encoded(for: request, as: encoder)
        let image = try await loader.image(for: request)
        #expect(file.format == .png && file.head.source == .network)
        let read = try ImageFormat.png.decoder().decode(file.data, DecodeRequest())
        #expect(read.bitmap == image.bitmap && read.size == PixelSize(width: 20, height: 15))
        #expect(file.headers["Content-Type"] == "image/png")
        #expect(origin.requestCount == 2, "only the file is stored")
    }

    @Test(arguments: [
        ("image/webp", "image/webp"), ("image/jpeg", "image/jpeg"), ("image/png", "image/png"), ("", "image/jpeg"),
    ]) func automaticEncoder_choosesTheFormat(accept: String, type: String) async throws {
        var encoder = AutomaticEncoder(accept: accept)
        encoder.drawn = nil
        let file = try await loader().encoded(for: request(), as: encoder)
        #expect(file.headers["Content-Type"] == type)
        #expect(file.format == ImageFormat(sniffing: file.data))
    }

    #if os(Linux) && WebP
    @Test func animation_keepsItsFrames() async throws {
        let bitmaps = try [
            Pictures.gradient(24, 16), Pictures.plain(24, 16, [0, 255, 0, 255]), Pictures.gradient(24, 16),
        ]
        let frames = bitmaps.map { AnimationFrame($0, delay: .milliseconds(100)) }
        let gif = try GIFEncoder().encode(frames)
        let loader = loader()
        let request = ImageRequest(data: gif, id: "animation")
        let file = try await loader.encoded(for: request, as: WebPEncoder(.lossless))
        let read = try WebPDecoder().decode(file.data, DecodeRequest())
        #expect(read.animation?.frameCount == 3)
        let still = try await loader.encoded(for: request, as: JPEGEncoder())
        #expect(try ImageFormat.jpeg.decoder().decode(still.data, DecodeRequest()).animation == nil)
    }
    #endif

    @Test func localImage_isNotStored_andHasATagOfItsOwn() async throws {
        let loader = loader()
        let request = ImageRequest(data: try Pictures.png(40, 30), id: "own")
        let first = try await loader.encoded(for: request, as: encoder)
        #expect(first.head.source == .local && first.head.freshness == nil && first.head.sourceHead == nil)
        #expect(first.headers["Cache-Control"] == nil && !first.head.etag.hasPrefix("W/"))
        #expect(try await unmodified(loader, first.head.etag, request) == first.head.etag)
        #expect(try await bodies(loader).isEmpty && encoder.count == 2)
    }

    // MARK: Storing

    @Test(arguments: DiskContents.allCases) func file_isFoundAgain(contents: DiskContents) async throws {
        let first = loader(contents)
        let file = try await first.encoded(for: request(), as: encoder)
        #expect(try await first.encoded(for: request(), as: encoder).head.source == .disk)
        let entries = try await bodies(first)
        #expect(entries.count == (contents == .both ? 2 : 1))
        await first.close()
        let again = try await loader(contents).encoded(for: request(), as: encoder)
        #expect(again.data == file.data && again.format == .png && again.head.etag == file.head.etag)
        #expect(again.head.source == .disk && origin.requestCount == 1 && encoder.count == 1)
    }

    @Test func otherEncoders_sizesAndOptions_haveOtherFiles() async throws {
        let loader = loader(.both)
        var requests = try [request(), request(30), request(nil), request(), request(), request()]
        requests[3].processors = [.gray()]
        requests[4].convertsToSRGB = true
        requests[5].keepsMetadata = true
        var tags: Set<String> = []
        for request in requests {
            for encoder in [encoder, CountingEncoder("other")] {
                tags.insert(try await loader.encoded(for: request, as: encoder).head.etag)
            }
        }
        #expect(tags.count == 12 && origin.requestCount == 1)
        #expect(try await bodies(loader).count == 13)
    }

    @Test func storedOriginal_savesTheDownload() async throws {
        let loader = loader()
        _ = try await loader.image(for: request(nil))
        let file = try await loader.encoded(for: request(), as: encoder)
        #expect(file.head.source == .disk && origin.requestCount == 1)
        // The tag is that of the source's version, wherever its bytes came from.
        #expect(try await loader.encoded(for: request(), as: encoder).head.etag == file.head.etag)
    }

    @Test(arguments: ["no-store", "private, max-age=60"])
    func unstorableSource_isNotStored(field: String) async throws {
        origin.change { $0.headers["Cache-Control"] = field }
        let loader = loader(.both)
        for _ in 0..<2 {
            let file = try await loader.encoded(for: request(), as: encoder)
            #expect(file.headers["Cache-Control"] == field)
        }
        #expect(try await bodies(loader).isEmpty && origin.requestCount == 2)
    }

    @Test func policies_apply() async throws {
        let loader = loader()
        var request = try request()
        request.writePolicy = .memoryOnly
        _ = try await loader.encoded(for: request, as: encoder)
        #expect(try await bodies(loader).isEmpty)
        request.readPolicy = .cachedOnly
        await #expect(throws: ImageLoaderError.notCached) { try await loader.encoded(for: request, as: encoder) }
        request = try self.request()
        _ = try await loader.encoded(for: request, as: encoder)
        request.readPolicy = .cachedOnly
        #expect(try await loader.encoded(for: request, as: encoder).head.source == .disk)
        request.readPolicy = .reload
        #expect(try await loader.encoded(for: request, as: encoder).head.source == .network)
    }

    @Test func removal_removesTheFile() async throws {
        let loader = loader()
        _ = try await loader.encoded(for: request(), as: encoder)
        await loader.remove(try request())
        #expect(try await bodies(loader).isEmpty)
        #expect(try await loader.encoded(for: request(), as: encoder).head.source == .network)
    }

    @Test func removal_winsOverAnEncodeInProgress() async throws {
        let gate = ThreadGate()
        let slow = CountingEncoder(gate: gate)
        let loader = loader(.both)
        async let file = loader.encoded(for: request(), as: slow)
        await gate.arrivals(1)
        await loader.remove(try request())
        gate.open()
        _ = try await file
        #expect(try await bodies(loader).isEmpty)
    }

    // MARK: Versions of the source

    @Test func confirmation_renewsAllFiles() async throws {
        let first = loader()
        for side in [20, 30] { _ = try await first.encoded(for: request(side), as: encoder) }
        origin.pass(61)
        let again = try await first.encoded(for: request(), as: encoder)
        #expect(again.head.source == .disk && again.head.staleReason == nil)
        #expect(origin.conditionalCount == 1)
        await first.close()
        let second = loader()
        for side in [20, 30] {
            #expect(try await second.encoded(for: request(side), as: encoder).head.source == .disk)
        }
        #expect(encoder.count == 2 && origin.conditionalCount == 1)
    }

    @Test func newVersion_outdatesAllFiles() async throws {
        let loader = loader()
        var tags: Set<String> = []
        for side in [20, 30] { tags.insert(try await loader.encoded(for: request(side), as: encoder).head.etag) }
        origin.pass(61)
        origin.change { $0.widths["/a.png"] = 44 }
        for side in [20, 30] {
            let file = try await loader.encoded(for: request(side), as: encoder)
            #expect(tags.insert(file.head.etag).inserted)
            #expect(try ImageFormat.png.decoder().header(of: file.data, limits: DecodeLimits()).size.width == side)
        }
        #expect(encoder.count == 4 && origin.conditionalCount == 1)
        #expect(try await bodies(loader).count == 2)
    }

    @Test func failingServer_leavesTheStaleFile() async throws {
        origin.change { $0.headers["Cache-Control"] = "max-age=60, stale-if-error=600" }
        let loader = loader()
        let file = try await loader.encoded(for: request(), as: encoder)
        origin.pass(61)
        origin.change { $0.failure = .status(503) }
        let stale = try await loader.encoded(for: request(), as: encoder)
        #expect(stale.data == file.data && stale.head.staleReason == .afterError)
        #expect(stale.headers["Cache-Control"] == "max-age=0, stale-if-error=600")
        origin.change { $0.failure = .status(404) }
        await #expect(throws: ImageLoaderError.self) { try await loader.encoded(for: request(), as: encoder) }
        #expect(try await bodies(loader).isEmpty)
    }

    @Test(arguments: [false, true]) func staleFile_isShown_whileItIsRevalidated(isChanged: Bool) async throws {
        origin.change { $0.headers["Cache-Control"] = "max-age=60, stale-while-revalidate=600" }
        let loader = loader()
        let file = try await loader.encoded(for: request(), as: encoder)
        origin.pass(61)
        if isChanged { origin.change { $0.widths["/a.png"] = 44 } }
        let stale = try await loader.encoded(for: request(), as: encoder)
        #expect(stale.data == file.data && stale.head.staleReason == .whileRevalidating)
        await fixture.events.wait { $0.contains { if case .revalidated = $0 { true } else { false } } }
        await loader.flush()
        let fresh = try await loader.encoded(for: request(), as: encoder)
        #expect(fresh.head.staleReason == nil && (fresh.head.etag != file.head.etag) == isChanged)
        #expect(origin.requestCount == 2)
    }

    @Test func client_thatHasTheStaleFile_beginsARevalidation() async throws {
        origin.change { $0.headers["Cache-Control"] = "max-age=60, stale-while-revalidate=600" }
        let loader = loader()
        let tag = try await loader.encoded(for: request(), as: encoder).head.etag
        origin.pass(61)
        #expect(try await unmodified(loader, tag) == tag)
        await fixture.events.wait { $0.contains { if case .revalidated = $0 { true } else { false } } }
        #expect(origin.requestCount == 2 && origin.conditionalCount == 1)
    }

    /// Without strong tags, each download is a version of its own.
    @Test func filesOfAWeakTag_areConfirmedOneByOne() async throws {
        let png = try Pictures.png(40, 30)
        let transport = ScriptedDataLoader { request in
            let headers: HTTPHeaders = ["ETag": "W/\"v1\"", "Cache-Control": "no-cache"]
            if request.headers["If-None-Match"] != nil {
                return .response(status: 304, headers: headers, body: Data(), expectedBytes: nil)
            }
            return .bytes(png, headers: headers)
        }
        let loader = try LoaderFixture(transport).makeLoader()
        for _ in 0..<3 {
            try await withThrowingTaskGroup { group in
                for side in [20, 30] {
                    group.addTask { [encoder, request = try request(side)] in
                        try await loader.encoded(for: request, as: encoder)
                    }
                }
                for try await file in group { #expect(file.head.etag.hasPrefix("W/")) }
            }
        }
        #expect(encoder.count == 2)
    }

    @Test func confirmationThatForbidsStoring_removesTheFile() async throws {
        for field in ["no-store", "private"] {
            origin.change { $0.headers["Cache-Control"] = "max-age=60" }
            let loader = loader()
            _ = try await loader.encoded(for: request(), as: encoder)
            origin.pass(61)
            origin.change { $0.headers["Cache-Control"] = field }
            #expect(try await loader.encoded(for: request(), as: encoder).headers["Cache-Control"] == field)
            #expect(try await bodies(loader).isEmpty)
            await loader.close()
        }
        #expect(encoder.count == 2)
    }

    @Test func requestThatForbidsStoring_removesNothing() async throws {
        let loader = loader()
        _ = try await loader.encoded(for: request(), as: encoder)
        var request = try request(30)
        request.headers["Cache-Control"] = "no-store"
        _ = try await loader.encoded(for: request, as: encoder)
        #expect(try await bodies(loader).count == 1)
        #expect(try await loader.encoded(for: self.request(), as: encoder).head.source == .disk)
    }

    // MARK: Tags

    /// Two users' pictures have the same date.
    @Test func tag_withFieldsOfTheRequest_isThatOfTheFile() async throws {
        origin.change {
            ($0.hasTags, $0.headers["Last-Modified"]) = (false, "Thu, 01 Jan 2026 00:00:00 GMT")
            $0.widths = ["/a.png": 44]
        }
        let loader = loader()
        var tags: Set<String> = []
        for user in ["a", "b"] {
            origin.change { $0.widths["/a.png"] = user == "a" ? 40 : 44 }
            var request = try request()
            request.headers["Cookie"] = user
            let file = try await loader.encoded(for: request, as: encoder)
            #expect(!file.head.etag.hasPrefix("W/") && tags.insert(file.head.etag).inserted)
            #expect(try await unmodified(loader, file.head.etag, request) == file.head.etag)
        }
    }

    @Test func clientThatHasTheFile_costsNoEncode() async throws {
        let first = loader()
        let tag = try await first.encoded(for: request(), as: encoder).head.etag
        #expect(try await unmodified(first, tag) == tag)
        #expect(try await unmodified(first, "\"other\", W/\(tag)") == tag)
        #expect(try await unmodified(first, "*") == tag)
        for field in [nil, "", "\"other\"", "W/", tag.replacingOccurrences(of: "\"", with: "")] {
            #expect(try await unmodified(first, field) == nil, "\(field ?? "nil")")
        }
        await first.removeAll()
        // Without the file, its source tells. The bytes are stored for the next one.
        #expect(try await unmodified(first, tag) == tag)
        #expect(try await unmodified(first, tag) == tag)
        #expect(encoder.count == 1 && origin.requestCount == 2)
        origin.pass(61)
        #expect(try await unmodified(first, tag) == tag)
        #expect(origin.conditionalCount == 1)
        origin.pass(61)
        origin.change { $0.widths["/a.png"] = 44 }
        #expect(try await unmodified(first, tag) == nil)
        #expect(encoder.count == 2)
    }

    @Test(
        arguments: [
            (["ETag": "\"v1\""], false), (["ETag": "W/\"v1\""], true),
            (["Last-Modified": "Thu, 01 Jan 2026 00:00:00 GMT"], true), ([:], false),
        ] as [([String: String], Bool)]) func tag_isAsStrongAsTheSources(fields: [String: String], isWeak: Bool)
        async throws
    {
        origin.change {
            $0.hasTags = false
            for (name, value) in fields { $0.headers[name] = value }
        }
        let loader = loader()
        let file = try await loader.encoded(for: request(), as: encoder)
        #expect(file.head.etag.hasPrefix("W/") == isWeak && file.head.etag.hasSuffix("\""))
        let again = try await loader.encoded(for: request(), as: encoder)
        #expect(again.head.etag == file.head.etag && again.head.source == .disk)
        #expect(file.headers["Last-Modified"] == fields["Last-Modified"])
        #expect(try await unmodified(loader, file.head.etag) == file.head.etag)
    }

    @Test(arguments: [
        ("max-age=60", "max-age=50"), ("public, max-age=60, immutable", "public, max-age=50, immutable"),
        ("no-cache", "no-cache"), ("max-age=60, must-revalidate", "max-age=50, must-revalidate"),
        ("s-maxage=5", nil),
    ]) func cacheControl_isWhatRemainsOfTheSources(field: String, expected: String?) async throws {
        origin.change { $0.headers["Cache-Control"] = field }
        let loader = loader()
        _ = try await loader.encoded(for: request(), as: encoder)
        origin.pass(10)
        let answer = try await loader.encoded(for: request(), as: encoder)
        // What has to be confirmed each time is as fresh as its confirmation.
        #expect(answer.headers["Cache-Control"] == expected)
    }

    // MARK: Sharing and limits

    @Test func callers_shareOneFile() async throws {
        let gate = ThreadGate()
        let slow = CountingEncoder(gate: gate)
        let loader = loader()
        async let first = loader.encoded(for: request(), as: slow)
        await gate.arrivals(1)
        async let second = loader.encoded(for: request(), as: slow)
        // This one's client has another file, so it gets the same.
        async let third = loader.encoded(for: request(), as: slow, ifNoneMatch: "\"other\"")
        await fixture.untilCoalesced(2)
        gate.open()
        let data = try await first.data
        #expect(try await second.data == data)
        guard case .modified(let image) = try await third else {
            Issue.record("not modified")
            return
        }
        #expect(image.data == data && slow.count == 1 && origin.requestCount == 1)
        #expect(await loader.coalescedLoadCount == 2)
    }

    @Test func onePermit_spansDecodingAndEncoding() async throws {
        let (gate, decoder) = (ThreadGate(), GatedDecoder())
        decoder.gate.open()
        let slow = CountingEncoder(gate: gate)
        var configuration = fixture.configuration
        configuration.decode.maximumConcurrentDecodes = 2
        configuration.decode.decoders = ImageDecoders([decoder])
        let loader = fixture.makeLoader(configuration)
        try await withThrowingTaskGroup { group in
            for number in 0..<8 {
                group.addTask { [request = try request(20, "\(number).png")] in
                    try await loader.encoded(for: request, as: slow)
                }
            }
            await gate.arrivals(2)
            // All others have their bytes, and wait.
            await untilWaiting(6, loader)
            #expect(decoder.count == 2)
            gate.open()
            for try await _ in group {}
        }
        #expect(slow.most <= 2 && decoder.most <= 2 && slow.count == 8)
    }

    @Test func largeImages_waitForMemory() async throws {
        let gate = ThreadGate()
        let slow = CountingEncoder(gate: gate)
        var configuration = fixture.configuration
        configuration.decode.maximumConcurrentDecodes = 4
        // Twice that is enough for one of 40 × 30 with its copies, and not for two.
        configuration.decode.limits.bitmapBytes = 4 * 40 * 30 * 2
        let loader = fixture.makeLoader(configuration)
        async let first = loader.encoded(for: request(nil, "1.png"), as: slow)
        async let second = loader.encoded(for: request(nil, "2.png"), as: slow)
        await gate.arrivals(1)
        await untilWaiting(1, loader)
        gate.open()
        _ = try await (first, second)
        #expect(slow.most == 1)
    }

    @Test func stages_areReported() async throws {
        let loader = loader()
        let file = try await loader.encoded(for: request(), as: encoder)
        let stages = fixture.recorder.events.compactMap { event in
            if case .ended(let stage, let outcome) = event.kind, outcome.error == nil { stage } else { nil }
        }
        #expect(stages == [.disk, .disk, .firstByte, .download, .encode])
        guard case .loaded(_, .network, let outcome)? = fixture.events.values.last else {
            Issue.record("not loaded")
            return
        }
        #expect(outcome.bytes == file.data.count)
        #expect(await loader.metrics.decoding.encodes.count == 1)
    }

    // MARK: Cancellation and errors

    @Test func cancelledCaller_leavesAtOnce_andStopsTheDownload() async throws {
        let transport = ScriptedDataLoader()
        let loader = try LoaderFixture(transport).makeLoader()
        let load = Task { [encoder, request = try request()] in try await loader.encoded(for: request, as: encoder) }
        let call = try await transport.nextCall()
        load.cancel()
        await #expect(throws: ImageLoaderError.cancelled) { try await load.value }
        try await call.cancelled()
    }

    @Test(arguments: ["cancelled", "cancelAll", "closed"])
    func cancelledCaller_waitsForNoEncoder(how: String) async throws {
        let gate = ThreadGate()
        let slow = CountingEncoder(gate: gate)
        let loader = loader()
        let load = Task { [request = try request()] in try await loader.encoded(for: request, as: slow) }
        await gate.arrivals(1)
        let closing = how == "closed" ? Task { await loader.close() } : nil
        if how == "cancelled" { load.cancel() }
        if how == "cancelAll" { await loader.cancelAll() }
        await #expect(throws: ImageLoaderError.cancelled) { try await load.value }
        gate.open()
        await closing?.value
        if closing != nil {
            await #expect(throws: ImageLoaderError.closed) {
                try await loader.encoded(for: request(), as: encoder)
            }
        }
        #expect(try await bodies(loader).isEmpty)
    }

    @Test func failingEncoder_isNoFaultOfTheBytes() async throws {
        let loader = loader(.both)
        let failure = ImageLoaderError.encodingFailed(.png, reason: "planted")
        encoder.fail(failure)
        await #expect(throws: failure) { try await loader.encoded(for: request(), as: encoder) }
        encoder.fail(nil)
        #expect(try await loader.encoded(for: request(), as: encoder).data.isEmpty == false)
        var limited = AutomaticEncoder()
        limited.maximumBytes = 10
        await #expect(throws: ImageLoaderError.self) { try await loader.encoded(for: request(), as: limited) }
        #expect(try await loader.image(for: request()).size.width == 20)
    }

    @Test func rubbish_isAnError_andNothingIsStored() async throws {
        origin.change { $0.failure = .bytes(Data("no picture".utf8), headers: [:]) }
        let loader = loader(.both)
        await #expect(throws: ImageLoaderError.self) { try await loader.encoded(for: request(), as: encoder) }
        #expect(try await bodies(loader).isEmpty && encoder.count == 0)
    }

    @Test(.needsDiskCache) func damagedFileOfTheCache_isMadeAgain() async throws {
        let first = loader()
        let file = try await first.encoded(for: request(), as: encoder)
        let entry = try #require(await bodies(first).first)
        await first.close()
        let path = try #require(fixture.configuration.disk?.directory).appendingPathComponent("entries")
        let found = try FileManager.default.subpathsOfDirectory(atPath: path.path).first {
            $0.hasSuffix(entry.key.digest)
        }
        let url = path.appendingPathComponent(try #require(found))
        var bytes = try Data(contentsOf: url)
        bytes[bytes.count / 2] ^= 1
        try bytes.write(to: url)
        let again = try await loader().encoded(for: request(), as: encoder)
        #expect(again.data == file.data && again.head.source == .network)
    }

    @Test func fallback_isEncoded() async throws {
        origin.change { $0.failure = .status(404) }
        let loader = loader()
        var request = try request()
        let fallback = fixture.temporary.url.appendingPathComponent("fallback.png")
        try Pictures.png(40, 30).write(to: fallback)
        request.fallbacks = [fallback]
        let file = try await loader.encoded(for: request, as: encoder)
        #expect(file.head.source == .local)
    }
}
