import Alcedo
import AlcedoTestSupport
import Foundation
import Testing

@testable import TestFixtures

/// A process that is killed at any moment leaves a directory that can be trusted.
@Suite(.timeLimit(.minutes(30))) struct DiskCrashTests {
    private static let rounds = ProcessInfo.processInfo.environment["ALCEDO_CRASH_ROUNDS"].flatMap { Int($0) } ?? 16

    @Test func kill_leavesWholeEntries_andFlushedOnes() async throws {
        let seed = UInt64.random(in: .min ... .max)
        var draws = SeededRandom(seed: seed)
        let rounds = (0..<Self.rounds).map { number in
            // In every fourth round a second process writes, too; with room for all, and without.
            let company: CrashScript.Company = number % 4 > 0 ? .none : number % 8 > 0 ? .tight : .roomy
            return Round(
                seed: draws.next(), company: company,
                kills: (0..<2).map { _ in Int.random(in: 1...2_500, using: &draws) })
        }
        try await withThrowingTaskGroup(of: Void.self) { group in
            // Two at a time: as many as there are cores where this is run most.
            for (number, round) in rounds.enumerated() {
                if number >= 2 { try await group.next() }
                group.addTask { try await round.run() }
            }
            try await group.waitForAll()
        }
    }

    private struct Round {
        let seed: UInt64
        let company: CrashScript.Company
        /// The calls in which the processes are killed.
        let kills: [Int]

        func run() async throws {
            let temporary = try TemporaryDirectory()
            let comment = Comment("seed \(seed), \(company), killed at calls \(kills)")
            async let first: Void = process(0, in: temporary.path, comment)
            if company != .none { await process(1, in: temporary.path, comment) }
            await first
            let processes = company == .none ? 0...0 : 0...1
            try await CrashCheck(temporary: temporary, comment: comment)
                .check(processes.map { CrashScript(seed: seed, company: company, process: $0) })
        }

        private func process(_ number: Int, in path: String, _ comment: Comment) async {
            await #expect(processExitsWith: .signal(SIGKILL), comment) {
                [
                    path = path as String, seed = seed as UInt64, company = company.rawValue as String,
                    number = number as Int, killAt = kills[number] as Int
                ] in
                let calls = FaultySystemCalls()
                calls.killProcess(at: killAt)
                let company = try #require(CrashScript.Company(rawValue: company))
                await CrashScript(seed: seed, company: company, process: number).run(in: path, calls)
                kill(getpid(), SIGKILL)
            }
        }
    }
}
