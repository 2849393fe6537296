import Alcedo
import AlcedoTestSupport
import Foundation
import Testing

@testable import TestFixtures

/// Rounds of random actions. After each round comes a quiet moment, in which no work may be left over.
struct Chaos {
    private static let environment = ProcessInfo.processInfo.environment
    static let isAskedFor = environment["ALCEDO_CHAOS_SECONDS"] != nil
    static let seconds = environment["ALCEDO_CHAOS_SECONDS"].flatMap { Int($0) } ?? 5
    static let seed = environment["ALCEDO_CHAOS_SEED"].flatMap { UInt64($0) } ?? 1
    static let callers = 64
    /// The longest time that a call may take.
    static let patience = Duration.seconds(60)

    private let site = ChaosSite(seed: seed)
    private let ledger: ChaosLedger
    private let server: LoopbackServer
    private let kind: StoreKind?

    /// - Parameter kind: The store in place of the disk cache; nil for none.
    init(_ kind: StoreKind?) throws {
        self.kind = kind
        let site = site
        ledger = ChaosLedger(site)
        server = try LoopbackServer { site.reply(to: $0) }
    }

    func run() async throws {
        // The first rounds create everything that a process creates only once.
        try await rounds(seconds: 2)
        let before = Footprint()
        try await rounds(seconds: kind == nil ? Self.seconds : max(1, Self.seconds / 8))
        try await server.until { $0.openConnections == 0 }
        before.waitUntilRestored()
        print("chaos over \(kind?.rawValue ?? "the disk cache"): \(ledger.summary), seed \(Self.seed)")
        for problem in ledger.problems { Issue.record(Comment(rawValue: problem)) }
    }

    private func rounds(seconds: Int) async throws {
        let loaders = try ChaosLoaders(kind)
        let end = ContinuousClock.now + .seconds(seconds)
        var number: UInt64 = 0
        while ContinuousClock.now < end, ledger.problems.isEmpty {
            number += 1
            await round(number, loaders, until: min(end, .now + .seconds(3)))
            try await checkQuiet(loaders)
        }
        await loaders.close()
    }

    private func round(_ number: UInt64, _ loaders: ChaosLoaders, until end: ContinuousClock.Instant) async {
        let watch = watch(until: end)
        @Sendable func caller(_ index: Int) -> ChaosCaller {
            let seed = (Self.seed &* 1_000 &+ number) &* 1_000 &+ UInt64(index)
            return ChaosCaller(
                site: site, ledger: ledger, loaders: loaders, url: { [server] in server.url($0) },
                random: SeededRandom(seed: seed))
        }
        await withTaskGroup(of: Void.self) { group in
            for index in 0..<Self.callers {
                group.addTask {
                    var caller = caller(index)
                    while !Task.isCancelled { await caller.act() }
                }
            }
            if number.isMultiple(of: 3) {
                group.addTask {
                    var caller = caller(Self.callers)
                    await caller.upheave()
                }
            }
            await checkLimits(loaders, until: end)
            group.cancelAll()
        }
        watch.cancel()
        loaders.heal()
    }

    /// Ends the process if a call doesn't end.
    private func watch(until end: ContinuousClock.Instant) -> Task<Void, any Error> {
        Task.detached { [ledger] in
            try await Task.sleep(until: end + Self.patience)
            for number in ledger.running { ledger.report("a call has not ended", number) }
            print(ledger.problems.joined(separator: "\n"))
            exit(1)
        }
    }

    private func checkLimits(_ loaders: ChaosLoaders, until end: ContinuousClock.Instant) async {
        while ContinuousClock.now < end {
            let memory = loaders.memory.statistics.byteCount
            ledger.must(memory <= ChaosLoaders.memoryLimit, "\(memory) bytes in memory")
            await checkDisk(loaders)
            let running = await loaders.downloads.statistics.running
            ledger.must(running <= ChaosLoaders.width, "\(running) downloads run")
            await nap(.milliseconds(100))
        }
    }

    /// Checks the size of the disk cache. Files that couldn't be removed count too, and the next store evicts others.
    private func checkDisk(_ loaders: ChaosLoaders) async {
        guard let disk = loaders.disk else { return }
        var bytes = 0
        for _ in 0..<300 {
            bytes = await disk.statistics.byteCount
            if bytes <= ChaosLoaders.diskLimit { return }
            await nap(.milliseconds(10))
        }
        ledger.report("\(bytes) bytes on disk for three seconds")
    }

    /// Checks that all transfers end soon after their last caller, and not only when they time out.
    private func checkQuiet(_ loaders: ChaosLoaders) async throws {
        let began = ContinuousClock.now
        try await server.until { $0.activeRequests == 0 }
        var statistics = await loaders.downloads.statistics
        while statistics.running + statistics.queued > 0, ContinuousClock.now - began < Self.patience {
            await nap(.milliseconds(1))
            statistics = await loaders.downloads.statistics
        }
        let time = ContinuousClock.now - began
        ledger.must(time < ChaosLoaders.idleTimeout / 2, "downloads ran for \(time) after their last caller")
        await loaders.tier.flush()
        if let disk = loaders.disk {
            let counted = await disk.statistics.byteCount
            ledger.must(counted <= ChaosLoaders.diskLimit, "\(counted) bytes on disk in a quiet moment")
            let report = await disk.verify()
            ledger.must(report.damaged.isEmpty, "damaged entries: \(report.damaged)")
        }
        for number in 0..<ChaosSite.count where ChaosSite.rule(number) == .notStored {
            let url = server.url(ChaosSite.path(number))
            for loader in loaders.all where await loader.contains(url, in: .all) {
                ledger.report("a picture is stored that must not be", number)
            }
        }
    }
}

/// Sleeps for a duration, or until the Task is cancelled.
func nap(_ duration: Duration) async {
    do { try await Task.sleep(for: duration) } catch { must(error is CancellationError, "\(error)") }
}
