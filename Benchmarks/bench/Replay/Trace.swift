/// A sequence of requests.
struct Trace: Sendable {
    let name: String
    /// The requested objects, as numbers from zero.
    let requests: [Int]
    /// The size of each object in bytes, at least 1.
    let sizes: [Int]

    /// The total size of all objects in bytes.
    var footprint: Int { sizes.reduce(0, +) }
}
