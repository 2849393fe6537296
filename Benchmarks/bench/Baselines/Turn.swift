import Synchronization

/// A counter that continues from sample to sample.
final class Turn: Sendable {
    private let number = Atomic(0)

    /// The number of calls of `next` so far.
    var count: Int { number.load(ordering: .relaxed) }

    @discardableResult
    func next() -> Int { number.add(1, ordering: .relaxed).oldValue }
}
