extension TieredStore {
    /// The settings of a tiered store.
    public struct Settings: Sendable, Hashable {
        /// The longest wait of a look-up for the shared store. Default: 100 milliseconds.
        ///
        /// It should be shorter than ``StoredTier/Settings/deadline``, which limits a look-up as a whole. A look-up
        /// that takes longer counts as a failure of the shared store.
        public var timeout: Duration = .milliseconds(100)
        /// The number of failures in a row after which the shared store is paused. Default: 5.
        public var failureLimit = 5
        /// The time after which one look-up tries a paused shared store again. Default: 5 seconds.
        public var pause: Duration = .seconds(5)
        /// The number of writes that may wait for the shared store, at most 10,000. Default: 1,000.
        public var maximumQueuedWrites = 1_000
        /// The bytes of all entries that may wait for the shared store. Default: 64 MiB.
        ///
        /// A larger entry isn't written to the shared store.
        public var maximumQueuedBytes = 64 << 20

        /// Creates the default settings.
        public init() {}

        func validate() throws(ImageLoaderError) {
            try ImageLoaderError.require("TieredStore.Settings.timeout", timeout, least: .milliseconds(1))
            try ImageLoaderError.require("TieredStore.Settings.failureLimit", failureLimit, least: 1)
            try ImageLoaderError.require(
                "TieredStore.Settings.pause", pause, least: .milliseconds(1), most: .seconds(86_400))
            try ImageLoaderError.require(
                "TieredStore.Settings.maximumQueuedWrites", maximumQueuedWrites, least: 1, most: 10_000)
            try ImageLoaderError.require("TieredStore.Settings.maximumQueuedBytes", maximumQueuedBytes, least: 1)
        }
    }

    /// An event in the work of a tiered store.
    @nonexhaustive
    public enum Event: Sendable, Hashable {
        /// A look-up in the shared store, a write to it, or a copy into the local store failed. The look-up is a miss,
        /// and the write isn't repeated.
        case failed(CacheFailure)
        /// A write was dropped because too many waited for the shared store.
        case dropped(StoredKey)
        /// The shared store is paused, because it has failed several times in a row. Until it is used again, look-ups
        /// ask the local store only, and the shared store's writes are dropped.
        case paused
        /// The shared store is used again.
        case resumed
    }
}

/// A reason why the shared store of a ``TieredStore`` has no answer.
enum SharedStoreProblem: Error, CustomStringConvertible {
    case timeout, paused

    var description: String {
        switch self {
        case .timeout: "the shared store didn't answer in time"
        case .paused: "the shared store is paused after failures"
        }
    }

    var error: ImageLoaderError { .storeFailed(UnderlyingError(self)) }
}
