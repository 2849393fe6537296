#if canImport(Darwin)
import Foundation
public import Security

extension URLSessionDataLoader {
    /// Creates a transport that asks whether a server is trusted.
    ///
    /// - Parameters:
    ///   - settings: The settings for the transport's connections. With authorities or unchecked hosts, every load
    ///     throws ``ImageLoaderError/unsupportedConfiguration(_:)``, because the closure decides instead of them.
    ///   - trusts: Called during each TLS handshake, on the session's queue, with the server's trust and its host. If
    ///     it returns false, the load ends with ``ImageLoaderError/connectionFailed(_:detail:)``. It replaces the
    ///     system's evaluation; call `SecTrustEvaluateWithError` to perform that as well.
    public convenience init(
        _ settings: TransportSettings = TransportSettings(),
        trusting trusts: @escaping @Sendable (_ trust: SecTrust, _ host: String) -> Bool
    ) {
        self.init(settings) { challenge in
            let space = challenge.protectionSpace
            guard space.authenticationMethod == NSURLAuthenticationMethodServerTrust, let trust = space.serverTrust
            else { return nil }
            return trusts(trust, space.host)
                ? (.useCredential, URLCredential(trust: trust)) : (.cancelAuthenticationChallenge, nil)
        }
    }
}
#endif
