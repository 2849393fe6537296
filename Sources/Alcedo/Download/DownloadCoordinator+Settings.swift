extension DownloadCoordinator {
    /// How downloads are made.
    public struct Settings: Sendable {
        /// Downloads at once, over all hosts; at least 1. Default 12.
        public var width = 12
        /// Downloads at once from one origin: scheme, host and port; at least 1. Default 6. A download that is
        /// redirected to another origin counts there from then on.
        public var hostWidth = 6
        /// How fast a transfer has to be while another download waits for its slot. Default: 1024 bytes per second over
        /// 30 seconds; nil is no minimum. A request that has a body is exempt.
        public var minimumRate: MinimumRate? = MinimumRate()
        /// Who goes first of those that wait with one priority. Default: who came first.
        public var order = DownloadOrder.firstInFirstOut
        /// How fast downloads may start, so that what scrolls past is gone before its turn comes. Default: nil, no
        /// limit.
        public var startRate: StartRate?
        /// Which failures are tried again, and when.
        public var retry = RetryPolicy()
        /// How long a failure is the answer to those who ask again. Requests that set
        /// ``ImageRequest/retriesFailed``, and ``ImageLoader/forgetFailure(of:)``, ask anew.
        public var failureLifetimes = FailureLifetimes()
        /// Bytes of broken or cancelled downloads that are kept, in memory, to be continued; 0 keeps none. Default
        /// 32 MiB.
        public var resumableByteLimit = 32 << 20
        /// Called for each request before it waits for its turn, and again before each retry: to sign it or to add a
        /// token, which should be good for as long as it may wait. What it adds does not select what callers share and
        /// caches keep. What it throws is told as ``ImageLoaderError/prepareFailed(_:)``, and nothing is sent then.
        /// Default: none.
        public var prepare: (@Sendable (inout DataRequest) async throws -> Void)?
        /// The longest time without a byte, connecting included. Default 15 seconds.
        public var idleTimeout: Duration = .seconds(15)
        /// The longest time for a transfer, from its start to its end; waiting for its turn is not counted. nil, the
        /// default, is no limit.
        public var totalTimeout: Duration?
        /// What a response must keep; its byte limit is also that of local files.
        public var response = ResponseRules()
        /// Which redirects are followed, and what they take along.
        public var redirects = RedirectPolicy()
        /// Fields sent with every request, whatever its host; a redirect to another origin takes neither
        /// `Authorization` nor `Cookie` along. Default: none.
        public var headers: HTTPHeaders = [:]

        /// The defaults.
        public init() {}
    }
}
