public import Foundation

extension ImageLoader {
    /// How a loader works. Every value has a default that suits an app.
    public struct Configuration: Sendable {
        /// The memory cache.
        public var memory = Memory()
        /// The disk cache; nil keeps nothing on disk.
        public var disk: Disk? = Disk()
        /// Downloads and local files.
        public var download = Download()
        /// Decoding.
        public var decode = Decode()
        /// Previews of pictures that are being loaded.
        public var previews = Previews()
        /// The transport. Default: nil, one of the loader's own: `CurlDataLoader` on Linux, ``URLSessionDataLoader`` on
        /// Apple's systems and in a package built without the trait Curl. Every other setting holds for all transports.
        public var dataLoader: (any DataLoading)?
        /// Called for every event, on whatever thread it happens on, and waited for: it should return at once.
        public var onEvent: (@Sendable (LoadEvent) -> Void)?
        /// What times are measured with and ``Download/totalTimeout`` runs on. Default: the continuous clock.
        public var clock: any Clock<Duration> = ContinuousClock()

        /// The defaults.
        public init() {}
    }
}

extension ImageLoader.Configuration {
    /// The memory cache, of decoded pictures.
    public struct Memory: Sendable, Hashable {
        /// Decoded bytes held at most; 0 keeps nothing. Default: nil, a fifth of the memory that the process may use, as
        /// its control groups limit it when the first picture is kept, and no more than 768 MiB.
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

    /// The disk cache.
    public struct Disk: Sendable, Hashable {
        /// The cache's own directory, made when it is first needed. Default: "default" in a directory for this program, by
        /// the name of its executable, below "alcedo" in the user's cache directory: `$XDG_CACHE_HOME` or `~/.cache` on
        /// Linux, `Library/Caches` on Apple's systems.
        ///
        /// Several loaders, of one program or of several, may share it: each finds what the others have stored, at the
        /// latest some two seconds after it, and with each write brings all of them together below its ``byteLimit``. What
        /// one removes is removed for all, but for the loads that others have under way.
        public var directory: URL
        /// Bytes of all entries, as they are allocated on disk; the least recently used go first. Default: nil, a tenth of
        /// what is free when the cache is first used, but at least 64 MiB and at most 1 GiB.
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
            return written.utf8.count <= 200 ? written : written.prefix(160) + "%" + Fold.digest(name)
        }

        var settings: DiskSettings {
            var settings = DiskSettings(directory: directory.path, byteLimit: byteLimit)
            settings.countLimit = countLimit ?? .max
            settings.timeToLive = timeToLive
            settings.freeSpaceFloor = freeSpaceFloor
            settings.synchronization = synchronization
            settings.bundled = bundledDirectories.map(\.path)
            return settings
        }
    }

    /// Downloads.
    public struct Download: Sendable {
        /// Downloads at once, over all hosts; at least 1. Default 12.
        public var width = 12
        /// Downloads at once from one origin: scheme, host and port; at least 1. Default 6. A download that is redirected
        /// to another origin counts there from then on.
        public var hostWidth = 6
        /// How fast a transfer has to be while another download waits for its slot. Default: 1024 bytes per second over 30
        /// seconds; nil is no minimum. A request that has a body is exempt.
        public var minimumRate: MinimumRate? = MinimumRate()
        /// Who goes first of those that wait with one priority. Default: who came first.
        public var order = DownloadOrder.firstInFirstOut
        /// How fast downloads may start, so that what scrolls past is gone before its turn comes. Default: nil, no
        /// limit.
        public var startRate: StartRate?
        /// Which failures are tried again, and when.
        public var retry = RetryPolicy()
        /// How long a failure is the answer to those who ask again. Requests that set
        /// ``ImageRequest/retriesFailed``, and ``ImageLoader/forgetFailure(of:)``, ask anew.
        public var failureLifetimes = FailureLifetimes()
        /// Bytes of broken or cancelled downloads that are kept, in memory, to be continued; 0 keeps none. Default
        /// 32 MiB.
        public var resumableByteLimit = 32 << 20
        /// Called for each request before it waits for its turn, and again before each retry: to sign it or to add a
        /// token, which should be good for as long as it may wait. What it adds does not select what callers share and
        /// caches keep. What it throws is told as ``ImageLoaderError/prepareFailed(_:)``, and nothing is sent then.
        /// Default: none.
        public var prepare: (@Sendable (inout DataRequest) async throws -> Void)?
        /// The longest time without a byte, connecting included. Default 15 seconds.
        public var idleTimeout: Duration = .seconds(15)
        /// The longest time for a transfer, from its start to its end; waiting for its turn is not counted. nil, the
        /// default, is no limit.
        public var totalTimeout: Duration?
        /// What a response must keep; its byte limit is also that of local files.
        public var response = ResponseRules()
        /// Which redirects are followed, and what they take along.
        public var redirects = RedirectPolicy()
        /// Fields sent with every request, whatever its host; a redirect to another origin takes neither
        /// `Authorization` nor `Cookie` along. Default: none.
        public var headers: HTTPHeaders = [:]

        /// The defaults.
        public init() {}
    }

    /// Decoding, on threads of its own.
    public struct Decode: Sendable {
        /// Pictures decoded at once; at least 1. Their bitmaps together take no more than twice
        /// ``DecodeLimits/bitmapBytes``. Default: the number of cores that the process may run on.
        public var width = CoreNumber.count
        /// What a picture may claim.
        public var limits = DecodeLimits()
        /// Bytes that were received or read and wait to be decoded, those of running downloads included; at least 1. While
        /// there are more, no download starts and no file is read, but what runs goes on: at most one body more for each
        /// running download is held. Default 64 MiB.
        public var undecodedByteLimit = 64 << 20
        /// What reads the formats. Default: what the platform has.
        public var decoders = ImageDecoders.builtIn

        /// The defaults.
        public init() {}
    }
}
