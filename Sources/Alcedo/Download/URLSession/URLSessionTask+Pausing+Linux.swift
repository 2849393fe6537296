#if os(Linux)
import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

extension URLSessionTask {
    /// A suspended task closes its connection, and then delivers the body again from its first byte.
    static let canPause = false
    /// An answer for a cancelled task is a fatal error.
    static let answersWhenCancelled = false
}
#endif
