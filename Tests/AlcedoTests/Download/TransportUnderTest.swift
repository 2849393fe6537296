import Testing

@testable import Alcedo

/// A transport under test, made anew for each.
struct TransportUnderTest: Sendable, CustomTestStringConvertible {
    let testDescription: String
    /// Whether it keeps ``TransportSettings/authorities``.
    let trustsAuthorities: Bool
    let make: @Sendable (TransportSettings) -> any DataLoading & AnyObject

    static let all = [
        TransportUnderTest(testDescription: "URLSession", trustsAuthorities: false) { URLSessionDataLoader($0) }
    ]
}
