extension DownloadCoordinator {
    /// The settings of a ``DownloadCoordinator``.
    public struct Settings: Sendable {
        /// The maximum number of concurrent downloads over all hosts. At least 1. Default 12.
        public var maximumConcurrentDownloads = 12
        /// The maximum number of concurrent downloads from one host, regardless of scheme and port. At least 1. Default
        /// 6.
        ///
        /// Subdomains are separate hosts. A download that is redirected to another host counts toward that host from
        /// then on. While there are downloads from several hosts, the last third of ``maximumConcurrentDownloads`` is
        /// reserved for hosts without a running download. The hosts of ``NetworkPolicy/allowedOrigins`` have no limit
        /// per host.
        public var maximumConcurrentDownloadsPerHost = 6
        /// The minimum rate of a transfer while another download waits for its slot.
        ///
        /// Default 1024 bytes per second over 30 seconds. With nil, there is no minimum. Requests with a body are
        /// exempt.
        public var minimumRate: MinimumRate? = MinimumRate()
        /// The order among downloads of equal priority. Default first in, first out.
        public var order = DownloadOrder.firstInFirstOut
        /// The maximum rate at which downloads start. Default nil, no limit.
        ///
        /// With a limit, requests for content that scrolls past are cancelled before their downloads start.
        public var startRate: StartRate?
        /// The rules for retrying failures.
        public var retry = RetryPolicy()
        /// How long a failure is returned to later callers.
        ///
        /// Requests that set ``ImageRequest/retriesFailed`` ask the server again, as does a request after
        /// ``DownloadCoordinator/forgetFailure(of:)``.
        public var failureLifetimes = FailureLifetimes()
        /// The size in bytes of the largest body that is received into memory. Default 4 MiB.
        ///
        /// A larger body is received into an unnamed file: in the disk cache's directory, where the file becomes the
        /// entry, or else in the system's directory for temporary files. Its bytes are mapped for decoding, or when
        /// they are returned. Bodies that mustn't be stored stay in memory, and so does a body whose file can't be
        /// written, which is reported as an event. Custom transports call ``ResponseSink/append(_:)-(Data)`` on a
        /// thread that may wait for the file. At least 0.
        public var maximumBytesInMemory = 4 << 20
        /// The maximum number of bytes of interrupted and cancelled downloads that are stored in memory to be resumed.
        ///
        /// With 0, none are stored. Otherwise, up to eight bodies that were received into files are stored as well.
        /// Default 32 MiB.
        public var maximumResumableBytes = 32 << 20
        /// The limit on bytes that were received or read but not yet decoded or taken, over all loaders that share it.
        ///
        /// Default: ``BodyBudget/shared``, the budget of the process.
        public var bodyBudget = BodyBudget.shared
        /// The allowed destinations. Part of the loader's scope. Default: ``NetworkPolicy/unrestricted``; in
        /// ``ImageLoader/Configuration/server``, ``NetworkPolicy/publicInternet``.
        public var network = NetworkPolicy.unrestricted
        /// A hook that changes requests before they are sent. Default nil.
        public var prepare: RequestPreparation?
        /// A hook that supplies credentials when a server answers with 401. Default nil.
        ///
        /// Requests with their own `Authorization` field or ``ImageRequest/credentials`` don't use it.
        public var authenticate: RequestAuthentication?
        /// The longest time without a byte, including the time to connect. Default 15 seconds.
        public var idleTimeout: Duration = .seconds(15)
        /// The longest time for a transfer from start to end. Default nil, no limit.
        ///
        /// Waiting for a slot isn't counted.
        public var totalTimeout: Duration?
        /// The longest time that a download waits for a network if there is none. At least zero. Default zero: the
        /// download fails immediately.
        ///
        /// A download that can't connect, breaks off or times out while there is no network waits without a slot, and
        /// is tried again as soon as there is one. While others wait, further downloads wait without an attempt. If
        /// the server still can't be reached, because addresses or names aren't set up yet, up to three attempts
        /// follow after 1, 2 and 4 seconds. All waits of a download count toward its limit. When the limit is reached,
        /// the download ends with the error of its last attempt. Whether there is a network is reported by the system;
        /// where it doesn't say, as in some sandboxes on Linux, downloads fail immediately.
        ///
        /// Requests to this machine, such as to localhost, revalidations in the background and requests whose stale
        /// image may be returned don't wait. A request that isn't idempotent waits only if it couldn't connect.
        public var connectivityWait: Duration = .zero
        /// The requirements that a response must meet.
        ///
        /// Their limit in bytes also applies to local files.
        public var response = ResponseRules()
        /// The lifetimes of responses that specify none, and of stale responses when the server fails.
        public var caching = CacheRules()
        /// The rules for following redirects, and for the header fields that they carry.
        public var redirects = RedirectPolicy()
        /// Header fields sent with every request to every host. Default none.
        ///
        /// A redirect to another origin carries neither `Authorization` nor the other fields of ``RedirectPolicy``. The
        /// fields are part of the cache keys, and don't change during a loader's lifetime. `Host`, which names a single
        /// host, and the fields that ``ImageRequest/headers`` may not have are rejected with
        /// ``ImageLoaderError/invalidHeader(name:)``.
        public var headers: HTTPHeaders = [:]
        /// The policy for the cache keys of requests without an ``ImageRequest/cacheKey``. Part of the loader's scope.
        /// Default: ``CacheKeyPolicy/url``.
        public var cacheKeys = CacheKeyPolicy.url

        /// Creates settings with the default values.
        public init() {}
    }
}

extension DownloadCoordinator.Settings {
    func validate() throws(ImageLoaderError) {
        try ImageLoaderError.require("download.maximumConcurrentDownloads", maximumConcurrentDownloads, least: 1)
        try ImageLoaderError.require(
            "download.maximumConcurrentDownloadsPerHost", maximumConcurrentDownloadsPerHost, least: 1)
        try ImageLoaderError.require("download.maximumBytesInMemory", maximumBytesInMemory, least: 0)
        try ImageLoaderError.require("download.maximumResumableBytes", maximumResumableBytes, least: 0)
        try ImageLoaderError.require("download.bodyBudget.byteLimit", bodyBudget.givenLimit, least: 1)
        try ImageLoaderError.require("download.idleTimeout", idleTimeout, least: .milliseconds(1))
        try ImageLoaderError.require("download.totalTimeout", totalTimeout, least: .milliseconds(1))
        try ImageLoaderError.require("download.connectivityWait", connectivityWait, least: .zero)
        try ImageLoaderError.require("download.redirects.limit", redirects.limit, least: 0)
        try ImageLoaderError.require("download.response.maximumBytes", response.maximumBytes, least: 1)
        try ImageLoaderError.require("download.response.maximumHeaderBytes", response.maximumHeaderBytes, least: 1)
        try ImageLoaderError.require("download.response.maximumExpansion", response.maximumExpansion, least: 1)
        try ImageLoaderError.require("download.minimumRate.bytesPerSecond", minimumRate?.bytesPerSecond, least: 1)
        try ImageLoaderError.require("download.minimumRate.period", minimumRate?.period, least: .seconds(1))
        try ImageLoaderError.require("download.startRate.perSecond", startRate?.perSecond, least: 0.001)
        try ImageLoaderError.require("download.startRate.burst", startRate?.burst, least: 1, most: 1_000_000)
        try ImageLoaderError.requireSeconds("download.caching.defaultLifetime", caching.defaultLifetime)
        try ImageLoaderError.requireSeconds("download.caching.staleIfError", caching.staleIfError)
        try network.validate()
        try retry.validate(as: "download.retry")
        try failureLifetimes.validate()
        if let field = headers.first(where: { !$0.isValidForAll }) { throw .invalidHeader(name: field.name) }
    }

    /// The part of all keys that these settings determine.
    var scope: KeyScope {
        let fields = headers.keyLines.map { $0 + "\n" }.joined()
        let hook = prepare.map { "prepared \($0.id.utf8.count) \($0.id)\n" } ?? ""
        let user = authenticate.map { "authenticated \($0.id.utf8.count) \($0.id)\n" } ?? ""
        let keys = cacheKeys == .url ? "" : ResourceKey.line(ResourceKey.policies.keys, cacheKeys.id) + "\n"
        let network = network.identity
        let policy = network.isEmpty ? "" : ResourceKey.line(ResourceKey.policies.network, network) + "\n"
        return KeyScope(resource: fields + hook + user + keys + policy, keys: cacheKeys == .url ? nil : cacheKeys)
    }
}
