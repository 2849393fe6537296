/// A sequence of requests.
struct Trace: Sendable {
    let name: String
    /// Objects as numbers from zero.
    let requests: [Int]
    /// Bytes of each object, at least 1.
    let sizes: [Int]

    /// The bytes of all objects together.
    var footprint: Int { sizes.reduce(0, +) }
}
