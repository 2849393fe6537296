import Foundation

/// The path of one image, in order: memory, disk, download, decode, store.
///
/// Each stage is an owner of its own; this file only says what comes after what.
struct LoadPath: Sendable {
    let memory: MemoryCache
    let disk: DiskStore?
    let downloads: DownloadCoordinator
    let decoding: DecodeGate
    let previews: PreviewMakers
    let flights: ImageFlights
    let local: LocalSources
    let undecoded: UndecodedBytes
    /// What is kept on disk.
    let contents: DiskContents
    let time: TimeSource
    let report: EventReport?
    /// What tells the bytes of this loader's request headers from those of others, written out; empty without any.
    let diskScope: String
    /// Names of header fields that stay with their origin.
    let secretFields: [String]

    /// What a caller gets: from memory at once, else from the one flight of its picture.
    ///
    /// - Parameters:
    ///   - control: the caller's, if its priority may change or its progress is followed.
    ///   - again: whether the caller has looked in memory before.
    func image(
        for request: ImageRequest, _ control: LoadControl? = nil, again: Bool = false
    ) async throws(ImageLoaderError) -> LoadedImage {
        if let loaded = await kept(request, ImageKey(request), again: again) { return loaded }
        return try await first(of: request, control, decodes: true) { (request) async throws(ImageLoaderError) in
            try await shared(request, control)
        }
    }

    /// The bytes alone, by the same path less its ends.
    func data(
        for request: ImageRequest, _ control: LoadControl? = nil
    ) async throws(ImageLoaderError) -> Data {
        try await first(of: request, control, decodes: false) { (request) async throws(ImageLoaderError) in
            try request.validate()
            if Task.isCancelled { throw .cancelled }
            if let bytes = try await local.bytes(of: request) { return bytes }
            if request.cachePolicy.readsCaches, let disk, let key = await diskKey(ResourceKey(request)),
                let stored = await disk.entry(for: key)
            {
                return stored.body
            }
            if request.cachePolicy == .cachesOnly { throw .notCached }
            return try await body(of: request, control)
        }
    }

    private func body(of request: ImageRequest, _ control: LoadControl?) async throws(ImageLoaderError) -> Data {
        do throws(ImageLoaderError) {
            return try await handedOut(request, control)
        } catch {
            // It is remembered that the picture did not decode; the bytes came, and nothing else is asked for here.
            guard error.isOfDecoding, !request.asksAnew else { throw error }
            return try await bodyAnew(of: request, control)
        }
    }

    // What a function needs at any time is held by all who wait in it, who may be thousands: what seldom happens, or comes
    // after the long wait for a download, is in functions of its own.
    @inline(never) private func bodyAnew(of request: ImageRequest, _ control: LoadControl?)
        async throws(ImageLoaderError) -> Data
    {
        var anew = request
        anew.retriesFailed = true
        return try await handedOut(anew, control)
    }

    private func handedOut(_ request: ImageRequest, _ control: LoadControl?) async throws(ImageLoaderError) -> Data {
        let download = try await downloads.download(request, control)
        // It isn't decoded here.
        download.undecoded?.release()
        return download.body
    }

    /// From memory, else from the one flight of the picture.
    private func shared(
        _ request: ImageRequest, _ control: LoadControl?
    ) async throws(ImageLoaderError) -> LoadedImage {
        let key = ImageKey(request)
        if let loaded = await kept(request, key, again: true) { return loaded }
        try request.validate()
        return try await flights.image(
            for: FlightKey(key, request), control, priority: request.priority,
            onShare: { report?(.coalesced(request)) },
            load: { (control) async throws(ImageLoaderError) in try await load(request, key, control) }
        ).get()
    }

    /// The picture from memory. One that was evicted and is still used by somebody is kept again.
    private func kept(
        _ request: ImageRequest, _ key: ImageKey, again: Bool, forAll: Bool = false
    ) async -> LoadedImage? {
        guard request.cachePolicy.readsCaches,
            let found = memory.find(key, largerServes: !forAll && request.precision == .atLeast, again: again)
        else { return nil }
        if found.isReleased { await memory.keepAgain(key, found.image) }
        return LoadedImage(image: found.image, source: .memory, freshness: found.freshness)
    }

    /// The flight.
    private func load(
        _ request: ImageRequest, _ key: ImageKey, _ control: LoadControl
    ) async throws(ImageLoaderError) -> Landing {
        let policy = request.cachePolicy
        // A flight that landed since the caller looked has left its picture there. A larger one would serve this caller,
        // but not all who may join.
        if let loaded = await kept(request, key, again: true, forAll: true) { return Landing(loaded) }
        let begun = Tickets(memory: await memory.ticket(), disk: await disk?.ticket())

        if let found = try await onThisMachine(request, key, control, begun) { return found }
        if policy == .cachesOnly { throw .notCached }
        return try await downloaded(request, key, control, begun)
    }

    /// The picture without a server: from the program, a file or the disk cache.
    @inline(never) private func onThisMachine(
        _ request: ImageRequest, _ key: ImageKey, _ control: LoadControl, _ begun: Tickets
    ) async throws(ImageLoaderError) -> Landing? {
        if let (bytes, readTime, share) = try await local(request) {
            var loaded = try await decoded(bytes, share, as: key.form, from: .local, control)
            loaded.timings.disk = readTime
            if request.cachePolicy.fillsCaches { await keep(loaded, request, key, begun.memory) }
            return Landing(loaded)
        }
        return request.cachePolicy.readsCaches ? try await stored(request, key, control, begun) : nil
    }

    struct Tickets: Sendable {
        let memory: MemoryCache.Ticket
        let disk: DiskStore.Ticket?
    }

    private func downloaded(
        _ request: ImageRequest, _ key: ImageKey, _ control: LoadControl, _ begun: Tickets
    ) async throws(ImageLoaderError) -> Landing {
        let (download, downloadTime) = try await timed { () async throws(ImageLoaderError) in
            try await downloads.download(request, control)
        }
        return try await landing(download, downloadTime, request, key, control, begun)
    }

    @inline(never) private func landing(
        _ download: Download, _ downloadTime: Duration, _ request: ImageRequest, _ key: ImageKey,
        _ control: LoadControl, _ begun: Tickets
    ) async throws(ImageLoaderError) -> Landing {
        var loaded: LoadedImage
        do throws(ImageLoaderError) {
            loaded = try await decoded(download.body, download.undecoded, as: key.form, from: .network, control)
        } catch {
            await downloads.recordFailure(error, of: request, download)
            throw error
        }
        loaded.timings.download = downloadTime
        loaded.freshness = download.freshness
        // Only what decoded is kept.
        guard request.cachePolicy.fillsCaches else { return Landing(loaded) }
        guard download.mayBeStored else { return await forgetEarlier(key.resource, Landing(loaded)) }
        await keep(loaded, request, key, begun.memory)
        return await keepOnDisk(download, loaded, request, key, begun)
    }

    private func local(_ request: ImageRequest) async throws(ImageLoaderError) -> (Data, Duration, UndecodedShare)? {
        let share: UndecodedShare?
        switch request.source {
        case .url(let url) where url.isWebURL: return nil
        case .url: share = await undecoded.admit()
        // The program's closure may load something itself, so it must not take the place of a read.
        case .provided: share = await undecoded.admit(isRead: false)
        }
        guard let share else { throw .cancelled }
        let (bytes, readTime) = try await timed { () async throws(ImageLoaderError) in
            try await local.bytes(of: request)
        }
        guard let bytes else { return nil }
        share.add(bytes.count)
        return (bytes, readTime, share)
    }

    func keep(
        _ loaded: LoadedImage, _ request: ImageRequest, _ key: ImageKey, _ begun: MemoryCache.Ticket
    ) async {
        let entry = MemoryEntry(loaded.image, tags: request.tags, freshness: loaded.freshness)
        await memory.store(entry, for: key, timeToLive: request.timeToLive, begun: begun)
    }

    func decoded(
        _ body: Data, _ share: UndecodedShare?, as form: PictureForm, from source: ImageSource, _ control: LoadControl
    ) async throws(ImageLoaderError) -> LoadedImage {
        defer { share?.release() }
        let (image, decodeTime) = try await timed { () async throws(ImageLoaderError) in
            try await decoding.decode(body, as: form, control)
        }
        var loaded = LoadedImage(image: image, source: source)
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

extension ImageLoaderError {
    /// Whether it says that the bytes are no picture that can be had, though they may have come whole.
    var isOfDecoding: Bool {
        switch self {
        case .notAnImage, .unsupportedFormat, .unsupportedImage, .corruptImage: true
        case .limitExceeded(let limit, _, _): ![.inputBytes, .headerBytes, .redirects].contains(limit)
        default: false
        }
    }
}
