extension MemoryCache {
    /// How a memory cache works.
    public struct Settings: Sendable, Hashable {
        /// Decoded bytes held at most; 0 keeps nothing. Default: nil, a fifth of the memory that the process may use,
        /// as its control groups limit it when the first picture is kept, and no more than 768 MiB.
        public var costLimit: Int?
        /// Pictures held at most; 0 keeps nothing. Default: nil, no limit.
        public var countLimit: Int?
        /// Decoded bytes of the largest picture that is kept. Default: nil, what there is room for.
        public var entryCostLimit: Int?
        /// How long a picture is found, unless its request says otherwise. Default: nil, for as long as there is room.
        public var timeToLive: Duration?
        /// Whether the cache is trimmed when the system runs short of memory. Default: on Apple's systems it is, on
        /// Linux, where a thread has to watch for it, it is not.
        public var watchesPressure = MemoryPressureWatcher.isOnByDefault

        /// The defaults.
        public init() {}
    }
}
