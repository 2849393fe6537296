public import Foundation

extension DiskStore {
    /// How a disk store works.
    public struct Settings: Sendable, Hashable {
        /// The cache's own directory, made when it is first needed. Default: "default" in a directory for this program,
        /// by the name of its executable, below "alcedo" in the user's cache directory: `$XDG_CACHE_HOME` or `~/.cache`
        /// on Linux, `Library/Caches` on Apple's systems.
        ///
        /// Several loaders, of one program or of several, may share it: each finds what the others have stored, at the
        /// latest some two seconds after it, and with each write brings all of them together below its ``byteLimit``.
        /// What one removes is removed for all, but for the loads that others have under way.
        public var directory: URL
        /// Bytes of all entries, as they are allocated on disk; the least recently used go first. Default: nil, a tenth
        /// of what is free when the cache is first used, but at least 64 MiB and at most 1 GiB.
        public var byteLimit: Int?
        /// Entries held at most. Default: nil, as many as there is room for.
        public var countLimit: Int?
        /// How long after its last use an entry is found. Default: 7 days; nil, for as long as there is room.
        public var timeToLive: Duration? = .seconds(7 * 86_400)
        /// Bytes that stay free on the volume: nothing is written that would leave less, and entries go first. Default
        /// 64 MiB.
        public var freeSpaceFloor = 64 << 20
        /// What is kept. Default: the bytes as they came, and pictures that were much larger than they were asked for.
        public var contents = DiskContents.automatic
        /// What is waited for until the device has it. Default: nothing, so that a failure of the power may take the
        /// latest entries.
        public var synchronization = DiskSynchronization.never
        /// Directories of other disk caches that are only read, and only for what ``directory`` has not: those that a
        /// program brings along. What is in them can't be removed. Default: none.
        public var bundledDirectories: [URL] = []

        /// Bytes of bodies that wait to be written; a single one may be larger.
        package var stagedByteLimit = 64 << 20

        /// - Parameter directory: nil is the default directory.
        public init(directory: URL? = nil) {
            self.directory = directory ?? Self.directory(named: "default")
        }

        /// A cache of its own for each name, beside the default one.
        ///
        /// - Parameter name: any text; what can't stand in a file's name is written otherwise there.
        public init(name: String) {
            self.init(directory: Self.directory(named: name))
        }

        /// - Parameter program: what the executable of the program whose cache it is is called, without its directory.
        package static func directory(
            named name: String, ofProgram program: String = ProcessInfo.processInfo.processName
        ) -> URL {
            let caches = FileManager.default.urls(for: .cachesDirectory, in: .userDomainMask).first
            return (caches ?? FileManager.default.temporaryDirectory)
                .appendingPathComponent("alcedo", isDirectory: true)
                .appendingPathComponent(fileName(program), isDirectory: true)
                .appendingPathComponent(fileName(name), isDirectory: true)
        }

        /// No two names become one, and none leads elsewhere.
        static func fileName(_ name: String) -> String {
            let plain = CharacterSet(charactersIn: "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_ ")
            let written = name.addingPercentEncoding(withAllowedCharacters: plain) ?? ""
            if written.isEmpty { return "%" }
            // Longer ones would be no file names.
            return written.utf8.count <= 200 ? written : written.prefix(160) + "%" + FastHash.digest(name)
        }
    }
}

extension DiskStore.Settings {
    /// A tenth of what there would be without the store, and no less than 64 MiB nor more than 1 GiB.
    package static func defaultByteLimit(free: Int, held: Int) -> Int {
        let (all, overflows) = free.addingReportingOverflow(held)
        return min(max((overflows ? .max : all) / 10, 64 << 20), 1 << 30)
    }

    func limits(bytes: Int) -> DiskIndex.Limits {
        DiskIndex.Limits(
            bytes: bytes, count: countLimit ?? .max,
            timeToLive: timeToLive.map { Int(clamping: max(0, $0.components.seconds)) })
    }

    /// Bytes of the largest file that is read.
    var fileByteLimit: Int { min(max(byteLimit ?? 0, 1 << 30), 4 << 30) }
}
