extension MemoryCache {
    /// The settings of a memory cache.
    public struct Settings: Sendable, Hashable {
        /// The maximum number of bytes of all images' pixels; 0 stores nothing.
        ///
        /// Default: nil, a fifth of the memory that the process may use, at most 768 MiB. That amount is determined
        /// when the first image is stored. It takes into account the limits of control groups, and on iOS, tvOS and
        /// visionOS what the system lets the process allocate at that time.
        public var maximumBytes: Int?
        /// The maximum number of images; 0 stores nothing.
        ///
        /// Default: nil, no limit.
        public var maximumCount: Int?
        /// The maximum number of bytes of one image's pixels.
        ///
        /// Larger images aren't stored. Default: nil, ``maximumBytes``.
        public var maximumBytesPerImage: Int?
        /// The time for which an image is found, unless its request specifies something else.
        ///
        /// Default: nil, until it is evicted.
        public var timeToLive: Duration?
        /// How long an image is used without validation after its response was received or validated, even if the
        /// response demands validation each time (no-cache). From zero to one year, in whole seconds.
        ///
        /// This prevents a list of such images from flickering as it is scrolled. It doesn't apply to responses with
        /// `Vary: *`, or to responses that vary by cookies kept by the transport, because they are known not to match
        /// the next request. Responses with no-store are never stored. Default: 10 seconds.
        public var reuseWindow = Duration.seconds(10)
        /// Whether the cache is trimmed when the system runs short of memory.
        ///
        /// Default: true on Apple platforms; false on Linux, where watching requires a thread.
        public var watchesMemoryPressure = MemoryPressureWatcher.isOnByDefault

        /// Creates settings with the default values.
        public init() {}

        func validate() throws(ImageLoaderError) {
            try ImageLoaderError.require("memory.maximumBytes", maximumBytes, least: 0)
            try ImageLoaderError.require("memory.maximumCount", maximumCount, least: 0)
            try ImageLoaderError.require("memory.maximumBytesPerImage", maximumBytesPerImage, least: 0)
            try ImageLoaderError.require("memory.timeToLive", timeToLive, least: .zero)
            try ImageLoaderError.requireSeconds("memory.reuseWindow", reuseWindow, most: .seconds(365 * 86_400))
        }
    }
}
