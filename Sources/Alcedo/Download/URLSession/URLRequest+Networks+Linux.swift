#if os(Linux)
import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

extension URLRequest {
    /// Does nothing, because Linux doesn't classify networks as constrained or expensive.
    mutating func allowNetworks(of request: DataRequest) {}
}

extension ImageRequest {
    /// Does nothing, as above.
    mutating func takeNetworks(of request: URLRequest) {}
}
#endif
