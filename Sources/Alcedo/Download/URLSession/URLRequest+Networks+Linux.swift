#if os(Linux)
import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

extension URLRequest {
    /// Does nothing: the system knows no networks that are constrained or expensive.
    mutating func allowNetworks(of request: DataRequest) {}
}

extension ImageRequest {
    /// Does nothing, as above.
    mutating func takeNetworks(of request: URLRequest) {}
}
#endif
