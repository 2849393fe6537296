extension MemoryCache {
    /// How a memory cache works.
    public struct Settings: Sendable, Hashable {
        /// Bytes of pixels held at most; 0 stores nothing. Default: nil, a fifth of the memory that the process may
        /// use, as its control groups limit it when the first image is stored, and at most 768 MiB.
        public var maximumBytes: Int?
        /// Images held at most; 0 stores nothing. Default: nil, no limit.
        public var maximumCount: Int?
        /// Bytes of pixels of the largest image that is stored. Default: nil, ``maximumBytes``.
        public var maximumBytesPerImage: Int?
        /// How long an image is found, unless its request says otherwise. Default: nil, until it is evicted.
        public var timeToLive: Duration?
        /// Whether the cache is trimmed when the system runs short of memory. Default: yes on Apple's systems, no on
        /// Linux, where it takes a thread.
        public var watchesMemoryPressure = MemoryPressureWatcher.isOnByDefault

        /// The defaults.
        public init() {}

        func validate() throws(ImageLoaderError) {
            try ImageLoaderError.require("memory.maximumBytes", maximumBytes, least: 0)
            try ImageLoaderError.require("memory.maximumCount", maximumCount, least: 0)
            try ImageLoaderError.require("memory.maximumBytesPerImage", maximumBytesPerImage, least: 0)
            try ImageLoaderError.require("memory.timeToLive", timeToLive, least: .zero)
        }
    }
}
