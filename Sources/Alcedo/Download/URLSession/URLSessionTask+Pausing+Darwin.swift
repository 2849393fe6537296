#if canImport(Darwin)
import Foundation

extension URLSessionTask {
    /// A suspended task reads nothing from its connection, and continues where it was.
    static let canPause = true
    /// The session expects every question to be answered, even those about a cancelled task.
    static let answersWhenCancelled = true
}
#endif
