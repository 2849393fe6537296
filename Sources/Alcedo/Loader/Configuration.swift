extension ImageLoader {
    /// The settings of a loader. Every value has a default that suits an app.
    ///
    /// A value out of range is an error: every load throws ``ImageLoaderError/unsupportedConfiguration(_:)``, which
    /// names the setting, and it is reported as ``LoadEvent/Kind/misconfigured(_:)``.
    public struct Configuration: Sendable {
        /// The settings of the memory cache that the loader creates.
        public var memory = MemoryCache.Settings() { didSet { setsMemory = true } }
        /// The settings of the disk cache that the loader creates. With nil, nothing is stored on disk.
        public var disk: DiskStore.Settings? = DiskStore.Settings() { didSet { setsDisk = true } }
        /// The settings of downloads and local files.
        public var download = DownloadCoordinator.Settings() { didSet { setsDownload = true } }
        /// The settings of decoding.
        public var decode = DecodeSettings()
        /// The limit on the frames that players of the loader's animations buffer; see ``ImageLoader/frameBudget``.
        /// Default: the budget of the process, which all loaders share.
        public var frameBudget = FrameBudget.shared
        /// The settings of previews of images that are being loaded.
        public var previews = Previews()
        /// The use of the caches by requests that set no ``ImageRequest/readPolicy``. Default:
        /// ``CacheReadPolicy/http``.
        public var readPolicy = CacheReadPolicy.http
        /// The caches that store responses to requests that set no ``ImageRequest/writePolicy``. Default:
        /// ``CacheWritePolicy/all``.
        public var writePolicy = CacheWritePolicy.all
        /// The processors applied to every image, before those of its request. They are part of the loader's scope:
        /// loaders with other processors don't find its images. Default: none.
        public var processors: [any ImageProcessing] = []
        /// The longest time that a caller waits if its request sets no ``ImageRequest/deadline``. Default: nil, no
        /// limit.
        public var deadline: Duration?
        /// The maximum number of callers that wait for loads at the same time, including prefetchers' loads. Further
        /// callers get ``ImageLoaderError/overloaded(allowed:)`` immediately. An image in memory is always returned.
        /// Default: nil, no limit.
        public var maximumConcurrentLoads: Int?
        /// The transport. All other settings apply to every transport.
        ///
        /// With nil, the default, the loader creates its own: `CurlDataLoader` on Linux, and ``URLSessionDataLoader``
        /// on Apple's systems and in packages built without the trait Curl.
        public var dataLoader: (any DataLoading)? { didSet { setsDownload = true } }
        /// The sinks that receive the loader's events. Default: none.
        public var eventSinks: [any LoadEventSink] = []
        /// The clock for all durations, including ``DownloadCoordinator/Settings/totalTimeout``. Default: the
        /// continuous clock.
        public var clock: any Clock<Duration> = ContinuousClock()

        /// The time of day in seconds since 1970, compared with dates in header fields.
        package var timeOfDay: @Sendable () -> Int64 = TimeOfDay.seconds

        // Recorded, because settings for an owner that is passed to the loader would have no effect.
        fileprivate(set) var setsMemory = false
        var setsDisk = false
        private(set) var setsDownload = false

        /// Creates the default configuration.
        public init() {}

        /// Adds a sink that calls `handle` for each event, on any thread. The load waits until `handle` returns, so it
        /// should be quick.
        public mutating func onEvent(_ handle: @escaping @Sendable (LoadEvent) -> Void) {
            eventSinks.append(EventHandler(handle: handle))
        }
    }
}

extension ImageLoader.Configuration {
    /// The defaults for a server whose clients may choose the URLs; see <doc:Serving-images>.
    ///
    /// - Only http and https URLs at public addresses are loaded (``NetworkPolicy/publicInternet``). Allow origins in
    ///   your own network with ``NetworkPolicy/allowedOrigins``.
    /// - Up to 16 downloads per core run at the same time, or 32 if that is more, and up to 6 from one host. Hosts of
    ///   ``NetworkPolicy/allowedOrigins`` have no limit of their own.
    /// - Bodies of more than 256 KiB are received into files, not into memory
    ///   (``DownloadCoordinator/Settings/maximumBytesInMemory``).
    /// - A caller waits at most 30 seconds (``deadline``), and at most 1,000 callers wait at the same time
    ///   (``maximumConcurrentLoads``).
    /// - Colors are converted to sRGB (``DecodeSettings/convertsToSRGB``), except on Linux without the trait
    ///   `ColorProfiles`.
    /// - The memory cache holds 64 MiB. The disk cache stores the bytes as received (``DiskContents/originals``), or
    ///   the files of ``ImageLoader/encoded(for:as:)-(ImageRequest,_)``.
    /// - Servers aren't asked for AVIF and JPEG XL if they offer another format
    ///   (``DecodeSettings/unrequestedFormats``).
    ///
    /// With a transport that doesn't check addresses, such as ``URLSessionDataLoader``, every load throws
    /// ``ImageLoaderError/unsupportedConfiguration(_:)`` unless ``DownloadCoordinator/Settings/network`` is changed.
    public static var server: Self {
        var configuration = Self()
        configuration.memory.maximumBytes = 64 << 20
        configuration.disk?.contents = .originals
        configuration.download.maximumConcurrentDownloads = max(32, 16 * CoreCount.current)
        configuration.download.maximumBytesInMemory = 256 << 10
        configuration.download.network = .publicInternet
        configuration.decode.unrequestedFormats = [.avif, .jxl]
        configuration.decode.convertsToSRGB = ColorConversion.isAvailable
        configuration.deadline = .seconds(30)
        configuration.maximumConcurrentLoads = 1_000
        // These defaults don't conflict with an owner that is passed to the loader.
        (configuration.setsMemory, configuration.setsDisk) = (false, false)
        return configuration
    }

    /// The configuration used in place of an invalid one: the loader loads nothing and touches no file.
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
            try ImageLoaderError.require("maximumConcurrentLoads", maximumConcurrentLoads, least: 1)
            let chain = ProcessingChain(processors)
            try chain?.validate()
            try chain?.validate(within: decode.limits)
            return nil
        } catch {
            return error
        }
    }
}
