import Foundation

/// The path of one image, in order: memory, disk, download, decode, store.
///
/// Each stage is an owner of its own; this file only says what comes after what.
struct LoadPath: Sendable {
    let memory: MemoryCache
    let disk: DiskStore?
    let downloads: DownloadCoordinator
    let decoding: DecodeGate
    let flights: ImageFlights
    let localFiles: LocalFiles
    let time: TimeSource
    let report: EventReport?
    /// What tells the bytes of this loader's request headers from those of others; empty without any.
    let diskScope: String

    /// What a caller gets: from memory at once, else from the one flight of its picture.
    func image(for request: ImageRequest) async throws(ImageLoaderError) -> LoadedImage {
        let key = ImageKey(request)
        if let image = memory.image(for: key) { return LoadedImage(image, .memory) }
        try request.validate()
        return try await flights.image(for: key, onShare: { report?(.coalesced(request)) }) {
            () async throws(ImageLoaderError) in try await load(request, key)
        }
    }

    /// The bytes alone, by the same path less its ends.
    func data(for request: ImageRequest) async throws(ImageLoaderError) -> Data {
        try request.validate()
        if Task.isCancelled { throw .cancelled }
        if request.url.isFileURL { return try await localFiles.read(request.url) }
        if let stored = await disk?.body(for: diskKey(ResourceKey(request.url))) { return stored }
        return try await downloads.download(request).body
    }

    /// Takes a picture out of both caches. The order keeps out whatever began before.
    ///
    /// Memory comes first, as it answers at once, and again after the disk: who read the disk before shows a ticket from
    /// before that. Who joins a flight later is served by one whose download and look-ups began after all of it.
    func remove(_ key: ImageKey) async {
        await downloads.retire(key.resource)
        await memory.remove(key)
        await disk?.remove(diskKey(key.resource))
        await memory.remove(key)
        await flights.retire(key)
    }

    /// ``remove(_:)`` for all pictures.
    func removeAll() async {
        await downloads.retireAll()
        await memory.removeAll()
        await disk?.removeAll()
        await memory.removeAll()
        await flights.retireAll()
    }

    /// The flight.
    private func load(_ request: ImageRequest, _ key: ImageKey) async throws(ImageLoaderError) -> LoadedImage {
        // A flight that landed since the caller looked has left its picture there.
        if let image = memory.image(for: key) { return LoadedImage(image, .memory) }
        let begun = (memory: await memory.ticket(), disk: await disk?.ticket())

        if request.url.isFileURL {
            return try await local(request, key, begun.memory)
        }
        if let stored = try await stored(key, begun.memory) { return stored }

        let (download, downloadTime) = try await timed { () async throws(ImageLoaderError) in
            try await downloads.download(request)
        }
        var loaded = try await decoded(download.body, from: .network)
        loaded.timings.download = downloadTime
        // Only what decoded is kept.
        await memory.store(loaded.image, for: key, begun: begun.memory)
        if let disk, let ticket = begun.disk {
            await disk.store(download.body, for: diskKey(key.resource), begun: ticket)
        }
        return loaded
    }

    private func local(
        _ request: ImageRequest, _ key: ImageKey, _ begun: MemoryCache.Ticket
    ) async throws(ImageLoaderError) -> LoadedImage {
        let (body, readTime) = try await timed { () async throws(ImageLoaderError) in
            try await localFiles.read(request.url)
        }
        var loaded = try await decoded(body, from: .local)
        loaded.timings.disk = readTime
        await memory.store(loaded.image, for: key, begun: begun)
        return loaded
    }

    /// The picture from the disk cache, nil when it has none that decodes.
    private func stored(
        _ key: ImageKey, _ begun: MemoryCache.Ticket
    ) async throws(ImageLoaderError) -> LoadedImage? {
        guard let disk else { return nil }
        let start = time.now()
        guard let body = await disk.body(for: diskKey(key.resource)) else { return nil }
        let readTime = time.now() - start
        do throws(ImageLoaderError) {
            var loaded = try await decoded(body, from: .disk)
            loaded.timings.disk = readTime
            await memory.store(loaded.image, for: key, begun: begun)
            return loaded
        } catch {
            switch error {
            // A download would end the same way.
            case .cancelled, .limitExceeded: throw error
            // It decoded when it was stored; what is downloaded now takes its place.
            default: report?(.cacheFailed(CacheFailure(operation: .read, path: key.resource.text, reason: "\(error)")))
            }
            return nil
        }
    }

    /// The name of bytes on disk: other request headers may bring other bytes, and a directory outlives a loader.
    private func diskKey(_ key: ResourceKey) -> ResourceKey {
        diskScope.isEmpty ? key : ResourceKey(text: key.text + diskScope)
    }

    private func decoded(_ body: Data, from source: ImageSource) async throws(ImageLoaderError) -> LoadedImage {
        let (image, decodeTime) = try await timed { () async throws(ImageLoaderError) in
            try await decoding.decode(body)
        }
        var loaded = LoadedImage(image, source)
        loaded.timings.decode = decodeTime
        return loaded
    }

    private func timed<Value>(
        _ work: () async throws(ImageLoaderError) -> Value
    ) async throws(ImageLoaderError) -> (Value, Duration) {
        let start = time.now()
        let value = try await work()
        return (value, time.now() - start)
    }
}

extension LoadedImage {
    fileprivate init(_ image: DecodedImage, _ source: ImageSource) {
        self.init(image: image, source: source, timings: LoadTimings())
    }
}
