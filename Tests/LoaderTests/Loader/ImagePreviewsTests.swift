import AlcedoTestSupport

#if os(Linux) && JPEG
import Foundation
import Testing

@testable import Alcedo
@testable import TestFixtures

@Suite(.timeLimit(.minutes(1))) struct ImagePreviewsTests {
    private let clock = ManualClock()
    private var fixture: LoaderFixture
    private let jpeg: Data
    private var half: Data { jpeg.prefix(jpeg.count / 2) }
    private var rest: Data { jpeg.dropFirst(jpeg.count / 2) }

    init() throws {
        jpeg = try JPEGEncoder().encode(PhotoFixture.make(160, 200))
        fixture = try LoaderFixture(ScriptedDataLoader())
        // It would sleep on the clock too.
        fixture.configuration.disk = nil
        fixture.configuration.clock = clock
        fixture.configuration.previews.minimumBytes = 0
        fixture.configuration.decode.maximumConcurrentDecodes = 2
    }

    private func decoding(_ decoder: GatedPreviewDecoder) -> LoaderFixture {
        var fixture = fixture
        fixture.configuration.decode.decoders = ImageDecoders([decoder])
        return fixture
    }

    /// Lets the time pass that the maker of previews waits for.
    private func pass() async throws { clock.advance(to: try await clock.nextSleeper()) }

    /// The next preview, once half of the body has come.
    private func first(
        _ task: LoadTask<ImageResponse>, _ call: ScriptedDataLoader.Call
    ) async throws -> ImagePreview {
        var previews = task.previews.makeAsyncIterator()
        call.respond(expectedBytes: jpeg.count)
        call.send(half)
        async let preview = previews.next()
        let due = ManualClock.Instant(offset: .milliseconds(200))
        try await clock.sleeper(until: due)
        clock.advance(to: due)
        return try #require(await preview)
    }

    private func all(_ previews: ImagePreviews) async -> [ImagePreview] {
        var all: [ImagePreview] = []
        for await preview in previews { all.append(preview) }
        return all
    }

    // MARK: What is shown

    @Test func preview_showsReceivedRows_andImageEndsPreviews() async throws {
        let task = fixture.makeLoader().imageTask(for: try .test())
        let call = try await fixture.transport.nextCall()
        var previews = task.previews.makeAsyncIterator()
        call.respond(expectedBytes: jpeg.count)
        call.send(half)
        async let first = previews.next()
        try await pass()
        let preview = try #require(await first)
        #expect(preview.receivedBytes == half.count && preview.expectedBytes == jpeg.count)
        #expect(preview.coverage > 0.2 && preview.coverage < 0.8 && preview.quality == .final)
        #expect(preview.bitmap.size == PixelSize(width: 160, height: 200))
        #expect(preview.bitmap[80, 0].w == 255 && preview.bitmap[80, 199] == .zero)
        call.send(rest.prefix(rest.count / 2))
        async let second = previews.next()
        try await pass()
        #expect(await second?.receivedBytes == half.count + rest.count / 2)
        call.send(rest.dropFirst(rest.count / 2))
        call.finish()
        #expect(await previews.next() == nil)
        #expect(try await task.image.bitmap == JPEGDecoder().decode(jpeg, DecodeRequest()).bitmap)
    }

    @Test func preview_hasSizeAndOrientationOfImage() async throws {
        let turned = JPEGFixture.adding(exif: EXIFFixture(orientation: 6).bytes, to: jpeg)
        var request = try ImageRequest.test()
        request.targetSize = PixelSize(width: 48, height: 48)
        request.contentMode = .crop
        let task = fixture.makeLoader().imageTask(for: request)
        let call = try await fixture.transport.nextCall()
        var previews = task.previews.makeAsyncIterator()
        call.respond(expectedBytes: turned.count)
        call.send(turned.prefix(turned.count * 9 / 10))
        async let first = previews.next()
        try await pass()
        let preview = try #require(await first)
        call.send(turned.dropFirst(turned.count * 9 / 10))
        call.finish()
        let picture = try await task.image.bitmap
        #expect(preview.bitmap.size == picture.size)
        // The stored rows come from the top, which is the right side when they are upright.
        #expect(preview.bitmap[47, 20] == picture[47, 20])
    }

    // MARK: What is not made

    @Test func previews_areNotMade_withoutReader() async throws {
        let decoder = GatedPreviewDecoder()
        let fixture = decoding(decoder)
        let task = fixture.makeLoader().imageTask(for: try .test())
        let call = try await fixture.transport.nextCall()
        call.respond(expectedBytes: jpeg.count)
        call.send(half)
        try await call.delivered()
        #expect(clock.sleeperCount == 0)
        call.send(rest)
        call.finish()
        _ = try await task.value
        #expect(decoder.readerCount == 0)
        #expect(await all(task.previews).isEmpty)
    }

    @Test func smallBodiesAndCachedImages_haveNoPreviews() async throws {
        var fixture = fixture
        fixture.configuration.previews.minimumBytes = jpeg.count + 1
        let loader = fixture.makeLoader()
        let task = loader.imageTask(for: try .test())
        let call = try await fixture.transport.nextCall()
        async let previews = all(task.previews)
        call.respond(expectedBytes: jpeg.count)
        call.send(half)
        try await call.delivered()
        call.send(rest)
        call.finish()
        #expect(await previews.isEmpty)
        _ = try await task.value
        #expect(await all(loader.imageTask(for: try .test()).previews).isEmpty)
    }

    @Test func preview_isNeverCached() async throws {
        var fixture = fixture
        fixture.configuration.disk = .init(directory: fixture.temporary.url.appendingPathComponent("cache"))
        let loader = fixture.makeLoader()
        let task = loader.imageTask(for: try .test())
        let call = try await fixture.transport.nextCall()
        _ = try await first(task, call)
        task.cancel()
        await #expect(throws: ImageLoaderError.cancelled) { try await task.value }
        #expect(loader.cachedImage(for: try .test()) == nil)
        await loader.flush()
        await #expect(throws: ImageLoaderError.notCached) {
            try await loader.image(for: .test { $0.readPolicy = .cachedOnly })
        }
    }

    // MARK: What can go wrong

    @Test func failedPreview_doesNotAffectLoad() async throws {
        let decoder = GatedPreviewDecoder(isBroken: true)
        let fixture = decoding(decoder)
        let task = fixture.makeLoader().imageTask(for: try .test())
        let call = try await fixture.transport.nextCall()
        async let previews = all(task.previews)
        call.respond(expectedBytes: jpeg.count)
        call.send(half)
        try await pass()
        while !Task.isCancelled, decoder.readerCount == 0 || decoder.aliveCount > 0 { await Task.yield() }
        call.send(rest)
        call.finish()
        #expect(try await task.image.size == PixelSize(width: 160, height: 200))
        #expect(await previews.isEmpty)
        #expect(decoder.readerCount == 1)
    }

    @Test func previews_waitForMemoryQuota() throws {
        let quota = MemoryQuota(160 * 200 * 4 * 2)
        let sink = ResponseSink(maximumBytes: 1 << 20)
        try sink.begin(ResponseHead(status: 200, url: try .test(), expectedBytes: jpeg.count))
        try sink.append(half)
        let transfer = TransferProgress(serial: 1, body: sink.receivedBody, received: half.count, expected: jpeg.count)
        func shows(_ work: PreviewWork) -> Bool {
            if case .preview = work.run(transfer, DecodeCancellation()) { true } else { false }
        }
        func work() -> PreviewWork { PreviewWork(.builtIn, DecodeRequest(), quota) }
        do {
            let first = work()
            #expect(shows(first))
            #expect(!shows(work()))
            withExtendedLifetime(first) {}
        }
        #expect(shows(work()))
        #expect(quota.take(160 * 200 * 4 * 2 + 1) == nil && quota.take(-1) == nil)
    }

    @Test func retry_restartsPreviews() async throws {
        let decoder = GatedPreviewDecoder()
        var fixture = decoding(decoder)
        fixture.configuration.download.retry = RetryPolicy()
        let task = fixture.makeLoader().imageTask(for: try .test())
        let call = try await fixture.transport.nextCall()
        var previews = task.previews.makeAsyncIterator()
        call.respond(expectedBytes: jpeg.count)
        call.send(half)
        async let before = previews.next()
        try await pass()
        #expect(await before?.receivedBytes == half.count)
        async let after = previews.next()
        call.fail(.badStatus(503))
        try await pass()
        let again = try await fixture.transport.nextCall()
        again.respond(expectedBytes: jpeg.count)
        again.send(half.prefix(half.count - 100))
        try await pass()
        #expect(await after?.receivedBytes == half.count - 100)
        #expect(decoder.readerCount == 2)
        task.cancel()
    }

    @Test func image_doesNotWaitForPreview() async throws {
        let gate = ThreadGate()
        let decoder = GatedPreviewDecoder(gate: gate)
        let fixture = decoding(decoder)
        let task = fixture.makeLoader().imageTask(for: try .test())
        let call = try await fixture.transport.nextCall()
        async let previews = all(task.previews)
        call.respond(expectedBytes: jpeg.count)
        call.send(half)
        try await pass()
        await gate.arrivals(1)
        call.send(rest)
        call.finish()
        _ = try await task.value
        gate.open()
        #expect(await previews.isEmpty)
        #expect(decoder.cancellations.first?.isCancelled == true)
        while !Task.isCancelled, decoder.aliveCount > 0 { await Task.yield() }
    }

    // MARK: Readers

    @Test func leavingReader_stopsWork() async throws {
        let gate = ThreadGate()
        let decoder = GatedPreviewDecoder(gate: gate)
        let fixture = decoding(decoder)
        let task = fixture.makeLoader().imageTask(for: try .test())
        let call = try await fixture.transport.nextCall()
        let reader = Task { await all(task.previews) }
        call.respond(expectedBytes: jpeg.count)
        call.send(half)
        try await pass()
        await gate.arrivals(1)
        reader.cancel()
        while !Task.isCancelled, decoder.cancellations.first?.isCancelled != true { await Task.yield() }
        gate.open()
        #expect(await reader.value.isEmpty)
        while !Task.isCancelled, decoder.aliveCount > 0 { await Task.yield() }
        call.send(rest)
        call.finish()
        _ = try await task.value
    }

    @Test func twoCallersOfOneImage_shareItsPreviews() async throws {
        let decoder = GatedPreviewDecoder()
        let fixture = decoding(decoder)
        let loader = fixture.makeLoader()
        let tasks = [loader.imageTask(for: try .test()), loader.imageTask(for: try .test())]
        let call = try await fixture.transport.nextCall()
        await fixture.untilCoalesced(1)
        async let one = first(tasks[0], call)
        var previews = tasks[1].previews.makeAsyncIterator()
        let other = try #require(await previews.next())
        #expect(try await one.bitmap === other.bitmap)
        // The first reader may have begun last: it finds the preview as long as the other one is there.
        withExtendedLifetime(previews) {}
        #expect(decoder.readerCount == 1 && decoder.fedBytes == half.count)
        for task in tasks { task.cancel() }
    }

    @Test func remainingReader_takesOverWork() async throws {
        let decoder = GatedPreviewDecoder()
        let fixture = decoding(decoder)
        let loader = fixture.makeLoader()
        let tasks = [loader.imageTask(for: try .test()), loader.imageTask(for: try .test())]
        let call = try await fixture.transport.nextCall()
        await fixture.untilCoalesced(1)
        call.respond(expectedBytes: jpeg.count)
        call.send(half)
        let leader = Task { await all(tasks[0].previews) }
        _ = try await clock.nextSleeper()
        let other = Task {
            var previews = tasks[1].previews.makeAsyncIterator()
            return await previews.next()
        }
        // The load of one ends, and nothing of that of the other.
        tasks[0].cancel()
        #expect(await leader.value.isEmpty)
        try await pass()
        #expect(await other.value?.receivedBytes == half.count)
        tasks[1].cancel()
    }

    @Test func cancellingLoad_endsPreviews() async throws {
        let task = fixture.makeLoader().imageTask(for: try .test())
        let call = try await fixture.transport.nextCall()
        let reader = Task { await all(task.previews) }
        call.respond(expectedBytes: jpeg.count)
        call.send(half)
        _ = try await clock.nextSleeper()
        task.cancel()
        #expect(await reader.value.isEmpty)
        try await call.cancelled()
        while !Task.isCancelled, clock.sleeperCount > 0 { await Task.yield() }
    }

    @Test func eachByte_isCopiedOnce() throws {
        let sink = ResponseSink(maximumBytes: 1 << 20)
        try sink.begin(ResponseHead(status: 200, url: try .test(), expectedBytes: 4_000))
        var taken = Data()
        for start in stride(from: 0, to: 4_000, by: 1_000) {
            try sink.append(Data((start..<start + 1_000).map { UInt8(truncatingIfNeeded: $0) }))
            while true {
                let bytes = sink.copyBytes(from: taken.count, atMost: 300)
                if bytes.isEmpty { break }
                taken.append(bytes)
            }
        }
        #expect(try sink.finish().body == taken)
        #expect(sink.copyBytes(from: 4_001, atMost: 5).isEmpty && sink.copyBytes(from: -1, atMost: -1).isEmpty)
    }
}
#endif
