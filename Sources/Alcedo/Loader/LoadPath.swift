import Synchronization

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
    /// The part of all keys that follows from the settings.
    let scope: KeyScope
    /// The cache policies of requests that set none.
    let policies: CachePolicies
    /// Bytes that are revalidated after they were used.
    let revalidating = Mutex<Set<ResourceKey>>([])
    /// Loads of bytes, which have no flights, and the running work of flights.
    let dataLoads = OpenLoads(), flightWork = OpenLoads()
    /// How often all loads were cancelled.
    let cancellations = Atomic(0)
    /// Why nothing can be loaded.
    let problem: ImageLoaderError?

    /// Distinguishes this loader's callers from those of other loaders on a shared owner.
    var identity: ObjectIdentifier { ObjectIdentifier(flights) }

    var cancellationCount: Int { cancellations.load(ordering: .sequentiallyConsistent) }

    init(
        memory: MemoryCache, disk: DiskStore?, downloads: DownloadCoordinator, decoding: DecodeGate,
        previews: PreviewMakers, local: LocalSources, time: TimeSource, report: EventReport?, scope: KeyScope,
        policies: CachePolicies, problem: ImageLoaderError?
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
        self.policies = policies
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
        if let found = found(request) { return found }
        return try await missed(request, control).get()
    }

    /// The image, for a caller that has looked in memory.
    @inline(__always) func missed(
        _ request: ImageRequest, _ control: LoadControl?
    ) async throws(ImageLoaderError) -> Outcome {
        if request.fallbacks.isEmpty { return await shared(request, control) }
        return try await firstImage(of: request, control)
    }

    /// The image from the one flight that all callers share.
    @inline(__always) func shared(_ request: ImageRequest, _ control: LoadControl?) async -> Outcome {
        let caller = caller(request, control)
        let outcome = await caller.outcome()
        // A control may be held longer than the flight, and would retain the flights.
        caller.control?.onChange(nil)
        return outcome
    }

    @inline(never) private func caller(_ request: ImageRequest, _ control: LoadControl?) -> ImageFlights.Waiters.Caller
    {
        ImageFlights.Waiters.Caller(request.resolved(policies), control, begin: begin, leave: flights.leaveLater)
    }

    /// Adds a caller to the flight of an image, and begins the flight if it is the first. Doesn't suspend, because the
    /// caller's Task would keep the memory for that until it ends.
    @Sendable @inline(never) func begin(_ caller: ImageFlights.Waiters.Caller) {
        if let refusal = refusal(of: caller.request) { return _ = caller.promise.end(refusal) }
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
    @inline(never) func load(of caller: ImageFlights.Waiters.Caller, _ place: ImageFlights.Place?) -> Load? {
        guard let place else { return nil }
        if report != nil { caller.control?.isShared = !place.isFirst }
        if place.isFirst { return firstLoad(of: caller.request, place) }
        if caller.request.isBehind, caller.control?.revalidates != true {
            // Another load revalidates the image already. One that begins with a slot may end with it.
            if !place.control.isRevalidated(except: caller.control) { caller.cancel() }
        } else if let control = caller.control {
            report?(control.id, caller.request.url, .coalesced(with: place.control.id))
        }
        if let arrival = place.leftBehind { Task { await downloads.withdraw(arrival) } }
        return nil
    }

    /// Begins a flight without waiting. The first caller's cancellation and priority don't affect it.
    ///
    /// - Parameter inTurn: Whether this is a turn of the flights' owner, in which no work begins.
    @inline(never) func begin(_ load: Load, inTurn: Bool = false) {
        let request = load.request
        let cached = remembered(load)
        if case .usable(let loaded) = cached {
            flights.serve(load.flight, Outcome(.success(loaded.with(load.begun))))
        } else if cached.held == nil, load.key.variant.processing != nil, !mayBeStored(load) {
            loadInput(load, inTurn: inTurn)
        } else if request.isWeb, !request.query.isOffline,
            disk == nil || !request.query.policy.readsCaches || cached.held?.response.conditions != nil
        {
            download(load, cached.held, inTurn: inTurn)
        } else {
            // Counted now, because the loader may be closed before the Task begins.
            _ = flightWork.begin()
            let work = { @Sendable [self] in
                defer { flightWork.end() }
                await lookUp(load, cached.held)
            }
            if inTurn { load.control.work(in: Task.detached(operation: work)) } else { load.control.begin(work) }
        }
    }

    /// Continues a flight whose image is not from a server, or may be on disk.
    private func lookUp(_ load: Load, _ inMemory: HeldResponse?) async {
        var held = inMemory
        do throws(ImageLoaderError) {
            if let landing = try await local(load) { return await land(load, landing) }
            switch try await stored(load) {
            case .usable(let landing): return await land(load, landing)
            case .held(let onDisk): held = inMemory ?? onDisk
            case .nothing:
                if held == nil, load.key.variant.processing != nil { return loadInput(load) }
            }
            if load.request.query.isOffline { throw .notCached }
        } catch {
            return await flights.land(load.flight, .failure(error))
        }
        download(load, held)
    }

    /// Makes the flight wait for its download, which needs no Task before it has begun.
    ///
    /// - Parameter held: The cached response that the server is asked to confirm.
    private func download(_ load: Load, _ held: HeldResponse?, inTurn: Bool = false) {
        let start = time.now()
        downloads.download(
            load.request.confirming(held?.response), load.control, startsHere: !inTurn
        ) { [self] outcome in
            await land(load, held, outcome, after: time.now() - start)
        }
    }

    @inline(never) private func land(
        _ load: Load, _ held: HeldResponse?, _ outcome: DownloadCoordinator.Waiters.Outcome, after time: Duration
    ) async {
        _ = flightWork.begin()
        defer { flightWork.end() }
        do throws(ImageLoaderError) {
            let landing = try await landing(outcome.result, held, time, load)
            if load.request.isBehind, landing.loaded.staleReason == nil { tellRevalidated(load, landing.loaded) }
            await land(load, landing)
        } catch {
            await flights.land(load.flight, await ending(load, held, after: error))
        }
    }

    @inline(never) func landing(
        _ outcome: Result<Download, ImageLoaderError>, _ held: HeldResponse?, _ downloadTime: Duration, _ load: Load
    ) async throws(ImageLoaderError) -> Landing {
        guard case .success(let download) = outcome, !download.isConfirmation else {
            return try await landing(ofHeld: held, outcome, downloadTime, load)
        }
        let loaded = try await decoded(download, downloadTime, load)
        return await stored(loaded, download, load, isRenewed: held != nil || load.request.replacesStored)
    }
}
