public import Foundation
import Synchronization

/// Loads images from memory, from disk or from the network.
///
/// ```swift
/// let loader = ImageLoader()
/// let image = try await loader.image(for: url)
/// ```
///
/// A loader may be used from any task and any actor. Callers that ask for the same image at the same time share one
/// load. Cancelling a caller's Task ends its wait immediately, and closes the connection if no other caller waits.
///
/// A loader creates its own ``memoryCache``, ``diskCache`` and ``downloads`` unless they are passed to it. Use one
/// loader for the life of the program, or ``shared``: loaders that create their own share neither downloads nor images
/// in memory.
public final class ImageLoader: Sendable {
    /// The cache of decoded images in memory.
    public var memoryCache: MemoryCache { path.memory }
    /// The cache of files on disk; nil if nothing is stored on disk, or the loader was given another store.
    public var diskCache: DiskStore? { path.disk?.disk }
    /// The disk tier: that of ``diskCache``, or the one that was passed to the loader; nil if nothing is stored.
    public var storedTier: StoredTier? { path.disk }
    /// The coordinator of all downloads.
    public var downloads: DownloadCoordinator { path.downloads }

    let path: LoadPath
    // Copies of the path's values, because a look-up through the path would retain and release it.
    /// The budget to pass to each ``AnimationPlayer`` of this loader's images; see ``Configuration/frameBudget``.
    public let frameBudget: FrameBudget
    private let memory: MemoryCache
    private let scope: KeyScope
    /// Whether a hit is neither reported nor refused, and only the freshness of an image in memory decides on its use.
    private let isQuiet: Bool
    /// Whether images in memory are used even if they are stale.
    let acceptsStale: Bool

    /// Creates a loader. It uses neither disk nor network before the first load.
    ///
    /// A cache or coordinator that you pass keeps its own settings and events, and may be shared with other loaders.
    /// Setting its part of the configuration as well (``Configuration/memory``, ``Configuration/disk``, or
    /// ``Configuration/download`` and ``Configuration/dataLoader``) makes the configuration invalid, as does a value
    /// that is out of range. Every load then throws ``ImageLoaderError/unsupportedConfiguration(_:)``.
    ///
    /// - Parameters:
    ///   - configuration: The loader's settings.
    ///   - memoryCache: The memory cache. With nil, one is created with ``Configuration/memory``.
    ///   - diskCache: The disk cache. With nil, one is created with ``Configuration/disk``.
    ///   - downloads: The download coordinator. With nil, one is created with ``Configuration/download`` and
    ///     ``Configuration/dataLoader``.
    public convenience init(
        _ configuration: Configuration = Configuration(), memoryCache: MemoryCache? = nil, diskCache: DiskStore? = nil,
        downloads: DownloadCoordinator? = nil
    ) {
        self.init(
            configuration, memoryCache: memoryCache, diskCache: diskCache, downloads: downloads,
            calls: PosixSystemCalls())
    }

    /// Creates a loader whose disk tier is a store of the program; see <doc:Stores>.
    ///
    /// ``Configuration/disk`` must not be set. Otherwise like
    /// ``init(_:memoryCache:diskCache:downloads:)``.
    ///
    /// - Parameters:
    ///   - configuration: The loader's settings.
    ///   - memoryCache: The memory cache. With nil, one is created with ``Configuration/memory``.
    ///   - store: The disk tier, which may be shared with other loaders.
    ///   - downloads: The download coordinator. With nil, one is created with ``Configuration/download`` and
    ///     ``Configuration/dataLoader``.
    public convenience init(
        _ configuration: Configuration = Configuration(), memoryCache: MemoryCache? = nil, store: StoredTier,
        downloads: DownloadCoordinator? = nil
    ) {
        self.init(
            configuration, Owners(memory: memoryCache, disk: store, downloads: downloads), calls: PosixSystemCalls())
    }

    package convenience init(
        _ configuration: Configuration, memoryCache: MemoryCache? = nil, diskCache: DiskStore? = nil,
        downloads: DownloadCoordinator? = nil, calls: any SystemCalls, processMemory: ProcessMemory = .shared
    ) {
        let owners = Owners(memory: memoryCache, disk: diskCache.map { StoredTier($0) }, downloads: downloads)
        self.init(configuration, owners, calls: calls, processMemory: processMemory)
    }

    init(
        _ configuration: Configuration, _ owners: Owners, calls: any SystemCalls,
        processMemory: ProcessMemory = .shared
    ) {
        let problem = configuration.problem ?? owners.problem(configuration)
        path = LoadPath(problem == nil ? configuration : configuration.harmless, owners, problem, calls, processMemory)
        frameBudget = configuration.frameBudget
        memory = path.memory
        scope = path.scope
        let query = CacheQuery(configuration.readPolicy)
        acceptsStale = query.acceptsStale
        isQuiet = path.report == nil && problem == nil && query.trustsCaches
        if let problem { path.report?(.misconfigured(problem)) }
    }

    deinit {
        // Only images that are revalidated in the background are still being loaded.
        path.flights.cancelAll()
        path.encodings.cancelAll()
        path.downloads.flights.end(path.identity)
    }

    /// Returns the key under which this loader, and any other with the same scope, caches the image of `request`.
    public func key(for request: ImageRequest) -> ImageKey { ImageKey(request, in: scope) }

    /// Returns the key under which this loader caches the image at `url`; see ``key(for:)-(ImageRequest)``.
    public func key(for url: URL) -> ImageKey { ImageKey(url, in: scope) }

    // MARK: Loading

    /// Returns the image at `url`.
    ///
    /// An image in memory is returned without leaving the caller's actor. Otherwise the disk cache is searched, and
    /// then the network is used. A download is stored in both caches once it has been decoded.
    ///
    /// - Throws: The error that the load failed with. If the calling Task is cancelled, ``ImageLoaderError/cancelled``
    ///   is thrown immediately. The failure of a cache is not an error.
    public func image(for url: URL) async throws(ImageLoaderError) -> DecodedImage {
        // Creating a request would take as long as finding the image.
        if let image = hit(url) { return image }
        return try await missed(ImageRequest(url: url))
    }

    /// Returns the image for `request`, from memory, disk or the network; see ``image(for:)-(URL)``.
    public func image(for request: ImageRequest) async throws(ImageLoaderError) -> DecodedImage {
        if let image = hit(request) { return image }
        return try await missed(request)
    }

    @inline(never) private func hit(_ request: ImageRequest) -> DecodedImage? {
        isQuiet && request.trustsCaches ? image(request, keepsReleased: true) : nil
    }

    @inline(__always) private func image(_ request: ImageRequest, keepsReleased: Bool) -> DecodedImage? {
        let key = ImageKey(request, in: scope)
        return memory.find(
            key, largerServes: request.precision == .atLeast, keepsReleased: keepsReleased, acceptsStale: acceptsStale
        )?.image
    }

    @inline(never) private func hit(_ url: URL) -> DecodedImage? {
        isQuiet ? memory.find(ImageKey(url, in: scope), keepsReleased: true)?.image : nil
    }

    // Thousands of callers may wait here, so these frames hold only what all of them need.
    @inline(__always) private func missed(_ request: ImageRequest) async throws(ImageLoaderError) -> DecodedImage {
        let isPlain = isQuiet && path.isPlain(request)
        let outcome = isPlain ? await path.shared(request, nil) : await loadedOtherwise(request)
        return try outcome.get().image
    }

    @inline(never) private func loadedOtherwise(_ request: ImageRequest) async -> LoadPath.Outcome {
        do throws(ImageLoaderError) {
            guard isQuiet else { return LoadPath.Outcome(.success(try await load(request))) }
            return try await path.missed(request, nil)
        } catch {
            return LoadPath.Outcome(.failure(error))
        }
    }

    /// Returns the image for `request`, with its source and timings; see ``image(for:)-(URL)``.
    public func response(for request: ImageRequest) async throws(ImageLoaderError) -> ImageResponse {
        try await response(for: request, nil)
    }

    private func response(
        for request: ImageRequest, _ control: LoadControl?
    ) async throws(ImageLoaderError) -> ImageResponse {
        let start = path.time.now()
        return response(try await load(request, control), to: request, since: start)
    }

    func response(_ loaded: LoadedImage, to request: ImageRequest, since start: Duration) -> ImageResponse {
        var timings = loaded.timings
        timings.total = path.time.now() - start
        return ImageResponse(
            image: loaded.image, source: loaded.source, staleReason: loaded.staleReason, timings: timings,
            exchange: exchange(loaded.response, at: loaded.url ?? request.url))
    }

    func exchange(_ response: StoredResponse?, at url: URL?) -> ImageResponse.Exchange? {
        guard let response, let url else { return nil }
        return ImageResponse.Exchange(response: response, url: url, answered: path.time.secondsSince1970())
    }

    /// Returns the image for `request` if it is in memory and its server needn't confirm it first. Ignores the
    /// request's cache policy and its ``ImageRequest/fallbacks``. Doesn't suspend, so a view can call it while it is
    /// drawn.
    ///
    /// May be called from any isolation. Takes a lock for the look-up, starts no load and reports no event.
    public func cachedImage(for request: ImageRequest) -> DecodedImage? {
        image(request, keepsReleased: false)
    }

    /// Returns the image at `url` if it is in memory; see ``cachedImage(for:)-(ImageRequest)``.
    public func cachedImage(for url: URL) -> DecodedImage? {
        memory.find(ImageKey(url, in: scope), acceptsStale: acceptsStale)?.image
    }

    /// Returns the bytes for `request` as received, from disk or the network. They are stored on disk but not decoded;
    /// see ``dataResponse(for:)-(ImageRequest)``.
    public func data(for request: ImageRequest) async throws(ImageLoaderError) -> Data {
        try await path.data(for: request)
    }

    /// Starts loading the image for `request`, and returns a handle to follow the load. The handle counts as a waiter
    /// immediately: a running download is shared even if its last other caller leaves right after this returns.
    public func imageTask(for request: ImageRequest) -> LoadTask<ImageResponse> {
        imageTask(for: request, revalidates: false)
    }

    /// - Parameter revalidates: Whether the caller revalidates a stale image itself, with ``revalidation(of:for:)``, so
    ///   that the loader doesn't.
    func imageTask(for request: ImageRequest, revalidates: Bool) -> LoadTask<ImageResponse> {
        let known = path.outcomeInAdvance(of: request)
        if known != nil || path.isPlain(request) {
            return LoadTask(request, known, since: path.time.now(), on: self, revalidates: revalidates)
        }
        return LoadTask(request, on: self, previews: path.previews, revalidates: revalidates) {
            (control) async throws(ImageLoaderError) in
            try await self.response(for: request, control)
        }
    }

    /// Starts loading the bytes for `request`, as ``data(for:)-(ImageRequest)`` does, and returns a handle to follow
    /// the load.
    public func dataTask(for request: ImageRequest) -> LoadTask<Data> {
        LoadTask(request, on: self) { (control) async throws(ImageLoaderError) in
            try await self.path.data(for: request, control)
        }
    }

    @inline(never) private func load(
        _ request: ImageRequest, _ control: LoadControl? = nil
    ) async throws(ImageLoaderError) -> LoadedImage {
        guard let report = path.report else { return try await path.image(for: request, control) }
        return try await path.image(for: request, control ?? LoadControl(priority: request.priority), report)
    }

    // MARK: Control

    /// Returns whether the image for `request` is being loaded, or its bytes are being downloaded.
    public func isLoading(_ request: ImageRequest) async -> Bool {
        let request = request.resolved(path.policies)
        let key = FlightKey(key(for: request), request)
        if path.flights.isLoading(key) || path.encodings.isLoading(where: { $0.image == key }) { return true }
        return await path.downloads.isLoading(request)
    }

    /// Cancels all loads of this loader. Its callers get ``ImageLoaderError/cancelled``, and connections are closed
    /// unless callers of other loaders share them. Loads that start later are not affected.
    public func cancelAll() async {
        path.cancellations.add(1, ordering: .sequentiallyConsistent)
        path.flights.cancelAll()
        path.encodings.cancelAll()
        path.downloads.flights.cancelAll { $0.control?.loader == path.identity }
    }

    /// Closes the loader: refuses new loads, cancels the current ones as ``cancelAll()`` does, writes everything stored
    /// to disk as ``flush()`` does, and releases the loader's resources.
    ///
    /// Returns when all of that is done. Waits for your own code in a load, even if it ignores cancellation:
    /// transports, decoders, processors, hooks, and closures that provide bytes to ``data(for:)-(ImageRequest)``.
    /// Cancelling doesn't shorten the wait. A second call waits as well.
    ///
    /// Later loads throw ``ImageLoaderError/closed``. Images in memory are still found. Caches and coordinators shared
    /// with other loaders remain usable, and reopen what they need.
    ///
    /// The threads and open files of the loader's caches and downloads are released, and so are its transport's idle
    /// connections, unless other loads use the transport.
    public func close() async {
        path.cancellations.add(1, ordering: .sequentiallyConsistent)
        path.downloads.flights.close(path.identity)
        path.flights.close()
        path.encodings.close()
        // Flights that other loaders wait for continue.
        await path.downloads.flights.ended { $0.control.loader == path.identity && $1 == 0 }
        await path.flights.ended()
        await path.encodings.ended()
        await path.decoding.settle()
        // Threads, connections and files are kept for further loads.
        await path.downloads.transfer.loader.closeIdleConnections()
        path.decoding.workers.rest()
        path.local.rest()
        await flush()
        await path.disk?.rest()
    }

    /// The number of callers so far that shared a load that another caller had started.
    public var coalescedLoadCount: Int {
        get async { path.flights.sharedCount + path.encodings.sharedCount }
    }
}
