import Alcedo
import AlcedoTestSupport
import Testing

@testable import TestFixtures

struct PreviewBudgetTests {
    private let settings = ImageLoader.Configuration.Previews()

    private func budget(_ received: Int, of expected: Int?, continuing: Int = 0) -> PreviewBudget {
        var budget = PreviewBudget(settings, continuing: continuing)
        budget.receive(received, of: expected)
        return budget
    }

    @Test func firstPreview_isDue_afterInterval() {
        let budget = budget(100_000, of: 10_000_000)
        #expect(budget.decision(at: .milliseconds(150)) == .wait(.milliseconds(50)))
        #expect(budget.decision(at: .milliseconds(200)) == .now)
    }

    @Test func nextPreview_isDue_afterIntervalAndMoreBytes() {
        var budget = budget(100_000, of: 10_000_000)
        budget.spend(.milliseconds(1), at: .seconds(1), on: 100_000)
        #expect(budget.decision(at: .seconds(5)) == .waitForBytes)
        budget.receive(100_001, of: 10_000_000)
        #expect(budget.decision(at: .milliseconds(1_199)) == .wait(.milliseconds(1)))
        #expect(budget.decision(at: .milliseconds(1_200)) == .now)
    }

    @Test func stoppedTurn_continues_withoutMoreBytes() {
        var budget = budget(100_000, of: 10_000_000)
        budget.spend(.milliseconds(10), at: .seconds(1))
        #expect(budget.decision(at: .milliseconds(1_200)) == .now)
        budget.skip(at: .milliseconds(1_200))
        #expect(budget.decision(at: .milliseconds(1_300)) == .wait(.milliseconds(100)))
    }

    @Test func spending_keepsWithinTimeShare() {
        var budget = budget(100_000, of: nil)
        budget.spend(.milliseconds(300), at: .seconds(1), on: 100_000)
        budget.receive(200_000, of: nil)
        // 300 ms and as much again are a fifth of 3 s.
        #expect(budget.decision(at: .milliseconds(2_999)) != .now)
        #expect(budget.decision(at: .milliseconds(3_001)) == .now)
    }

    @Test func smallBodies_haveNone() {
        #expect(budget(30_000, of: 32_767).decision(at: .seconds(60)) == .never)
        #expect(budget(16_000, of: 32_768).decision(at: .seconds(60)) == .waitForBytes)
        #expect(budget(16_384, of: nil).decision(at: .seconds(60)) == .now)
        #expect(budget(0, of: nil).decision(at: .seconds(60)) == .waitForBytes)
    }

    @Test func completeBody_hasNone() {
        #expect(budget(100_000, of: 100_000).decision(at: .seconds(60)) == .never)
        #expect(budget(100_001, of: 100_000).decision(at: .seconds(60)) == .never)
        var settings = settings
        settings.maximumTimeShare = 0
        var budget = PreviewBudget(settings)
        budget.receive(100_000, of: nil)
        #expect(budget.decision(at: .seconds(60)) == .never)
    }

    @Test func previewBeforeEnd_isSkipped_unlessStalled() {
        // 900,000 bytes in a second: the rest takes 111 ms more, and an interval more if it is not there after 1.8 s.
        let fast = budget(900_000, of: 1_000_000)
        #expect(fast.decision(at: .seconds(1)) == .wait(.milliseconds(800)))
        #expect(fast.decision(at: .milliseconds(1_800)) == .now)
        // What an earlier transfer has brought says nothing of the speed.
        #expect(budget(900_000, of: 1_000_000, continuing: 890_000).decision(at: .milliseconds(200)) == .now)
        #expect(budget(890_000, of: 1_000_000, continuing: 890_000).decision(at: .milliseconds(200)) == .now)
    }

    @Test func extremes_doNotTrap() {
        var settings = settings
        settings.maximumTimeShare = .leastNonzeroMagnitude
        settings.interval = .seconds(1 << 40)
        settings.minimumBytes = .max
        var budget = PreviewBudget(settings, continuing: 5)
        budget.receive(0, of: .max)
        budget.spend(.seconds(1), at: .seconds(1), on: 0)
        budget.receive(.max, of: nil)
        #expect(budget.decision(at: .seconds(60)) != .now)
        budget.receive(.max - 1, of: .max)
        #expect(budget.decision(at: .seconds(60)) != .now)
    }

    /// Any transfer, any costs: at each moment the rules hold that the budget was made for.
    @Test func rules_hold_forRandomHistories() {
        var random = SeededRandom(seed: Fuzz.seed)
        for step in 0..<max(100, Fuzz.steps / 100) {
            var settings = settings
            settings.interval = .milliseconds(Int.random(in: 0...300, using: &random))
            settings.maximumTimeShare = Double.random(in: 0.01...1, using: &random)
            settings.minimumBytes = Int.random(in: 0...100_000, using: &random)
            let size = Int.random(in: 1...1_000_000, using: &random)
            let expected = Bool.random(using: &random) ? size : nil
            var budget = PreviewBudget(settings)
            var (now, spent, last, received, shown) = (Duration.zero, Duration.zero, Duration.zero, 0, 0)
            for _ in 0..<40 {
                now += .milliseconds(Int.random(in: 0...100, using: &random))
                received = min(size, received + Int.random(in: 0...size / 10, using: &random))
                budget.receive(received, of: expected)
                let decision = budget.decision(at: now)
                if case .wait(let delay) = decision {
                    must(delay > .zero && budget.decision(at: now + delay) == .now, "step \(step)")
                }
                guard decision == .now else { continue }
                must(now - last >= settings.interval && received > shown, "step \(step)")
                must(received < expected ?? .max && settings.minimumBytes <= expected ?? .max, "step \(step)")
                let cost = Duration.milliseconds(Int.random(in: 0...50, using: &random))
                // What the latest one took is not known before; all others keep the share.
                must(spent / .seconds(1) <= now / .seconds(1) * settings.maximumTimeShare + 1e-9, "step \(step)")
                now += cost
                spent += cost
                (last, shown) = (now, received)
                budget.spend(cost, at: now, on: received)
            }
        }
    }
}
