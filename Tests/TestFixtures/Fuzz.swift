import Foundation

/// How long the random tests run and where they begin: `make fuzz` makes them long.
enum Fuzz {
    /// ALCEDO_FUZZ_STEPS, or so many that every run of the tests can afford them.
    static let steps = number("ALCEDO_FUZZ_STEPS") ?? 10_000
    /// Whether there is time for long histories.
    static let isLong = steps > 50_000
    /// ALCEDO_FUZZ_SEED; a failure tells it, and it repeats the failure.
    static let seed = number("ALCEDO_FUZZ_SEED").map { UInt64($0.magnitude) } ?? 1

    private static func number(_ name: String) -> Int? { ProcessInfo.processInfo.environment[name].flatMap { Int($0) } }
}
