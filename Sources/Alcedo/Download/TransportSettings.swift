public import Foundation

/// How a transport connects.
public struct TransportSettings: Sendable, Hashable {
    /// Connections to one host, at least 1; a request with less is
    /// ``ImageLoaderError/unsupportedConfiguration(_:)``. Default: nil, as many as there are requests, which a loader
    /// limits by ``DownloadCoordinator/Settings/maximumConcurrentDownloadsPerHost``.
    ///
    /// ``URLSessionDataLoader`` counts the time that a request waits for a connection as idle.
    public var maximumConnectionsPerHost: Int?
    /// Whether cookies that servers set are kept in memory, for the life of the transport, and sent back as RFC 6265
    /// has it. Default: no.
    ///
    /// A request with a `Cookie` field of its own is sent with that alone, and what its responses set is not kept.
    /// ``URLSessionDataLoader`` sends a cookie to exactly the host that set it, `CurlDataLoader` also to others of the
    /// cookie's `Domain`.
    public var keepsCookies = false
    /// A file of certificate authorities in PEM, trusted in place of the system's. Default: nil, the system's.
    /// `CurlDataLoader` only.
    public var authorities: URL?
    /// Hosts whose certificates are not checked at all, for development with certificates of one's own: anyone on the
    /// way can read and change what goes to them. Default: none. `CurlDataLoader` only.
    public var insecureHostsWithUncheckedCertificates: Set<String> = []

    /// The defaults.
    public init() {}

    func validate() throws(ImageLoaderError) {
        try ImageLoaderError.require("maximumConnectionsPerHost", maximumConnectionsPerHost, least: 1)
    }
}
