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
        /// The transport; nil is a ``URLSessionDataLoader`` of the loader's own.
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
        /// Decoded bytes held at most; 0 keeps nothing. Default: a fifth of the machine's memory, no more than 768 MiB.
        public var costLimit = min(768 << 20, Int(clamping: ProcessInfo.processInfo.physicalMemory / 5))

        /// The defaults.
        public init() {}
    }

    /// The disk cache, of original bytes.
    public struct Disk: Sendable, Hashable {
        /// The cache's own directory, made when it is first needed. Default: a directory for this program, by its name,
        /// below "alcedo" in the user's cache directory.
        ///
        /// It is meant for one loader. Several of them damage nothing, but each counts only what it wrote and what it
        /// found at its start, so that together they may hold more than ``byteLimit``.
        public var directory: URL
        /// Bytes of all entries, each counted in whole blocks of 4 KiB. Default 512 MiB. The least recently used go
        /// first.
        public var byteLimit = 512 << 20

        /// - Parameter directory: nil is the default directory.
        public init(directory: URL? = nil) {
            self.directory = directory ?? Self.defaultDirectory
        }

        private static var defaultDirectory: URL {
            let caches = FileManager.default.urls(for: .cachesDirectory, in: .userDomainMask).first
            let program = ProcessInfo.processInfo.processName.replacing("/", with: "_")
            return (caches ?? FileManager.default.temporaryDirectory)
                .appendingPathComponent("alcedo", isDirectory: true)
                .appendingPathComponent(program.isEmpty ? "program" : program, isDirectory: true)
        }
    }

    /// Downloads.
    public struct Download: Sendable {
        /// Downloads at once, over all hosts; at least 1. Default 6.
        public var width = 6
        /// The longest time without a byte, connecting included, in whole seconds rounded up; at least 1. Default 15
        /// seconds.
        public var idleTimeout: Duration = .seconds(15)
        /// The longest time for a transfer, from its start to its end; waiting for its turn is not counted. nil, the
        /// default, is no limit.
        public var totalTimeout: Duration?
        /// What a response must keep; its byte limit is also that of local files. Default: 200 MiB or a tenth of the
        /// machine's memory, whichever is less, and any success.
        public var response = ResponseRules()
        /// Which redirects are followed, and what they take along.
        public var redirects = RedirectPolicy()
        /// Fields sent with every request, whatever its host; a redirect to another origin takes neither
        /// `Authorization` nor `Cookie` along. Default: none.
        public var headers: HTTPHeaders = [:]

        /// The defaults.
        public init() {
            response.byteLimit = min(response.byteLimit, Int(clamping: ProcessInfo.processInfo.physicalMemory / 10))
        }
    }

    /// Decoding, on threads of its own.
    public struct Decode: Sendable {
        /// Pictures decoded at once; at least 1. Their bitmaps together take no more than twice
        /// ``DecodeLimits/bitmapBytes``. Default: the number of cores.
        public var width = ProcessInfo.processInfo.activeProcessorCount
        /// What a picture may claim.
        public var limits = DecodeLimits()
        /// What reads the formats. Default: what the platform has.
        public var decoders = ImageDecoders.builtIn

        /// The defaults.
        public init() {}
    }
}
