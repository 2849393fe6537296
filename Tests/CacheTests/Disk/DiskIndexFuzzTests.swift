import Alcedo
import AlcedoTestSupport
import Testing

@testable import TestFixtures

/// The index against a list: all that is to be seen of it is compared after each step.
@Suite(.ownThreads) struct DiskIndexFuzzTests {
    @Test func randomHistories_agreeWithModel() {
        var random = SeededRandom(seed: Fuzz.seed)
        let longest = min(4_000, max(1, Fuzz.steps / 5))
        var step = 0
        while step < Fuzz.steps {
            // Every history begins with a directory that has not been read.
            var run = DiskIndexRun(seed: random.next())
            for _ in 0..<Int.random(in: 1...longest, using: &random) where step < Fuzz.steps {
                let context = "ALCEDO_FUZZ_SEED=\(Fuzz.seed), step \(step)"
                run.step(context)
                run.verify(context)
                step += 1
                // What comes after a first difference says nothing.
                if run.hasFailed { return }
            }
        }
    }
}
