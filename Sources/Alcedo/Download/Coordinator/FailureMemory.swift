package import Foundation

/// The resources that failed recently, each for the lifetime of its failure.
///
/// Each failure has two lifetimes: one for returning it to every caller, and one for returning a cached fallback
/// instead. The number of failures is bounded: expired ones are removed first, then the oldest.
package struct FailureMemory<Key: Hashable & Sendable>: Sendable {
    struct Failure: Sendable {
        /// The URL that failed, without its fragment.
        let url: String?
        let error: ImageLoaderError
        let start: Duration
        /// When the failure is no longer returned.
        let answerEnd: Duration
        /// When a cached fallback is no longer returned instead.
        let fallbackEnd: Duration
        let number: UInt64

        var end: Duration { max(answerEnd, fallbackEnd) }

        /// False for a time before the failure, so that no failure lasts longer when the clock is set back.
        func holds(at now: Duration, until end: Duration) -> Bool { start <= now && now < end }

        /// Whether this URL failed. A resource with a custom key may have several URLs, and the others may not fail.
        func isOf(_ url: URL?) -> Bool { self.url == url?.sentText }
    }

    private let lifetimes: FailureLifetimes
    let capacity: Int
    private(set) var failures: [Key: Failure] = [:]
    private var lastNumber: UInt64 = 0

    /// - Parameter capacity: The maximum number of failures; at least 1.
    package init(lifetimes: FailureLifetimes = .init(), capacity: Int = 10_000) {
        self.lifetimes = lifetimes
        self.capacity = max(1, capacity)
    }

    package var count: Int { failures.count }
    var isEmpty: Bool { failures.isEmpty }

    /// The failure to return for `key`, or nil when it should be loaded.
    package func error(for key: Key, from url: URL? = nil, now: Duration) -> ImageLoaderError? {
        guard let failure = failures[key], failure.holds(at: now, until: failure.answerEnd) else { return nil }
        return failure.isOf(url) ? failure.error : nil
    }

    /// The failure for which a cached fallback is returned, or nil when `key` should be loaded.
    package func errorBeforeFallback(for key: Key, from url: URL? = nil, now: Duration) -> ImageLoaderError? {
        guard let failure = failures[key], failure.holds(at: now, until: failure.fallbackEnd) else { return nil }
        return failure.isOf(url) ? failure.error : nil
    }

    /// Records a failure, replacing an earlier one. A failure without a lifetime isn't recorded.
    ///
    /// - Parameter isAnswer: Whether the failure may be returned to other callers. If not, it only permits a cached
    ///   fallback.
    package mutating func record(
        _ key: Key, _ error: ImageLoaderError, from url: URL? = nil, isAnswer: Bool = true, freshness: Duration? = nil,
        now: Duration
    ) {
        failures[key] = nil
        let answerEnd = now + (isAnswer ? lifetimes.lifetime(of: error, freshness: freshness) : .zero)
        let fallbackEnd = now + (error.isOfServer ? lifetimes.withCachedFallback : .zero)
        guard max(answerEnd, fallbackEnd) > now else { return }
        if failures.count >= capacity { makeRoom(now: now) }
        lastNumber += 1
        failures[key] = Failure(
            url: url?.sentText, error: error, start: now, answerEnd: answerEnd, fallbackEnd: fallbackEnd,
            number: lastNumber)
    }

    package mutating func forget(_ key: Key) { failures[key] = nil }

    package mutating func forgetAll() { failures.removeAll() }

    private mutating func makeRoom(now: Duration) {
        failures = failures.filter { $0.value.holds(at: now, until: $0.value.end) }
        guard failures.count > capacity * 9 / 10 else { return }
        // A tenth at once, so that a full memory isn't searched for each failure.
        let last = failures.values.map(\.number).sorted()[capacity / 10]
        failures = failures.filter { $0.value.number > last }
    }
}
