/// A caller's requirements for a flight.
struct FlightNeeds: OptionSet, Sendable {
    let rawValue: UInt8

    /// The bytes themselves. For other callers, it is enough that their own image is confirmed or the bytes are on
    /// disk.
    static let bytes = FlightNeeds(rawValue: 1)
    /// The bytes are to be stored on disk as received. Other callers store the images that they make from them.
    static let storing = FlightNeeds(rawValue: 2)
    /// A confirmation is to be stored on disk.
    static let confirming = FlightNeeds(rawValue: 4)
    /// A stale response is to be revalidated in the background. A flight needs only one such caller.
    static let revalidating = FlightNeeds(rawValue: 8)
}
