/// The path of one image, in order: memory, disk, download, decode, store.
///
/// Each stage has an owner. This file only says in which order they follow.
struct LoadPath: Sendable {
    let memory: MemoryCache
    let disk: DiskStore?
    let downloads: DownloadCoordinator
    let decoding: DecodeGate
    let previews: PreviewMakers
    let flights: ImageFlights
    let local: LocalSources
    let time: TimeSource
    let report: EventReport?
    /// What the settings add to all keys.
    let scope: KeyScope
    /// Why nothing can be loaded.
    let problem: ImageLoaderError?

    /// What is stored on disk.
    var contents: DiskContents { disk?.settings.contents ?? .originals }
    var undecoded: UndecodedBytes { downloads.undecoded }
    /// Distinguishes this loader's callers from those of other loaders on a shared owner.
    var identity: ObjectIdentifier { ObjectIdentifier(flights) }

    // Thousands of callers may be suspended in one function, each with its own frame. Rare work, and work after the
    // download, is therefore in separate functions that aren't inlined.

    /// Returns the image from memory at once, or else from the one flight that loads it.
    ///
    /// - Parameter control: The caller's, if its priority may change, its progress is followed or its events have an
    ///   id.
    func image(
        for request: ImageRequest, _ control: LoadControl? = nil
    ) async throws(ImageLoaderError) -> LoadedImage {
        if let problem { throw problem }
        if let loaded = await inMemory(request) { return loaded }
        return try await imageNotInMemory(for: request, control)
    }

    /// ``image(for:_:)`` for a caller that has looked in memory.
    func imageNotInMemory(
        for request: ImageRequest, _ control: LoadControl? = nil
    ) async throws(ImageLoaderError) -> LoadedImage {
        try await first(of: request, control, decodes: true) { (next, isFallback) async throws(ImageLoaderError) in
            if isFallback, let loaded = await inMemory(next) { return loaded }
            return try await shared(next, control)
        }
    }

    /// The image from memory. One that was evicted but is still in use is stored again.
    private func inMemory(_ request: ImageRequest) async -> LoadedImage? {
        guard request.cachePolicy.readsCaches else { return nil }
        let key = ImageKey(request, in: scope)
        guard let found = memory.find(key, largerServes: request.precision == .atLeast) else { return nil }
        return await loaded(found, key)
    }

    private func loaded(_ found: MemoryCache.Found, _ key: ImageKey) async -> LoadedImage {
        if found.isReleased { await memory.keepAgain(key, found.image) }
        return LoadedImage(image: found.image, source: .memory, freshness: found.freshness)
    }

    /// The image from the one flight that all callers share.
    private func shared(
        _ request: ImageRequest, _ control: LoadControl?
    ) async throws(ImageLoaderError) -> LoadedImage {
        try request.validate()
        let key = ImageKey(request, in: scope)
        return try await flights.image(
            for: FlightKey(key, request), control, priority: request.priority,
            onShare: { (leader, arrival) in
                if let control, let leader {
                    report?(LoadEvent(load: control.id, kind: .coalesced(request, with: leader)))
                }
                if let arrival { Task { await downloads.withdraw(arrival) } }
            },
            load: { (control) async throws(ImageLoaderError) in try await fly(request, key, control) }
        ).get()
    }

    /// The flight.
    private func fly(
        _ request: ImageRequest, _ key: ImageKey, _ control: LoadControl
    ) async throws(ImageLoaderError) -> Landing {
        let policy = request.cachePolicy
        // A flight that landed since the caller looked has left its image there. A larger image would serve this
        // caller, but not everyone who may join.
        if policy.readsCaches, let found = memory.findAgain(key) { return Landing(await loaded(found, key)) }
        let begun = Load.Tickets(memory: await memory.ticket(), disk: await disk?.ticket())
        let load = Load(request: request, key: key, control: control, begun: begun)

        if let landing = try await local(load) { return landing }
        if policy.readsCaches, let landing = try await stored(load) { return landing }
        if policy == .cachesOnly { throw .notCached }
        return try await downloaded(load)
    }

    /// The image from a file or from the program's bytes; nil if it comes from a server.
    @inline(never) private func local(_ load: Load) async throws(ImageLoaderError) -> Landing? {
        guard let (bytes, readTime, share) = try await localBytes(of: load.request) else { return nil }
        var loaded = try await decoded(bytes, share, as: load.key.variant, from: .local, load.control)
        loaded.timings.disk = readTime
        if load.request.cachePolicy.fillsCaches { await keepInMemory(loaded, load) }
        return Landing(loaded)
    }

    private func downloaded(_ load: Load) async throws(ImageLoaderError) -> Landing {
        let (download, downloadTime) = try await timed { () async throws(ImageLoaderError) in
            try await downloads.download(load.request, load.control)
        }
        return try await landing(download, downloadTime, load)
    }

    @inline(never) private func landing(
        _ download: Download, _ downloadTime: Duration, _ load: Load
    ) async throws(ImageLoaderError) -> Landing {
        var loaded: LoadedImage
        do throws(ImageLoaderError) {
            loaded = try await decoded(
                download.body, download.undecoded, as: load.key.variant, from: .network, load.control)
        } catch {
            await downloads.recordFailure(error, of: load.request, download)
            throw error
        }
        loaded.timings.download = downloadTime
        loaded.freshness = download.freshness
        // Only images that decoded are stored.
        guard load.request.cachePolicy.fillsCaches else { return Landing(loaded) }
        guard download.mayBeStored else { return await forgetEarlier(load.key.resource, Landing(loaded)) }
        await keepInMemory(loaded, load)
        return await keepOnDisk(download, loaded, load)
    }
}
