extension ImageLoader {
    /// The settings of a loader. Every value has a default that suits an app.
    ///
    /// A value out of range is an error: every load throws ``ImageLoaderError/unsupportedConfiguration(_:)``, which
    /// names the setting, and it is reported as ``LoadEvent/Kind/misconfigured(_:)``.
    public struct Configuration: Sendable {
        /// The memory cache that the loader makes.
        public var memory = MemoryCache.Settings() { didSet { setsMemory = true } }
        /// The disk cache that the loader makes; nil stores nothing on disk.
        public var disk: DiskStore.Settings? = DiskStore.Settings() { didSet { setsDisk = true } }
        /// Downloads and local files.
        public var download = DownloadCoordinator.Settings() { didSet { setsDownload = true } }
        /// Decoding.
        public var decode = DecodeSettings()
        /// Limits the frames that players of the loader's animations buffer; see ``ImageLoader/frameBudget``. Default:
        /// the budget of the process, which all loaders together keep to.
        public var frameBudget = FrameBudget.shared
        /// Previews of images that are being loaded.
        public var previews = Previews()
        /// Whether requests are answered from the caches, unless they specify something else. Default:
        /// ``CacheReadPolicy/http``.
        public var readPolicy = CacheReadPolicy.http
        /// The caches that store responses, unless requests specify others. Default: ``CacheWritePolicy/all``.
        public var writePolicy = CacheWritePolicy.all
        /// The processors of every image, which run before those of its request. Part of the loader's scope: loaders
        /// with other processors don't find its images. Default: none.
        public var processors: [any ImageProcessing] = []
        /// How long callers wait whose requests don't say; see ``ImageRequest/deadline``. Default: nil, as long as it
        /// takes.
        public var deadline: Duration?
        /// The transport. All other settings apply to every transport.
        ///
        /// With nil, the default, the loader creates its own: `CurlDataLoader` on Linux, and ``URLSessionDataLoader``
        /// on Apple's systems and in packages built without the trait Curl.
        public var dataLoader: (any DataLoading)? { didSet { setsDownload = true } }
        /// Receive all events. Default: none, and nothing is reported.
        public var eventSinks: [any LoadEventSink] = []
        /// The clock for all durations, including ``DownloadCoordinator/Settings/totalTimeout``. Default: the
        /// continuous clock.
        public var clock: any Clock<Duration> = ContinuousClock()

        /// The time of day in seconds since 1970, compared with dates in header fields.
        package var timeOfDay: @Sendable () -> Int64 = TimeOfDay.seconds

        // Settings of an owner that is given to the loader would have no effect.
        private(set) var setsMemory = false
        private(set) var setsDisk = false
        private(set) var setsDownload = false

        /// The defaults.
        public init() {}

        /// Adds a sink that calls `handle` for each event, on any thread. The load waits for it, so it should return
        /// quickly.
        public mutating func onEvent(_ handle: @escaping @Sendable (LoadEvent) -> Void) {
            eventSinks.append(EventHandler(handle: handle))
        }
    }
}

extension ImageLoader.Configuration {
    /// The defaults for a server: 32 downloads at once, only http and https URLs at public addresses
    /// (``NetworkPolicy/publicInternet``), because they may come from users, no AVIF unless a server has nothing else
    /// (``DecodeSettings/unrequestedFormats``), and a ``deadline`` of 30 seconds.
    ///
    /// Allow origins in your own network with ``NetworkPolicy/allowedOrigins``. The limit for one host,
    /// ``DownloadCoordinator/Settings/maximumConcurrentDownloadsPerHost``, doesn't change.
    ///
    /// With a transport that doesn't check addresses, such as ``URLSessionDataLoader``, every load throws
    /// ``ImageLoaderError/unsupportedConfiguration(_:)`` unless ``DownloadCoordinator/Settings/network`` is changed.
    public static var server: Self {
        var configuration = Self()
        configuration.download.maximumConcurrentDownloads = 32
        configuration.download.network = .publicInternet
        configuration.decode.unrequestedFormats = [.avif, .jxl]
        configuration.deadline = .seconds(30)
        return configuration
    }

    /// The configuration that replaces an invalid one: the loader loads nothing and touches no file.
    var harmless: Self {
        var configuration = Self()
        configuration.disk = nil
        configuration.eventSinks = eventSinks
        configuration.clock = clock
        configuration.timeOfDay = timeOfDay
        return configuration
    }

    /// The first problem found; nil if the configuration is valid.
    var problem: ImageLoaderError? {
        do throws(ImageLoaderError) {
            try memory.validate()
            try disk?.validate()
            try download.validate()
            try download.network.validate(for: dataLoader)
            try decode.validate()
            try previews.validate()
            try deadline.map { (time) throws(ImageLoaderError) in
                try ImageLoaderError.require("deadline", time, least: .milliseconds(1))
            }
            let chain = ProcessingChain(processors)
            try chain?.validate()
            try chain?.validate(within: decode.limits)
            return nil
        } catch {
            return error
        }
    }
}
