/// The time and the number of rounds for one case.
struct Budget: Sendable {
    /// The time from the end of the set-up to the last round. A case that is decided quickly stops earlier.
    let perCase: Duration
    let timedRounds: Int
    let peakRounds: Int

    static let quick = Budget(perCase: .milliseconds(4_300), timedRounds: 60, peakRounds: 3)
    static let full = Budget(perCase: .seconds(15), timedRounds: 250, peakRounds: 9)
}
