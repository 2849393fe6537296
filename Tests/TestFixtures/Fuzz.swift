import Foundation

/// The length and the seed of random tests. `make fuzz` makes them long.
enum Fuzz {
    /// ALCEDO_FUZZ_STEPS, or a number that every test run can afford.
    static let steps = number("ALCEDO_FUZZ_STEPS") ?? 3_000
    /// Whether there is time for long histories.
    static let isLong = steps > 50_000
    /// ALCEDO_FUZZ_SEED. A failure reports the seed, with which it can be repeated.
    static let seed = number("ALCEDO_FUZZ_SEED").map { UInt64($0.magnitude) } ?? 1

    private static func number(_ name: String) -> Int? { ProcessInfo.processInfo.environment[name].flatMap { Int($0) } }
}
