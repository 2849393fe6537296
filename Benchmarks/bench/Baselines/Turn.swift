import Synchronization

/// A counter that continues from sample to sample.
final class Turn: Sendable {
    private let number = Atomic(0)

    func next() -> Int { number.add(1, ordering: .relaxed).oldValue }
}
