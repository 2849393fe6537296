public import Foundation

extension DiskStore {
    /// The settings of a disk store.
    public struct Settings: Sendable, Hashable {
        /// The store's own directory, created when it is first needed.
        ///
        /// Default: "default" in a directory for this program, named after its executable, below "alcedo" in the user's
        /// cache directory: `$XDG_CACHE_HOME` or `~/.cache` on Linux, `Library/Caches` on Apple platforms.
        ///
        /// Several stores may share a directory, even in different programs. Each store finds what the others have
        /// stored within about two seconds, and each write brings the total of all stores below ``maximumBytes``.
        /// Entries removed by one store are removed for all, but loads that another process has already begun still
        /// store their results.
        public var directory: URL
        /// The maximum number of bytes of all entries, as allocated on disk.
        ///
        /// The least recently used entries are evicted first. Default: nil, a tenth of the space that would be free
        /// without the store when it is first used, but at least 64 MiB and at most 1 GiB.
        public var maximumBytes: Int?
        /// The maximum number of entries.
        ///
        /// Default: nil, no limit.
        public var maximumEntryCount: Int?
        /// The time after its last use for which an entry is found.
        ///
        /// Default: 7 days. If nil, entries are found until they are evicted.
        public var timeToLive: Duration? = .seconds(7 * 86_400)
        /// The number of bytes to leave free on the volume.
        ///
        /// Entries are evicted to keep this space free, and nothing is written that would use it. Default: 64 MiB.
        public var minimumFreeBytes = 64 << 20
        /// The files that a loader stores.
        ///
        /// Default: ``DiskContents/automatic``, which stores the bytes as received, and images that would be slow to
        /// make again.
        public var contents = DiskContents.automatic
        /// The policy for synchronizing data with the device.
        ///
        /// Default: ``DiskSynchronization/never``, so a power failure may lose the latest entries.
        public var synchronization = DiskSynchronization.never
        /// Read-only directories of other stores, such as a cache shipped with the program.
        ///
        /// They are read only for entries that ``directory`` doesn't have. Their entries can't be removed. Default:
        /// none.
        public var bundledDirectories: [URL] = []

        /// The maximum number of bytes of bodies waiting to be written; a single body may be larger.
        package var stagedByteLimit = 64 << 20

        /// Creates settings with the default values.
        ///
        /// - Parameter directory: The store's directory. Default: nil, the default directory.
        public init(directory: URL? = nil) {
            self.directory = directory ?? Self.standardDirectory
        }

        /// Determined once, because reading the environment takes as long as opening a store.
        private static let standardDirectory = directory(named: "default")

        /// Creates settings with a directory named after `name`, next to the default one.
        ///
        /// - Parameter name: Any text; characters that file names can't contain are escaped.
        public init(name: String) {
            self.init(directory: Self.directory(named: name))
        }

        /// - Parameter program: The name of the program's executable, without its directory.
        package static func directory(
            named name: String, ofProgram program: String = ProcessInfo.processInfo.processName
        ) -> URL {
            let caches = FileManager.default.urls(for: .cachesDirectory, in: .userDomainMask).first
            return (caches ?? FileManager.default.temporaryDirectory)
                .appendingPathComponent("alcedo", isDirectory: true)
                .appendingPathComponent(fileName(program), isDirectory: true)
                .appendingPathComponent(fileName(name), isDirectory: true)
        }

        /// Escapes a name. Different names give different results, and no result leads to another directory.
        static func fileName(_ name: String) -> String {
            let plain = CharacterSet(charactersIn: "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_ ")
            let written = name.addingPercentEncoding(withAllowedCharacters: plain) ?? ""
            if written.isEmpty { return "%" }
            // File names have a maximum length.
            return written.utf8.count <= 200 ? written : written.prefix(160) + "%" + FastHash.digest(name)
        }
    }
}

extension DiskStore.Settings {
    /// A tenth of the space that would be free without the store, at least 64 MiB and at most 1 GiB.
    package static func defaultMaximumBytes(free: Int, held: Int) -> Int {
        let (all, overflows) = free.addingReportingOverflow(held)
        return min(max((overflows ? .max : all) / 10, 64 << 20), 1 << 30)
    }

    func limits(bytes: Int) -> DiskIndex.Limits {
        DiskIndex.Limits(
            bytes: bytes, count: maximumEntryCount ?? .max,
            timeToLive: timeToLive.map { Int(clamping: max(0, $0.components.seconds)) })
    }

    func validate() throws(ImageLoaderError) {
        try ImageLoaderError.require("disk.maximumBytes", maximumBytes, least: 0)
        try ImageLoaderError.require("disk.maximumEntryCount", maximumEntryCount, least: 0)
        try ImageLoaderError.require("disk.timeToLive", timeToLive, least: .zero)
        try ImageLoaderError.require("disk.minimumFreeBytes", minimumFreeBytes, least: 0)
        for url in [directory] + bundledDirectories where !url.isFileURL {
            throw .unsupportedConfiguration("\(url) is no file URL, so it can't be a cache directory")
        }
    }

    /// The size in bytes of the largest file that is read.
    var fileByteLimit: Int { min(max(maximumBytes ?? 0, 1 << 30), 4 << 30) }
}
