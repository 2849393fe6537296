import AlcedoTestSupport
import Dispatch
import Synchronization
import Testing

@testable import Alcedo
@testable import TestFixtures

/// Processors whose bands are shared out to several threads.
@Suite(.ownThreads, .timeLimit(.minutes(1))) struct ProcessorBandTests {
    /// Threads that help with every job that has several bands.
    private final class Helpers: Sendable {
        private let workers = WorkerThreads("helpers", count: 2)
        private let bands = Atomic(0)

        /// The bands that the threads have done.
        var bandCount: Int { bands.load(ordering: .relaxed) }

        /// Each thread has done a band, or has found none left, before the job goes on. It does one more at most, so
        /// that the thread that has the job works beside it.
        var idleThreads: IdleThreads {
            IdleThreads(count: workers.count) { [self] help in
                let hasHelped = DispatchSemaphore(value: 0)
                workers.submit { [self] in
                    var looks = 0
                    help {
                        // Asked before each band.
                        looks += 1
                        if looks > 1 { bands.add(1, ordering: .relaxed) }
                        if looks == 2 { hasHelped.signal() }
                        return looks > 2
                    }
                    hasHelped.signal()
                }
                hasHelped.wait()
                return true
            }
        }
    }

    /// With bands of no more than 64 rows, or columns, these have at least two.
    @Test(arguments: [(200, 70), (70, 200)])
    func helpingThreads_changeNoPixel(width: Int, height: Int) throws {
        var random = SeededRandom(seed: Fuzz.seed)
        let helpers = Helpers()
        let picture = try Pictures.noise(width, height, seed: random.next())
        for processor in try ProcessorPropertyTests.processors(&random, sides: 65...200) {
            let alone = try processor.made(of: picture)
            var context = ProcessingContext(originalSize: picture.size)
            context.idleThreads = helpers.idleThreads
            let bandsBefore = helpers.bandCount
            let together = try processor.process(picture, context)
            #expect(together == alone, "\(processor)")
            // These work without bands, and what changes nothing doesn't work.
            if processor is TurnProcessor || processor is CropProcessor || alone === picture { continue }
            #expect(helpers.bandCount > bandsBefore || alone.size.height <= 64, "\(processor)")
        }
    }
}
