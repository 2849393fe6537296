public import Foundation

extension StoredTier {
    /// The settings of a tier.
    public struct Settings: Sendable, Hashable {
        /// The files that are stored for an image that was scaled or processed. Default:
        /// ``DiskContents/originals``.
        public var contents = DiskContents.originals
        /// How long an entry can be found after it was stored. Default: nil, which sets no limit.
        ///
        /// ``ImageRequest/timeToLive`` takes precedence.
        public var timeToLive: Duration?
        /// How long a load waits for the store; nil waits until it answers. Default: 250 milliseconds.
        ///
        /// A read that takes longer is a miss, and a write that takes longer continues behind the load. Requests that
        /// only the cache may answer, and those whose server has failed, wait until the store answers.
        public var deadline: Duration? = .milliseconds(250)
        /// The key of the digests that replace credentials and other secrets in ``StoredKey/text``; at least 32 bytes.
        ///
        /// Processes that share a store find each other's entries only with the same secret, and so does a process that
        /// is started again. Default: nil, which makes a random one for each tier. It isn't needed if the loader has no
        /// ``NetworkPolicy``, ``CacheKeyPolicy`` or header fields, and no request has credentials or header fields.
        public var secret: Data?

        /// Creates the default settings.
        public init() {}

        func validate() throws(ImageLoaderError) {
            try ImageLoaderError.require("StoredTier.Settings.timeToLive", timeToLive, least: .seconds(1))
            try ImageLoaderError.require("StoredTier.Settings.deadline", deadline, least: .milliseconds(1))
            try ImageLoaderError.require("StoredTier.Settings.secret.count", secret?.count, least: 32)
        }

        /// The key under which secrets are digested.
        var key: DirectoryKey {
            if let secret { return DirectoryKey(secret: secret) }
            var generator = SystemRandomNumberGenerator()
            return DirectoryKey(using: &generator)
        }
    }
}
