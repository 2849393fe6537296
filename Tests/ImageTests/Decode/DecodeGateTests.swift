import AlcedoTestSupport
import Foundation
import Testing

@testable import Alcedo
@testable import TestFixtures

@Suite(.timeLimit(.minutes(1))) struct DecodeGateTests {
    private let decoder = GatedDecoder()
    private let png: Data

    init() throws { png = try Pictures.png() }

    private func makeGate(width: Int) -> DecodeGate {
        var settings = DecodeSettings()
        settings.maximumConcurrentDecodes = width
        settings.decoders = ImageDecoders([decoder])
        return DecodeGate(settings)
    }

    private func decode(with gate: DecodeGate) -> Task<DecodedImage, any Error> {
        Task { [png] in try await gate.decode(png) }
    }

    @Test func concurrentDecodes_areLimited_andPermitsReturned() async throws {
        let gate = makeGate(width: 2)
        let tasks = (0..<20).map { _ in decode(with: gate) }
        await decoder.gate.arrivals(2)
        decoder.gate.open()
        for task in tasks { _ = try await task.value }
        #expect(decoder.most == 2)
    }

    @Test func concurrentDecodes_takeAQuarterOfMemoryAtMost() async throws {
        var settings = DecodeSettings()
        settings.maximumConcurrentDecodes = 4
        settings.decoders = ImageDecoders([decoder])
        let picture = try Pictures.png(100, 100)
        let gate = DecodeGate(settings, memory: ProcessMemory { 4 * 2 * 40_000 })
        let tasks = (0..<4).map { _ in Task { try await gate.decode(picture) } }
        await decoder.gate.arrivals(2)
        while gate.counts.waiting < 2 { await Task.yield() }
        #expect(gate.counts.running == 2)
        decoder.gate.open()
        for task in tasks { _ = try await task.value }
        #expect(decoder.most == 2)
    }

    @Test func waiterCancelledInQueue_returnsAtOnce() async throws {
        let gate = makeGate(width: 1)
        let first = decode(with: gate)
        await decoder.gate.arrivals(1)
        let second = decode(with: gate)
        second.cancel()
        await #expect(throws: ImageLoaderError.cancelled) { try await second.value }
        let third = decode(with: gate)
        decoder.gate.open()
        _ = try await first.value
        _ = try await third.value
        #expect(decoder.count == 2)
    }

    @Test func highestPriority_goesFirst_evenIfRaisedInQueue() async throws {
        let gate = makeGate(width: 1)
        let first = decode(with: gate)
        await decoder.gate.arrivals(1)
        let controls = [RequestPriority.low, .normal, .normal].map { LoadControl(priority: $0) }
        var tasks: [Task<Void, any Error>] = []
        for (number, control) in controls.enumerated() {
            tasks.append(
                Task { [png] in _ = try await gate.decode(png + Data(count: number + 1), control) })
            while !Task.isCancelled, gate.counts.waiting < tasks.count { await Task.yield() }
        }
        controls[0].setPriority(.veryHigh)
        while !Task.isCancelled, gate.counts.next != .veryHigh { await Task.yield() }
        decoder.gate.open()
        _ = try await first.value
        for task in tasks { try await task.value }
        #expect(decoder.byteCounts == (0...3).map { png.count + $0 })
    }

    @Test func cancelledDecode_notifiesDecoder_andReturnsPermit() async throws {
        let gate = makeGate(width: 1)
        let first = decode(with: gate)
        await decoder.gate.arrivals(1)
        #expect(decoder.cancellations.map(\.isCancelled) == [false])
        first.cancel()
        #expect(decoder.cancellations.map(\.isCancelled) == [true])
        let second = decode(with: gate)
        decoder.gate.open()
        _ = try await second.value
        _ = await first.result
    }

    @Test func header_isReadOnce() async throws {
        let decoder = StoredDecoder()
        var settings = DecodeSettings()
        settings.decoders = ImageDecoders([decoder])
        let image = try await DecodeGate(settings).decode(png)
        #expect(image.size == PixelSize(width: 3, height: 2))
        #expect(decoder.heads.values == [png.count])
    }

    @Test func headerOfLargeFile_isReadOnWorkerThread() async throws {
        decoder.gate.open()
        let gate = makeGate(width: 1)
        _ = try await gate.decode(png)
        #expect(decoder.headersOnWorkers == [false])
        _ = try await gate.decode(png + Data(count: 1 << 20))
        #expect(decoder.headersOnWorkers == [false, true])
    }

    // MARK: Where decodes run

    @Test(arguments: [(nil, true), (1, false), (150, false), (151, true)])
    func quickDecodes_runOnCallersPool_othersOnWorkers(microseconds: Int?, isOnWorker: Bool) async throws {
        let decoder = StoredDecoder(estimate: microseconds.map { .microseconds($0) })
        var settings = DecodeSettings()
        settings.decoders = ImageDecoders([decoder])
        _ = try await DecodeGate(settings).decode(png)
        #expect(decoder.onWorkers.values == [isOnWorker])
    }

    @MainActor @Test func quickDecode_leavesCallersActor() async throws {
        let decoder = StoredDecoder(estimate: .zero)
        var settings = DecodeSettings()
        settings.decoders = ImageDecoders([decoder])
        _ = try await DecodeGate(settings).decode(png)
        #expect(decoder.onMainThread.values == [false])
    }

    @Test func quickDecode_waitsForPermit() async throws {
        let quick = StoredDecoder(estimate: .zero)
        var settings = DecodeSettings()
        settings.maximumConcurrentDecodes = 1
        settings.decoders = ImageDecoders([decoder, quick])
        let gate = DecodeGate(settings)
        let slow = decode(with: gate)
        await decoder.gate.arrivals(1)
        let waiting = Task { try await gate.decode(Data("quick".utf8)) }
        while !Task.isCancelled, gate.counts.waiting == 0 { await Task.yield() }
        #expect(quick.onWorkers.values.isEmpty)
        decoder.gate.open()
        _ = try await slow.value
        _ = try await waiting.value
        #expect(quick.onWorkers.values == [false])
    }

    // MARK: Guests

    @Test func previewDecode_runs_onlyWhileIdle() async throws {
        let gate = makeGate(width: 1)
        #expect(await gate.whenIdle { _ in WorkerThreads.isCurrent } == true)
        let first = decode(with: gate)
        await decoder.gate.arrivals(1)
        #expect(await gate.whenIdle { _ in 1 } == nil)
        decoder.gate.open()
        _ = try await first.value
        #expect(await gate.whenIdle { _ in 2 } == 2)
    }

    @Test func previewDecode_isStopped_whenAnImageWaits() async throws {
        let gate = makeGate(width: 1)
        decoder.gate.open()
        let (door, cancellations) = (ThreadGate(), Recorder<DecodeCancellation>())
        async let guest = gate.whenIdle { cancellation in
            cancellations.record(cancellation)
            door.enter()
            return cancellation.isCancelled
        }
        await door.arrivals(1)
        let picture = decode(with: gate)
        while !Task.isCancelled, cancellations.values.first?.isCancelled == false { await Task.yield() }
        door.open()
        #expect(await guest == true)
        _ = try await picture.value
    }

    @Test func cancelledPreviewDecode_isStopped() async throws {
        let gate = makeGate(width: 1)
        let door = ThreadGate()
        let guest = Task {
            await gate.whenIdle { cancellation in
                door.enter()
                return cancellation.isCancelled
            }
        }
        await door.arrivals(1)
        guest.cancel()
        door.open()
        #expect(await guest.value == true)
    }
}

/// Records whose heads it reads, and where it decodes.
private struct StoredDecoder: StoredImageDecoding, EstimatedDecoding {
    let format = ImageFormat.png
    let heads = Recorder<Int>()
    let onWorkers = Recorder<Bool>()
    let onMainThread = Recorder<Bool>()
    var estimate: Duration?

    func recognizes(_ head: Data, detected: ImageFormat?) -> Bool { true }

    func cost(_ header: ImageHeader, byteCount: Int, _ request: DecodeRequest) -> DecodeCost {
        DecodeCost(workingBytes: 24, time: estimate)
    }

    func header(of data: Data, limits: DecodeLimits) throws(ImageLoaderError) -> ImageHeader {
        heads.record(data.count)
        return ImageHeader(format: .png, size: PixelSize(width: 3, height: 2))
    }

    func decodeStored(
        _ data: Data, _ header: ImageHeader, atLeast least: PixelSize?, _ request: DecodeRequest
    ) throws(ImageLoaderError) -> StoredImage {
        onWorkers.record(WorkerThreads.isCurrent)
        onMainThread.record(Thread.isMainThread)
        return StoredImage(bitmap: try BitmapBuilder(size: header.size).freeze())
    }
}
