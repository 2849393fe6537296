import AlcedoTestSupport
import Foundation

/// A user's scrolling through a feed, always the same: reading, flings, pauses and returns.
struct ScrollTrace: Sendable {
    static let cells = 2_000
    /// The number of cells on the screen.
    static let visible = 8
    /// The interval between two positions, in seconds.
    static let tick = 0.01

    /// The first visible cell at each tick.
    private(set) var positions: [Int] = []
    /// Whether the feed moves forward at each tick.
    private(set) var directions: [Bool] = []

    init() {
        var random = SeededRandom(seed: 3)
        var position = 0.0
        let last = Double(Self.cells - Self.visible)
        while position < last {
            // A cell is visible for between 300 ms, in a fling, and 2 s.
            let isFling = Int.random(in: 0..<5, using: &random) == 0
            let seconds =
                isFling
                ? Double.random(in: 0.3..<0.5, using: &random) : Double.random(in: 0.7...2, using: &random)
            let speed = Double(Self.visible) / seconds
            let isBack = position > 40 && Int.random(in: 0..<7, using: &random) == 0
            let distance = Double(Int.random(in: isFling ? 15...45 : 5...30, using: &random))
            let ticks = Int(distance / speed / Self.tick)
            for _ in 0..<ticks {
                position = min(last, max(0, position + (isBack ? -speed : speed) * Self.tick))
                positions.append(Int(position))
                directions.append(!isBack)
            }
            let pause = Int(Double.random(in: 0.2...1.5, using: &random) / Self.tick)
            positions += Array(repeating: Int(position), count: pause)
            directions += Array(repeating: !isBack, count: pause)
        }
    }

    /// The size of each image in bytes: log-normal, with a median of 80 KB.
    static func sizes() -> [Int] {
        var random = SeededRandom(seed: 4)
        return (0..<cells).map { _ in
            let (one, two) = (Double.random(in: 0.0001..<1, using: &random), Double.random(in: 0..<1, using: &random))
            // The Box–Muller transform gives a normal distribution.
            let normal = (-2 * log(one)).squareRoot() * cos(2 * .pi * two)
            return max(2_000, Int(80_000 * exp(0.6 * normal)))
        }
    }
}
