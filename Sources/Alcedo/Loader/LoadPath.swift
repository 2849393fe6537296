/// The path of one image, in order: memory, disk, download, decode, store.
///
/// Each stage has an owner. This file only says in which order they follow.
final class LoadPath: Sendable {
    let memory: MemoryCache
    let disk: DiskStore?
    let downloads: DownloadCoordinator
    let decoding: DecodeGate
    let previews: PreviewMakers
    let flights = ImageFlights()
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

    init(
        memory: MemoryCache, disk: DiskStore?, downloads: DownloadCoordinator, decoding: DecodeGate,
        previews: PreviewMakers, local: LocalSources, time: TimeSource, report: EventReport?, scope: KeyScope,
        problem: ImageLoaderError?
    ) {
        self.memory = memory
        self.disk = disk
        self.downloads = downloads
        self.decoding = decoding
        self.previews = previews
        self.local = local
        self.time = time
        self.report = report
        self.scope = scope
        self.problem = problem
    }

    typealias Outcome = ImageFlights.Waiters.Outcome

    // Thousands of callers may be suspended in these functions, each with its own frames. Whatever doesn't wait is
    // therefore in other functions that aren't inlined, and the result is one object.

    /// Returns the image from memory at once, or else from the one flight that loads it.
    ///
    /// - Parameter control: The caller's, if its priority may change, its progress is followed or its events have an
    ///   id.
    func image(
        for request: ImageRequest, _ control: LoadControl? = nil
    ) async throws(ImageLoaderError) -> LoadedImage {
        if let problem { throw problem }
        if let loaded = await inMemory(request) { return loaded }
        return try await imageNotInMemory(for: request, control).get()
    }

    /// ``image(for:_:)`` for a caller that has looked in memory.
    @inline(never) func imageNotInMemory(
        for request: ImageRequest, _ control: LoadControl? = nil
    ) async throws(ImageLoaderError) -> Outcome {
        if request.fallbacks.isEmpty { return try await shared(request, control) }
        return try await first(of: request, control, decodes: true) {
            (next, isFallback) async throws(ImageLoaderError) in
            if isFallback, let loaded = await inMemory(next) { return Outcome(.success(loaded)) }
            let outcome = try await shared(next, control)
            _ = try outcome.get()
            return outcome
        }
    }

    /// The image from memory. One that was evicted but is still in use should be stored again.
    @inline(never) func found(_ request: ImageRequest) -> MemoryCache.Found? {
        guard request.cachePolicy.readsCaches else { return nil }
        return memory.find(ImageKey(request, in: scope), largerServes: request.precision == .atLeast)
    }

    @inline(never) func storeAgain(_ image: DecodedImage, for request: ImageRequest) async {
        await memory.keepAgain(ImageKey(request, in: scope), image)
    }

    @inline(never) private func inMemory(_ request: ImageRequest) async -> LoadedImage? {
        guard let found = found(request) else { return nil }
        if found.isReleased { await storeAgain(found.image, for: request) }
        return LoadedImage(found)
    }

    /// The image from the one flight that all callers share.
    @inline(never) private func shared(
        _ request: ImageRequest, _ control: LoadControl?
    ) async throws(ImageLoaderError) -> Outcome {
        try request.validate()
        return await flights.image(
            for: { FlightKey(ImageKey(request, in: scope), request) }, control, priority: request.priority,
            onShare: { (leader, arrival) in
                if let control {
                    report?(LoadEvent(load: control.id, kind: .coalesced(request, with: leader)))
                }
                if let arrival { Task { await downloads.withdraw(arrival) } }
            },
            begin: { (flight, control) in await begin(flight, request, control) }
        )
    }

    /// Begins a flight. Returns its outcome if that is known already.
    ///
    /// Runs in the first caller's Task. It waits for nothing but its turn on the owners, so neither cancelling that
    /// caller nor its priority matters.
    @inline(never) private func begin(
        _ flight: ImageFlights.FlightID, _ request: ImageRequest, _ control: LoadControl
    ) async -> Outcome? {
        // A flight that landed since the caller looked has left its image there. A larger image would serve this
        // caller, but not everyone who may join.
        if let found = foundAgain(request) {
            if found.isReleased { await storeAgain(found.image, for: request) }
            return Outcome(.success(LoadedImage(found)))
        }
        let load = newLoad(flight, request, control)
        if await mightBeHere(load) {
            // Detached: the flight outlives its first caller and inherits nothing of it.
            control.work(in: Task.detached { await self.lookUp(load) })
        } else if request.cachePolicy == .cachesOnly {
            return Outcome(.failure(.notCached))
        } else {
            await download(load)
        }
        return nil
    }

    @inline(never) private func foundAgain(_ request: ImageRequest) -> MemoryCache.Found? {
        request.cachePolicy.readsCaches ? memory.findAgain(ImageKey(request, in: scope)) : nil
    }

    @inline(never) private func newLoad(
        _ flight: ImageFlights.FlightID, _ request: ImageRequest, _ control: LoadControl
    ) -> Load {
        let tickets = Load.Tickets(memory: memory.ticket(), disk: disk?.ticket())
        return Load(flight, request, ImageKey(request, in: scope), control, begun: tickets)
    }

    /// Continues a flight whose image is not from a server, or might be on disk.
    private func lookUp(_ load: Load) async {
        do throws(ImageLoaderError) {
            var landing = try await local(load)
            if landing == nil, load.request.cachePolicy.readsCaches { landing = try await stored(load) }
            if landing == nil, load.request.cachePolicy == .cachesOnly { throw .notCached }
            if let landing { return await flights.land(load.flight, .success(landing)) }
        } catch {
            return await flights.land(load.flight, .failure(error))
        }
        await download(load)
    }

    /// The image from a file or from the program's bytes; nil if it comes from a server.
    @inline(never) private func local(_ load: Load) async throws(ImageLoaderError) -> Landing? {
        guard let (bytes, readTime, share) = try await localBytes(of: load.request) else { return nil }
        let (image, decodeTime) = try await decoded(bytes, share, load, as: load.key.variant)
        let timings = LoadTimings(disk: readTime, decode: decodeTime)
        let loaded = LoadedImage(image, from: .local, timings: timings)
        if load.request.cachePolicy.fillsCaches { await keepInMemory(loaded, load) }
        return Landing(loaded)
    }

    /// Makes the flight wait for its download, which needs no Task before it has begun.
    private func download(_ load: Load) async {
        let start = time.now()
        await downloads.download(load.request, load.control) { [self] outcome in
            await land(load, outcome, after: time.now() - start)
        }
    }

    @inline(never) private func land(
        _ load: Load, _ outcome: DownloadCoordinator.Waiters.Outcome, after time: Duration
    ) async {
        do throws(ImageLoaderError) {
            await flights.land(load.flight, .success(try await landing(outcome.get(), time, load)))
        } catch {
            await flights.land(load.flight, .failure(error))
        }
    }

    @inline(never) private func landing(
        _ download: Download, _ downloadTime: Duration, _ load: Load
    ) async throws(ImageLoaderError) -> Landing {
        let loaded = try await decoded(download, downloadTime, load)
        // Only images that decoded are stored.
        guard load.request.cachePolicy.fillsCaches else { return Landing(loaded) }
        guard download.mayBeStored else { return await forgetEarlier(load.key.resource, Landing(loaded)) }
        await keepInMemory(loaded, load)
        return disk == nil ? Landing(loaded) : await keepOnDisk(download, loaded, load)
    }
}
