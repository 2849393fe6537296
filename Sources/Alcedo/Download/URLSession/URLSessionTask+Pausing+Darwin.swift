#if canImport(Darwin)
import Foundation

extension URLSessionTask {
    /// A suspended task reads nothing from its connection, and continues where it was.
    static let canPause = true
}
#endif
