import AlcedoTestSupport

/// Elements drawn uniformly from a set before the clock starts, so that a timed loop reads them in order without
/// generating random numbers.
struct UniformDraws<Element: Sendable>: Sendable {
    private let drawn: [Element]
    private let mask: Int

    /// Draws 4,096 elements with a seed. `elements` must not be empty.
    init(from elements: [Element], seed: UInt64) {
        precondition(!elements.isEmpty, "there is nothing to draw from")
        var generator = SeededRandom(seed: seed)
        let count = 4_096
        drawn = (0..<count).map { _ in elements[Int.random(in: elements.indices, using: &generator)] }
        mask = count - 1
    }

    /// The `index`-th draw; the sequence repeats after 4,096.
    subscript(index: Int) -> Element {
        @inline(__always) get { drawn[index & mask] }
    }
}
