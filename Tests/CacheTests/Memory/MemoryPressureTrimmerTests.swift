import AlcedoTestSupport
import Foundation
import Synchronization
import Testing

@testable import Alcedo
@testable import TestFixtures

@Suite(.timeLimit(.minutes(1))) struct MemoryPressureTrimmerTests {
    private let cache = MemoryCache(valid: .init())
    private let watches = Recorder<MemoryPressureTrimmer.OnPressure>()
    private let ends = Recorder<Bool>()

    private func makeTrimmer() -> MemoryPressureTrimmer {
        MemoryPressureTrimmer(cache, onFailure: { _ in }) { [watches, ends] onPressure in
            #expect(WorkerThreads.isCurrent)
            watches.record(onPressure)
            return Token { ends.record(true) }
        }
    }

    private func fill(_ cache: MemoryCache) async throws {
        for number in 0..<8 {
            let entry = MemoryEntry(try MemoryPicture.make(number: number))
            await cache.store(entry, for: ImageKey(ResourceKey(text: "\(number)")), begun: cache.ticket())
        }
        #expect(cache.statistics.count == 8)
    }

    private func untilLeft(_ count: Int) async {
        while !Task.isCancelled, cache.statistics.count != count { await Task.yield() }
        #expect(cache.statistics.count == count)
    }

    @Test func pressure_trimsCache() async throws {
        let trimmer = makeTrimmer()
        let tell = try #require(await watches.wait { !$0.isEmpty }.first)
        try await fill(cache)
        tell(.warning)
        await untilLeft(4)
        tell(.critical)
        await untilLeft(0)
        withExtendedLifetime(trimmer) {}
    }

    /// A system may report one shortage as memory pressure and as a memory warning.
    @Test func reportsOfOneShortage_trimOnce() async throws {
        let now = Mutex(Duration.zero)
        let cache = MemoryCache(valid: .init(), now: { now.withLock { $0 } })
        try await fill(cache)
        for _ in 0..<2 { await cache.trimUnderPressure(toFraction: 0.5) }
        #expect(cache.statistics.count == 4)
        await cache.trimUnderPressure(toFraction: 0.25)
        #expect(cache.statistics.count == 2)
        now.withLock { $0 = .seconds(1) }
        await cache.trimUnderPressure(toFraction: 0.5)
        #expect(cache.statistics.count == 1)
    }

    @Test func releasedTrimmer_watchesNoLonger() async throws {
        var trimmer: MemoryPressureTrimmer? = makeTrimmer()
        _ = await watches.wait { !$0.isEmpty }
        withExtendedLifetime(trimmer) {}
        trimmer = nil
        await ends.wait { !$0.isEmpty }
    }

    @Test func failureToWatch_isReported() async {
        let failures = Recorder<CacheFailure>()
        let why = FileError(call: "open", path: "/pressure", code: ENOENT)
        let trimmer = MemoryPressureTrimmer(cache, onFailure: failures.record) {
            (_) throws(MemoryPressureUnavailable) -> any Sendable in
            throw MemoryPressureUnavailable(failures: [why])
        }
        let failure = await failures.wait { !$0.isEmpty }.first
        #expect(failure?.operation == .watch && failure?.path == "/pressure")
        withExtendedLifetime(trimmer) {}
    }
}

/// Tells when it is released.
private final class Token: Sendable {
    private let onEnd: @Sendable () -> Void

    init(_ onEnd: @escaping @Sendable () -> Void) { self.onEnd = onEnd }

    deinit { onEnd() }
}
