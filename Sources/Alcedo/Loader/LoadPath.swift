/// The path of one image, in order: memory, disk, download, decode, store.
///
/// Each stage has an owner. This file only says in which order they follow.
final class LoadPath: Sendable {
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

    init(
        memory: MemoryCache, disk: DiskStore?, downloads: DownloadCoordinator, decoding: DecodeGate,
        previews: PreviewMakers, local: LocalSources, time: TimeSource, report: EventReport?, scope: KeyScope,
        problem: ImageLoaderError?
    ) {
        self.memory = memory
        self.disk = disk
        self.downloads = downloads
        flights = ImageFlights(beside: downloads)
        self.decoding = decoding
        self.previews = previews
        self.local = local
        self.time = time
        self.report = report
        self.scope = scope
        self.problem = problem
    }

    typealias Outcome = ImageFlights.Waiters.Outcome

    // Thousands of callers may be suspended in these functions, each with its own frames. There are therefore few of
    // them, whatever doesn't wait is in functions that aren't inlined, and the result is one object.

    /// Returns the image from memory at once, or else from the one flight that loads it.
    ///
    /// - Parameter control: The caller's, if its priority may change, its progress is followed or its events have an
    ///   id.
    func image(
        for request: ImageRequest, _ control: LoadControl? = nil
    ) async throws(ImageLoaderError) -> LoadedImage {
        if let problem { throw problem }
        if let found = found(request) { return LoadedImage(found) }
        if request.fallbacks.isEmpty { return try await shared(request, control).get() }
        return try await firstImage(of: request, control).get()
    }

    /// The image from memory.
    @inline(never) func found(_ request: ImageRequest) -> MemoryCache.Found? {
        guard request.cachePolicy.readsCaches else { return nil }
        return memory.find(
            ImageKey(request, in: scope), largerServes: request.precision == .atLeast, keepsReleased: true)
    }

    /// The image from the one flight that all callers share, for a caller that has looked in memory.
    @inline(__always) func shared(_ request: ImageRequest, _ control: LoadControl?) async -> Outcome {
        let caller = caller(request, control)
        let outcome = await caller.outcome()
        // A control may be held longer than the flight, and would retain the flights.
        caller.control?.onChange(nil)
        return outcome
    }

    @inline(never) private func caller(_ request: ImageRequest, _ control: LoadControl?) -> ImageFlights.Waiters.Caller
    {
        ImageFlights.Waiters.Caller(request, control, begin: begin, leave: flights.leaveLater)
    }

    /// Adds a caller to the flight of an image, and begins the flight if it is the first. Doesn't suspend, because the
    /// caller's Task would keep the memory for that until it ends.
    @Sendable @inline(never) private func begin(_ caller: ImageFlights.Waiters.Caller) {
        do throws(ImageLoaderError) {
            try caller.request.validate()
        } catch {
            return _ = caller.promise.end(Outcome(.failure(error)))
        }
        let key = FlightKey(ImageKey(caller.request, in: scope), caller.request)
        if let place = flights.joinNow(key, caller) {
            if let load = load(of: caller, place) { begin(load) }
        } else {
            flights.joinSoon(key, caller) { [self] place in
                if let load = load(of: caller, place) { begin(load, inTurn: true) }
            }
        }
    }

    /// The load that a caller begins because it is the first; nil if it has joined another's or has cancelled.
    @inline(never) private func load(of caller: ImageFlights.Waiters.Caller, _ place: ImageFlights.Place?) -> Load? {
        guard let place else { return nil }
        let request = caller.request
        guard !place.isFirst else {
            let tickets = Load.Tickets(memory: memory.ticket(), disk: disk?.ticket())
            return Load(place.flight, request, ImageKey(request, in: scope), place.control, begun: tickets)
        }
        if let control = caller.control {
            report?(LoadEvent(load: control.id, kind: .coalesced(request, with: place.control.id)))
        }
        if let arrival = place.leftBehind { Task { await downloads.withdraw(arrival) } }
        return nil
    }

    /// Begins a flight without waiting. The first caller's cancellation and priority don't affect it.
    ///
    /// - Parameter inTurn: Whether this is a turn of the flights' owner, in which no work begins.
    @inline(never) private func begin(_ load: Load, inTurn: Bool = false) {
        let request = load.request
        // A flight that landed since the caller looked has left its image there. A larger image would serve this
        // caller, but not everyone who may join.
        if request.cachePolicy.readsCaches, let found = memory.findAgain(load.key) {
            flights.serve(load.flight, Outcome(.success(LoadedImage(found))))
        } else if request.url?.isWebURL == true, request.cachePolicy != .cachesOnly,
            disk == nil || !request.cachePolicy.readsCaches
        {
            download(load)
        } else if inTurn {
            load.control.work(in: Task.detached { await self.lookUp(load) })
        } else {
            load.control.begin { await self.lookUp(load) }
        }
    }

    /// Continues a flight whose image is not from a server, or may be on disk.
    private func lookUp(_ load: Load) async {
        do throws(ImageLoaderError) {
            var landing = try await local(load)
            if landing == nil, load.request.cachePolicy.readsCaches { landing = try await stored(load) }
            if landing == nil, load.request.cachePolicy == .cachesOnly { throw .notCached }
            if let landing { return await flights.land(load.flight, .success(landing)) }
        } catch {
            return await flights.land(load.flight, .failure(error))
        }
        download(load)
    }

    /// Makes the flight wait for its download, which needs no Task before it has begun.
    private func download(_ load: Load) {
        let start = time.now()
        downloads.download(load.request, load.control) { [self] outcome in
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
