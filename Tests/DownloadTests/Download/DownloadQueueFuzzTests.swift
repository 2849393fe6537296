import Alcedo
import AlcedoTestSupport
import Testing

@testable import TestFixtures

@Suite(.ownThreads) struct DownloadQueueFuzzTests {
    /// Long histories of a few downloads, each history with its own limits.
    @Test func randomHistories_matchTheModel() {
        var random = SeededRandom(seed: Fuzz.seed)
        let longest = min(2_000, max(1, Fuzz.steps / 10))
        var step = 0
        while step < Fuzz.steps {
            var trial = DownloadQueueTrial(settings(using: &random))
            let population = Int.random(in: 2...24, using: &random)
            var now = 0
            let end = min(Fuzz.steps, step + Int.random(in: 1...longest, using: &random))
            while step < end {
                now += passingTime(using: &random)
                let event = event(population: population, using: &random)
                if let problem = trial.step(event, now: now) { return report(problem, step) }
                step += 1
            }
            if let problem = windUp(&trial, population: population, now: now) { return report(problem, step) }
        }
    }

    private func report(_ problem: String, _ step: Int) {
        Issue.record("ALCEDO_FUZZ_SEED=\(Fuzz.seed), step \(step): \(problem)")
    }

    /// Releases all downloads, after which the queue must be empty.
    private func windUp(_ trial: inout DownloadQueueTrial, population: Int, now: Int) -> String? {
        for id in 0..<population {
            if let problem = trial.step(.release(id), now: now) { return problem }
        }
        let isEmpty = trial.queue.runningCount == 0 && trial.queue.waitingCount == 0
        return isEmpty && trial.queue.nextStart == nil ? nil : "not empty: \(trial.queue)"
    }

    private func settings(using random: inout SeededRandom) -> DownloadQueueSettings {
        DownloadQueueSettings(
            width: Int.random(in: 1...8, using: &random), hostWidth: Int.random(in: 1...4, using: &random),
            order: Bool.random(using: &random) ? .firstInFirstOut : .lastInFirstOut,
            interval: [nil, nil, 1, 125, 500][Int.random(in: 0..<5, using: &random)],
            burst: Int.random(in: 1...5, using: &random))
    }

    /// Mostly a short time; sometimes a long time, and sometimes the clock is set back.
    private func passingTime(using random: inout SeededRandom) -> Int {
        switch Int.random(in: 0..<100, using: &random) {
        case 0: Int.random(in: -2_000...0, using: &random)
        case 1: Int.random(in: 0...5_000, using: &random)
        case 2..<4: Int.random(in: 60_000...700_000, using: &random)
        case 4..<50: 0
        default: Int.random(in: 0...200, using: &random)
        }
    }

    private func event(population: Int, using random: inout SeededRandom) -> DownloadQueueEvent {
        let id = Int.random(in: 0..<population, using: &random)
        let host = ["a", "b", "c", "d", "e"][Int.random(in: 0..<5, using: &random)]
        let priority = RequestPriority.allCases[Int.random(in: 0..<5, using: &random)]
        switch Int.random(in: 0..<100, using: &random) {
        case 0..<38: return .request(id, host: host, priority)
        case 38..<64: return .release(id)
        case 64..<72: return .move(id, host: host)
        case 72..<74: return .setRoom([nil, .veryLow, priority][Int.random(in: 0..<3, using: &random)])
        case 74..<82: return .setPriority(id, priority)
        case 82..<84: return .pause
        case 84..<89: return .resume
        case 89..<91: return .setWidth(Int.random(in: 1...8, using: &random))
        case 96: return .findYielding
        case 97: return .yield(id)
        case 91: return .setWidthOfHosts(Int.random(in: 1...5, using: &random))
        case 92..<96:
            return .setHostWidth(host, Bool.random(using: &random) ? nil : Int.random(in: 1...5, using: &random))
        default: return .tick
        }
    }
}
