#if canImport(FoundationNetworking)
import Foundation
public import FoundationNetworking
#else
public import Foundation
#endif

extension URLSessionDataLoader {
    /// Creates a transport whose session has the program's own configuration, for example with a proxy, protocol
    /// classes or the networks that may be used.
    ///
    /// The configuration is copied. In the copy, what Alcedo does itself is off: caching, cookies and stored
    /// credentials; and the connections per host are those of `settings`. Alcedo's idle time replaces
    /// `timeoutIntervalForRequest`, and includes the time that a session with `waitsForConnectivity` waits. While it
    /// waits, its download holds a slot; with ``DownloadCoordinator/Settings/connectivityWait`` it wouldn't. Additional
    /// header fields are sent, but aren't part of cache keys.
    ///
    /// If it is the configuration of a background session, every load throws
    /// ``ImageLoaderError/unsupportedConfiguration(_:)``.
    ///
    /// - Parameters:
    ///   - settings: The settings for the transport's connections.
    ///   - configuration: The session's configuration.
    public convenience init(
        _ settings: TransportSettings = TransportSettings(), configuration: URLSessionConfiguration
    ) {
        let copy = configuration.copy() as? URLSessionConfiguration
        self.init(settings, configuration: copy ?? configuration, onChallenge: nil)
    }
}

extension URLSessionConfiguration {
    /// The error for a configuration that a transport can't use; nil if it can.
    var refusal: ImageLoaderError? {
        guard let identifier else { return nil }
        return .unsupportedConfiguration("the background session \(identifier) doesn't deliver data as it arrives")
    }
}
