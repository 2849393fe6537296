extension ImageLoader {
    /// How a loader works. Every value has a default that suits an app.
    public struct Configuration: Sendable {
        /// The memory cache.
        public var memory = MemoryCache.Settings()
        /// The disk cache; nil keeps nothing on disk.
        public var disk: DiskStore.Settings? = DiskStore.Settings()
        /// Downloads and local files.
        public var download = DownloadCoordinator.Settings()
        /// Decoding.
        public var decode = DecodeSettings()
        /// Previews of pictures that are being loaded.
        public var previews = Previews()
        /// The transport. Default: nil, one of the loader's own: `CurlDataLoader` on Linux, ``URLSessionDataLoader`` on
        /// Apple's systems and in a package built without the trait Curl. Every other setting holds for all transports.
        public var dataLoader: (any DataLoading)?
        /// Called for every event, on whatever thread it happens on, and waited for: it should return at once.
        public var onEvent: (@Sendable (LoadEvent) -> Void)?
        /// What times are measured with and ``DownloadCoordinator/Settings/totalTimeout`` runs on. Default: the
        /// continuous clock.
        public var clock: any Clock<Duration> = ContinuousClock()

        /// The defaults.
        public init() {}
    }
}
