extension DownloadCoordinator {
    /// How downloads are made.
    public struct Settings: Sendable {
        /// Downloads at once, over all hosts; at least 1. Default 12.
        public var maximumConcurrentDownloads = 12
        /// Downloads at once from one origin (scheme, host and port); at least 1. Default 6. A download that is
        /// redirected to another origin counts there from then on.
        public var maximumConcurrentDownloadsPerHost = 6
        /// How fast a transfer has to be while another download waits for its slot. Default: 1024 bytes per second over
        /// 30 seconds; nil is no minimum. Requests with a body are exempt.
        public var minimumRate: MinimumRate? = MinimumRate()
        /// The order among downloads of equal priority. Default: first in, first out.
        public var order = DownloadOrder.firstInFirstOut
        /// How fast downloads may start, so that what scrolls past is gone before its download starts. Default: nil, no
        /// limit.
        public var startRate: StartRate?
        /// Which failures are retried, and when.
        public var retry = RetryPolicy()
        /// How long a failure is returned to those who ask again. Requests that set ``ImageRequest/retriesFailed`` ask
        /// anew, as do all after ``DownloadCoordinator/forgetFailure(of:)``.
        public var failureLifetimes = FailureLifetimes()
        /// Bytes of broken and cancelled downloads that are kept in memory to be resumed; 0 keeps none. Default 32 MiB.
        public var maximumResumableBytes = 32 << 20
        /// Bytes that were received or read and have not been decoded yet, those of running downloads included; at
        /// least 1. While there are more, no download starts and no file is read, but what runs continues: at most one
        /// more body for each running download is held. Default 64 MiB.
        public var maximumUndecodedBytes = 64 << 20
        /// Changes requests before they are sent. Default: none.
        public var prepare: RequestPreparation?
        /// The longest time without a byte, connecting included. Default 15 seconds.
        public var idleTimeout: Duration = .seconds(15)
        /// The longest time for a transfer from start to end; waiting for a slot isn't counted. Default: nil, no limit.
        public var totalTimeout: Duration?
        /// What a response must satisfy; its limit in bytes is also that of local files.
        public var response = ResponseRules()
        /// Which redirects are followed, and what they take along.
        public var redirects = RedirectPolicy()
        /// Fields sent with every request to every host; a redirect to another origin takes neither `Authorization` nor
        /// `Cookie` along. They select what is found in the caches, and don't change while a loader lives. Default:
        /// none.
        public var headers: HTTPHeaders = [:]

        /// The defaults.
        public init() {}
    }
}

extension DownloadCoordinator.Settings {
    func validate() throws(ImageLoaderError) {
        try ImageLoaderError.require("download.maximumConcurrentDownloads", maximumConcurrentDownloads, least: 1)
        try ImageLoaderError.require(
            "download.maximumConcurrentDownloadsPerHost", maximumConcurrentDownloadsPerHost, least: 1)
        try ImageLoaderError.require("download.maximumResumableBytes", maximumResumableBytes, least: 0)
        try ImageLoaderError.require("download.maximumUndecodedBytes", maximumUndecodedBytes, least: 1)
        try ImageLoaderError.require("download.idleTimeout", idleTimeout, least: .milliseconds(1))
        try ImageLoaderError.require("download.totalTimeout", totalTimeout, least: .milliseconds(1))
        try ImageLoaderError.require("download.redirects.limit", redirects.limit, least: 0)
        try ImageLoaderError.require("download.response.maximumBytes", response.maximumBytes, least: 1)
        try ImageLoaderError.require("download.response.maximumHeaderBytes", response.maximumHeaderBytes, least: 1)
        try ImageLoaderError.require("download.minimumRate.bytesPerSecond", minimumRate?.bytesPerSecond, least: 1)
        try ImageLoaderError.require("download.minimumRate.period", minimumRate?.period, least: .seconds(1))
        try ImageLoaderError.require("download.startRate.perSecond", startRate?.perSecond, least: 0.001)
        try ImageLoaderError.require("download.startRate.burst", startRate?.burst, least: 1, most: 1_000_000)
        try retry.validate()
        try failureLifetimes.validate()
        if let field = headers.first(where: { !$0.isValid }) { throw .invalidHeader(name: field.name) }
    }

    /// What these settings add to every request, written out; empty by default.
    var scope: String {
        headers.map { "\($0.name.lowercased()): \($0.value)\n" }.sorted().joined()
            + (prepare.map { "prepared \($0.id.utf8.count) \($0.id)\n" } ?? "")
    }
}
