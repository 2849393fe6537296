public import Foundation

/// Loads images: from memory, from disk, from the network.
///
/// ```swift
/// let loader = ImageLoader()
/// let image = try await loader.image(for: url)
/// ```
///
/// A loader may be used from any task and any actor. It owns its caches, connections and threads, and the loads under
/// way. Callers that ask for the same picture at the same time share one load. Cancelling a caller's Task ends its wait
/// at once; when nobody else waits, the connection is closed. Keep one loader for the life of the program: two loaders
/// share neither loads nor pictures in memory.
public final class ImageLoader: Sendable {
    let path: LoadPath
    private let onEvent: EventReport?
    /// Ends with the loader.
    private let pressure: MemoryPressureTrimmer?

    /// Makes a loader. Touches neither disk nor network: a cache directory that can't be used is reported through
    /// ``Configuration/onEvent`` when it is first needed, and images load without it.
    public convenience init(_ configuration: Configuration = Configuration()) {
        self.init(configuration, calls: PosixSystemCalls())
    }

    package init(_ configuration: Configuration, calls: any SystemCalls, processMemory: ProcessMemory = .shared) {
        let time = TimeSource(configuration.clock)
        let report = configuration.onEvent
        let download = configuration.download
        onEvent = report
        let memory = MemoryCache(configuration.memory, memory: processMemory, now: time.now)
        pressure =
            configuration.memory.watchesPressure
            ? MemoryPressureTrimmer(memory) { report?(.cacheFailed($0)) } : nil
        let decoding = DecodeGate(configuration.decode)
        let undecoded = UndecodedBytes(limit: configuration.decode.undecodedByteLimit)
        path = LoadPath(
            memory: memory,
            disk: configuration.disk.map { DiskStore($0, calls, time, report) },
            downloads: DownloadCoordinator(
                loader: configuration.dataLoader ?? DefaultDataLoader.make(),
                settings: download, undecoded: undecoded, time: time, memory: processMemory,
                onEvent: { report?(LoadEvent($0)) }),
            decoding: decoding,
            previews: PreviewMakers(configuration, decoding, time),
            flights: ImageFlights(),
            local: LocalSources(download.response, memory: processMemory),
            undecoded: undecoded,
            contents: configuration.disk?.contents ?? .originals,
            time: time,
            report: report,
            diskScope: download.headers.diskScope,
            secretFields: download.redirects.secretFields)
    }

    /// The picture at `url`.
    ///
    /// A picture in memory is returned without leaving the caller's actor. Otherwise the disk cache is asked, then the
    /// network; what is downloaded is kept in both caches once it has decoded.
    /// - Throws: ``ImageLoaderError/cancelled`` at once when the calling Task is cancelled, and what else kept the
    ///   picture from being loaded. A cache that fails is no error.
    public func image(for url: URL) async throws(ImageLoaderError) -> DecodedImage {
        // What most callers get, without a request.
        guard onEvent == nil else { return try await load(ImageRequest(url: url)).image }
        if let found = path.memory.find(ImageKey(url)) {
            if found.isReleased { await path.memory.keepAgain(ImageKey(url), found.image) }
            return found.image
        }
        return try await path.imageNotInMemory(for: ImageRequest(url: url)).image
    }

    /// The picture that `request` asks for; see ``image(for:)-(URL)``.
    public func image(for request: ImageRequest) async throws(ImageLoaderError) -> DecodedImage {
        try await load(request).image
    }

    /// The picture that `request` asks for, with where it came from and how long that took; loaded as by
    /// ``image(for:)-(ImageRequest)``, with the same errors.
    public func response(for request: ImageRequest) async throws(ImageLoaderError) -> ImageResponse {
        try await response(for: request, nil)
    }

    private func response(
        for request: ImageRequest, _ control: LoadControl?
    ) async throws(ImageLoaderError) -> ImageResponse {
        let start = path.time.now()
        var loaded = try await load(request, control)
        loaded.timings.total = path.time.now() - start
        return ImageResponse(
            image: loaded.image, source: loaded.source, freshness: loaded.freshness, timings: loaded.timings)
    }

    /// The picture that `request` asks for if it is in memory, whatever its cache policy. Does not suspend, so a view
    /// can ask while it is drawn. The request's ``ImageRequest/fallbacks`` are not looked up.
    ///
    /// May be called from any isolation. Takes a lock for the look-up, starts nothing and reports no event.
    public func cachedImage(for request: ImageRequest) -> DecodedImage? {
        path.memory.find(ImageKey(request), largerServes: request.precision == .atLeast)?.image
    }

    /// The picture at `url` if it is in memory; see ``cachedImage(for:)-(ImageRequest)``.
    public func cachedImage(for url: URL) -> DecodedImage? {
        path.memory.find(ImageKey(url))?.image
    }

    /// The bytes that `request` names, as they came, from disk or the network; they are not decoded and not kept.
    ///
    /// Shares a download with all who want the same resource meanwhile. Reports the events of the download only. A body
    /// of which only the close of the connection tells the end is returned as it came: whether it is whole, no one has
    /// said.
    /// - Throws: as ``image(for:)-(URL)``, less the errors of decoding; ``ImageLoaderError/cancelled`` at once when the
    ///   calling Task is cancelled.
    public func data(for request: ImageRequest) async throws(ImageLoaderError) -> Data {
        try await path.data(for: request)
    }

    /// Starts to load the picture that `request` asks for; the handle follows the load. It counts as a waiter at once:
    /// a download under way is shared even if its last other caller leaves right after this returns.
    public func imageTask(for request: ImageRequest) -> LoadTask<ImageResponse> {
        LoadTask(request, path.announceImage(request), on: self, previews: path.previews) {
            (control) async throws(ImageLoaderError) in
            try await self.response(for: request, control)
        }
    }

    /// Starts to load the bytes that `request` names, as by ``data(for:)``; the handle follows the load.
    public func dataTask(for request: ImageRequest) -> LoadTask<Data> {
        LoadTask(request, path.announceData(request), on: self) { (control) async throws(ImageLoaderError) in
            try await self.path.data(for: request, control)
        }
    }

    private func load(
        _ request: ImageRequest, _ control: LoadControl? = nil
    ) async throws(ImageLoaderError) -> LoadedImage {
        guard let onEvent else { return try await path.image(for: request, control) }
        do throws(ImageLoaderError) {
            let loaded = try await path.image(for: request, control)
            onEvent(.loaded(request, source: loaded.source))
            return loaded
        } catch {
            onEvent(.failed(request, error))
            throw error
        }
    }
}

extension DiskStore {
    fileprivate init(
        _ settings: DiskStore.Settings, _ calls: any SystemCalls, _ time: TimeSource, _ report: EventReport?
    ) {
        var onRemoval: (@Sendable (DiskRemoval) -> Void)?
        if let report { onRemoval = { report(LoadEvent($0)) } }
        self.init(
            settings, calls: calls, time: time, onFailure: { report?(.cacheFailed($0)) }, onRemoval: onRemoval)
    }
}

extension HTTPHeaders {
    fileprivate var diskScope: String {
        fields.map { "\($0.name.lowercased()): \($0.value)\n" }.sorted().joined()
    }
}
