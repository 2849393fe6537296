/// What the callers of a resource's flight need, taken together.
struct BodyNeeds: OptionSet, Sendable {
    let rawValue: UInt8

    /// The bytes themselves. To the others, it is enough that their own image is confirmed, or that bytes are on disk.
    static let bytes = BodyNeeds(rawValue: 1)
    /// That the bytes are stored as they come. The others store what they make of them.
    static let storing = BodyNeeds(rawValue: 2)
}
