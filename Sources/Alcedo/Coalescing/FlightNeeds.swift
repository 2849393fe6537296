/// The demands of a caller on a flight.
struct FlightNeeds: OptionSet, Sendable {
    let rawValue: UInt8

    /// The bytes themselves. To others, it is enough that their own image is confirmed, or that bytes are on disk.
    static let bytes = FlightNeeds(rawValue: 1)
    /// That the bytes are stored on disk as they come. Others store what they make of them.
    static let storing = FlightNeeds(rawValue: 2)
    /// That a confirmation is stored on disk.
    static let confirming = FlightNeeds(rawValue: 4)
    /// That a stale response is revalidated in the background. One such caller is enough for a flight.
    static let revalidating = FlightNeeds(rawValue: 8)
}
