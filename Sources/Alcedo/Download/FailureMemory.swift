/// The URLs that failed lately, each for the lifetime of its failure.
///
/// Each is kept for two lifetimes: while it is the answer to everyone, and while a cached fallback may answer in its
/// place. The number is bounded: those that have expired go first, then the oldest.
package struct FailureMemory<Key: Hashable & Sendable>: Sendable {
    private struct Failure: Sendable {
        let error: ImageLoaderError
        let start: Duration
        /// When it is no longer the answer.
        let answerEnd: Duration
        /// When a cached fallback no longer answers in its place.
        let fallbackEnd: Duration
        let number: UInt64

        var end: Duration { max(answerEnd, fallbackEnd) }

        /// A time before the failure can't tell its age, so that a clock that was set back makes nothing last longer.
        func holds(at now: Duration, until end: Duration) -> Bool { start <= now && now < end }
    }

    private let lifetimes: FailureLifetimes
    private let capacity: Int
    private var failures: [Key: Failure] = [:]
    /// The failures in the order they came; those replaced or forgotten are still in it and are skipped.
    private var line: [(key: Key, number: UInt64)] = []
    private var head = 0
    private var lastNumber: UInt64 = 0
    /// No failure ends before this: until then there is nothing expired to look for.
    private var earliestEnd: Duration?

    /// - Parameter capacity: failures that are kept; at least 1.
    package init(lifetimes: FailureLifetimes = .init(), capacity: Int = 10_000) {
        self.lifetimes = lifetimes
        self.capacity = max(1, capacity)
    }

    package var count: Int { failures.count }
    var isEmpty: Bool { failures.isEmpty }

    /// The failure that `key` is to be answered with, nil when it is to be loaded.
    package func error(for key: Key, now: Duration) -> ImageLoaderError? {
        guard let failure = failures[key], failure.holds(at: now, until: failure.answerEnd) else { return nil }
        return failure.error
    }

    /// The failure in whose place a cached fallback answers, nil when `key` is to be loaded.
    package func errorBeforeFallback(for key: Key, now: Duration) -> ImageLoaderError? {
        guard let failure = failures[key], failure.holds(at: now, until: failure.fallbackEnd) else { return nil }
        return failure.error
    }

    /// Remembers a failure, in place of an earlier one; one without a lifetime is not remembered.
    ///
    /// - Parameters:
    ///   - isAnswer: whether it may be the answer to others; if not, it only lets a cached fallback answer.
    ///   - now: the time since some fixed moment.
    package mutating func record(_ key: Key, _ error: ImageLoaderError, isAnswer: Bool = true, now: Duration) {
        failures[key] = nil
        let answerEnd = now + (isAnswer ? lifetimes.lifetime(of: error) : .zero)
        let fallbackEnd = now + lifetimes.lifetimeWithFallback(of: error)
        let end = max(answerEnd, fallbackEnd)
        if end > now {
            if failures.count >= capacity { makeRoom(now: now) }
            lastNumber += 1
            failures[key] = Failure(
                error: error, start: now, answerEnd: answerEnd, fallbackEnd: fallbackEnd, number: lastNumber)
            line.append((key, lastNumber))
            earliestEnd = min(earliestEnd ?? end, end)
        }
        shortenLine()
    }

    package mutating func forget(_ key: Key) {
        failures[key] = nil
        shortenLine()
    }

    package mutating func forgetAll() {
        failures.removeAll()
        line.removeAll()
        head = 0
        earliestEnd = nil
    }

    /// Why the memory contradicts itself, nil when it does not; for tests.
    package var brokenInvariant: String? {
        if failures.count > capacity { return "there are too many" }
        if line.count - head > lineLimit || head > lineLimit { return "the line is too long" }
        if failures.values.contains(where: { $0.end < earliestEnd ?? .zero }) { return "one ends before the earliest" }
        let turns = line[head...].filter { failures[$0.key]?.number == $0.number }
        return turns.count == failures.count ? nil : "one can never be dropped"
    }

    private mutating func makeRoom(now: Duration) {
        if let earliestEnd, earliestEnd <= now {
            failures = failures.filter { $0.value.holds(at: now, until: $0.value.end) }
            self.earliestEnd = failures.values.map(\.end).min()
        }
        while failures.count >= capacity, head < line.count {
            let (key, number) = line[head]
            head += 1
            if failures[key]?.number == number { failures[key] = nil }
        }
    }

    private var lineLimit: Int { 2 * failures.count + 64 }

    /// Leaves out the places that nobody holds, once they are most of the line: each is moved once on average.
    private mutating func shortenLine() {
        guard head > failures.count + 32 || line.count - head > lineLimit else { return }
        line = line[head...].filter { failures[$0.key]?.number == $0.number }
        head = 0
    }
}
