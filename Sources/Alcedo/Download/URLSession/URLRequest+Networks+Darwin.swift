#if canImport(Darwin)
import Foundation

extension URLRequest {
    mutating func allowNetworks(of request: DataRequest) {
        allowsConstrainedNetworkAccess = request.allowsConstrainedNetwork
        allowsExpensiveNetworkAccess = request.allowsExpensiveNetwork
    }
}

extension ImageRequest {
    mutating func takeNetworks(of request: URLRequest) {
        if !request.allowsConstrainedNetworkAccess { allowsConstrainedNetwork = false }
        if !request.allowsExpensiveNetworkAccess || !request.allowsCellularAccess { allowsExpensiveNetwork = false }
    }
}
#endif
