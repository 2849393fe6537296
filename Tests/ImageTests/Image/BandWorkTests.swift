import AlcedoTestSupport
import Foundation
import Synchronization
import Testing

@testable import Alcedo
@testable import TestFixtures

/// Jobs in bands of rows, on one thread or several.
@Suite(.timeLimit(.minutes(1))) struct BandWorkTests {
    private let workers = WorkerThreads("bands", count: 1)

    private func gate(_ threads: Int) -> DecodeGate {
        var settings = DecodeSettings()
        settings.maximumConcurrentDecodes = threads
        return DecodeGate(settings)
    }

    private func context(_ threads: IdleThreads, _ cancellation: DecodeCancellation = .init()) -> ProcessingContext {
        var context = ProcessingContext(originalSize: PixelSize(width: 1, height: 1), cancellation: cancellation)
        context.idleThreads = threads
        return context
    }

    /// Runs a job on a thread that may block.
    private func bands(
        of count: Int, least: Int, _ context: ProcessingContext, _ body: @escaping @Sendable (Range<Int>) -> Void
    ) async throws {
        try await workers.run {
            Result { () throws(ImageLoaderError) in try context.forEachBand(of: count, least: least, body) }
        }.get()
    }

    @Test(arguments: [1, 4], [(0, 1), (1, 64), (64, 64), (65, 64), (1_000, 7), (5, 0), (3, .max)])
    func bands_coverAllRows_once(threads: Int, size: (count: Int, least: Int)) async throws {
        let rows = Mutex<[Int]>([])
        try await bands(of: size.count, least: size.least, context(gate(threads).idleThreads)) { range in
            rows.withLock { $0 += Array(range) }
        }
        #expect(rows.withLock { $0.sorted() } == Array(0..<size.count))
    }

    @Test func idleThreads_help() async throws {
        let (meeting, gate) = (ThreadGate(), gate(3))
        async let job: Void = bands(of: 100, least: 1, context(gate.idleThreads)) { _ in meeting.enter() }
        // The thread that has the job, and the two others of three.
        await meeting.arrivals(3)
        meeting.open()
        try await job
        // All have given their slots back.
        #expect(await gate.whenIdle { _ in true } == true && gate.counts.waiting == 0)
    }

    @Test func busyThreads_doNotHelp_andHelpersLeaveWhenADecodeWaits() async throws {
        let (meeting, gate) = (ThreadGate(), gate(2))
        let needed = Recorder<Bool>()
        for _ in 0..<2 {
            let isLent = gate.idleThreads.lend { isNeededElsewhere in
                needed.record(isNeededElsewhere())
                meeting.enter()
                needed.record(isNeededElsewhere())
            }
            #expect(isLent)
        }
        await meeting.arrivals(2)
        #expect(!gate.idleThreads.lend { _ in } && needed.values == [false, false] && gate.counts.waiting == 0)
        let png = try Pictures.png(40, 30)
        let decode = Task { try await gate.decode(png) }
        while gate.counts.waiting == 0 { await Task.yield() }
        meeting.open()
        _ = try await decode.value
        await needed.wait { $0.count == 4 }
        #expect(needed.values.contains(true))
    }

    @Test func cancelledJob_leavesTheRestOut() async throws {
        let cancellation = DecodeCancellation()
        let begun = Mutex(0)
        await #expect(throws: ImageLoaderError.cancelled) {
            try await bands(of: 1_000, least: 1, context(.none, cancellation)) { range in
                begun.withLock { $0 += 1 }
                if range.lowerBound == 9 { cancellation.cancel() }
            }
        }
        #expect(begun.withLock { $0 } == 10)
    }
}
