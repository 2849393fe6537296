public import Foundation

/// The settings for a transport's connections.
public struct TransportSettings: Sendable, Hashable {
    /// The maximum number of connections to one host. Default nil: as many as there are requests.
    ///
    /// At least 1; with less, a request fails with ``ImageLoaderError/unsupportedConfiguration(_:)``. A loader limits
    /// its requests with ``DownloadCoordinator/Settings/maximumConcurrentDownloadsPerHost``.
    ///
    /// ``URLSessionDataLoader`` counts the time during which a request waits for a connection as idle.
    public var maximumConnectionsPerHost: Int?
    /// Whether cookies that servers set are stored and sent back (RFC 6265). Default false.
    ///
    /// They are stored in memory, for the lifetime of the transport. A request with its own `Cookie` field is sent with
    /// that field alone, and cookies that its responses set aren't stored. ``URLSessionDataLoader`` sends a cookie only
    /// to the exact origin that set it; `CurlDataLoader` also sends it to other hosts of the cookie's `Domain`. Cookies
    /// aren't part of any cache key, so a response that varies by `Cookie` is revalidated before each use.
    public var keepsCookies = false
    /// A PEM file with certificate authorities, trusted instead of the system's. Default nil, the system's.
    ///
    /// `CurlDataLoader` reads it for each connection; ``URLSessionDataLoader``, on Apple platforms only, once.
    public var authorities: URL?
    /// Hosts whose certificates aren't checked at all. Default none.
    ///
    /// Use it for development with your own certificates: anyone on the network path can read and change the traffic to
    /// these hosts. `CurlDataLoader`, and ``URLSessionDataLoader`` on Apple platforms.
    public var insecureHostsWithUncheckedCertificates: Set<String> = []

    /// The certificate for servers that ask the client for one. Default nil. `CurlDataLoader`, and
    /// ``URLSessionDataLoader`` on Apple platforms.
    public var clientCertificate: ClientCertificate?

    /// A certificate with its key, and the hosts to which it is shown.
    public struct ClientCertificate: Sendable, Hashable {
        /// A file with the certificate and the certificates of intermediate authorities, if any.
        ///
        /// For `CurlDataLoader`, a PEM file that begins with the client's certificate. For ``URLSessionDataLoader``,
        /// a PKCS #12 file, which also contains the key; it is imported into memory and no keychain.
        public var certificate: URL
        /// A PEM file with the key. Nil if the key is in the certificate's file, as in PKCS #12.
        public var key: URL?
        /// The password of the key or the PKCS #12 file; nil if it has none.
        public var password: String?
        /// The hosts to which the certificate is shown if they ask for one.
        public var hosts: Set<String>

        /// Creates a description. `CurlDataLoader` reads the files for each connection, ``URLSessionDataLoader`` once.
        public init(certificate: URL, key: URL? = nil, password: String? = nil, hosts: Set<String>) {
            self.certificate = certificate
            self.key = key
            self.password = password
            self.hosts = hosts
        }
    }

    /// Creates settings with the default values.
    public init() {}

    /// Whether cookies that earlier responses set may be sent with a request.
    func addsCookies(to request: DataRequest) -> Bool { keepsCookies && !request.hasOwnCookies }

    func validate() throws(ImageLoaderError) {
        try ImageLoaderError.require("maximumConnectionsPerHost", maximumConnectionsPerHost, least: 1)
    }
}
