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
    let flights = ImageFlights()
    let local: LocalSources
    let time: TimeSource
    let report: EventReport?
    /// The part of all keys that follows from the settings.
    let scope: KeyScope
    /// The cache policies of requests that set none.
    let policies: CachePolicies
    /// Bytes that are revalidated after they were used.
    let revalidating = Mutex<Set<ResourceKey>>([])
    /// Loads of bytes, which have no flights.
    let dataLoads = OpenLoads()
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
        self.decoding = decoding
        self.previews = previews
        self.local = local
        self.time = time
        self.report = report
        self.scope = scope
        self.policies = policies
        self.problem = problem
    }

    typealias Outcome = ImageFlights.Outcome

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
    ///
    /// - Parameter cancellations: The ``cancellationCount`` when the caller's load began, if it began with another URL.
    @inline(__always) func shared(
        _ request: ImageRequest, _ control: LoadControl?, since cancellations: Int? = nil
    ) async -> Outcome {
        if Task.isCancelled { return Outcome(.failure(.cancelled)) }
        let caller = ImageFlights.Caller(control)
        join(request.resolved(policies), caller)
        if let cancellations, cancellations != cancellationCount { flights.leave(caller) }
        let outcome = await caller.promise.value { flights.leave(caller) }
        // A control may be held longer than the flight, and would retain the flights.
        control?.onChange(nil)
        return outcome
    }

    /// Adds a caller to the flight of an image, and begins the flight if it is the first.
    @inline(never) func join(_ request: ImageRequest, _ caller: ImageFlights.Caller) {
        if let refusal = refusal(of: request) { return _ = caller.promise.end(refusal) }
        let key = ImageKey(request, in: scope)
        let place = flights.join(FlightKey(key, request), caller, priority: request.priority) {
            begin($0, $1, request, key)
        }
        guard let place else { return }
        if report != nil { caller.control?.isShared = !place.isFirst }
        caller.control?.letGo()
        if place.isFirst { return }
        if request.isBehind, caller.control?.revalidates != true {
            // Another load revalidates the image already. One that begins with a slot may end with it.
            if !place.control.isRevalidated(except: caller.control) { flights.leave(caller) }
        } else if let control = caller.control {
            report?(control.id, request.url, .coalesced(with: place.control.id))
        }
    }

    /// Begins a flight in a Task of its own, which inherits nothing from its first caller.
    func begin(
        _ flight: ImageFlights.FlightID, _ control: LoadControl, _ request: ImageRequest, _ key: ImageKey
    ) -> ImageFlights.Work {
        let tickets = Load.Tickets(memory: memory.ticket(), disk: disk?.ticket())
        let download = DownloadFlights.Caller(control)
        let follow = joinCurrent(request, key.resource, download)
        let load = Load(flight, request, key, control, begun: tickets, download, isUnderWay: follow != nil)
        let task = Task.detached { [self] in
            follow?()
            await run(load)
            downloads.leave(download)
            flights.end(flight)
        }
        return ImageFlights.Work(task: task) { [memory] in memory.permits(tickets.memory, key.resource) }
    }

    /// Joins the download of a resource that this loader has begun, if any; see ``Flights/joinCurrent(_:_:priority:)``.
    /// Other loaders may have looked in other caches.
    func joinCurrent(
        _ request: ImageRequest, _ resource: ResourceKey, _ caller: DownloadFlights.Caller
    ) -> LoadControl.Change? {
        if !request.isWeb { return nil }
        return downloads.flights.joinCurrent(
            FlightKey(resource, request), of: identity, caller, priority: request.priority)
    }

    private func run(_ load: Load) async {
        do throws(ImageLoaderError) {
            let landing = try await landing(of: load)
            flights.land(load.flight, Outcome(.success(landing.loaded)))
            await landing.afterwards?()
        } catch {
            flights.land(load.flight, Outcome(.failure(error)))
        }
    }

    private func landing(of load: Load) async throws(ImageLoaderError) -> Landing {
        let cached = remembered(load)
        if case .usable(let loaded) = cached { return Landing(loaded.with(load.begun)) }
        return try await loaded(load, cached.held)
    }

    /// The image of a flight, which isn't in memory.
    ///
    /// - Parameter inMemory: The cached response that the server is asked to confirm.
    private func loaded(_ load: Load, _ inMemory: HeldResponse?) async throws(ImageLoaderError) -> Landing {
        let chain = load.key.variant.processing
        if inMemory == nil, let chain {
            if load.isUnderWay { return try await processedOrStored(load, chain) }
            if !mayBeStored(load) { return try await processed(load, chain) }
        }
        if let landing = try await local(load) { return landing }
        // Skips the disk for a picture that is being downloaded, and for one that the server may confirm.
        if load.isUnderWay || inMemory?.response.conditions != nil && !load.request.query.isOffline {
            return try await downloaded(load, inMemory)
        }
        var held = inMemory
        switch try await stored(load) {
        case .usable(let landing): return landing
        case .held(let onDisk): held = inMemory ?? onDisk
        case .nothing: if held == nil, let chain { return try await processed(load, chain) }
        }
        if load.request.query.isOffline { throw .notCached }
        return try await downloaded(load, held)
    }

    /// - Parameter held: The cached response that the server is asked to confirm.
    private func downloaded(_ load: Load, _ held: HeldResponse?) async throws(ImageLoaderError) -> Landing {
        do throws(ImageLoaderError) {
            let landing = try await answered(load, held)
            if load.request.isBehind { tellRevalidated(load, landing.loaded) }
            return landing
        } catch {
            return try await substitute(for: error, load, held)
        }
    }

    /// The image that the server sends or confirms.
    private func answered(_ load: Load, _ held: HeldResponse?) async throws(ImageLoaderError) -> Landing {
        do throws(ImageLoaderError) {
            return try await answer(load, held)
        } catch {
            guard error == .confirmsAnother, !load.request.needsBody else { throw error }
            // The server confirmed an unknown response, or one that has left the caches meanwhile.
            return try await answer(load.sending(load.request.needingBody), nil)
        }
    }

    private func answer(_ load: Load, _ held: HeldResponse?) async throws(ImageLoaderError) -> Landing {
        let (request, start) = (load.request.confirming(held?.response), time.now())
        let download = try await downloads.download(request, load.download)
        if download.isConfirmation { return try await confirmed(held, download, load) }
        let loaded = try await decoded(download, time.now() - start, load)
        let isRenewed = held != nil || download.wasConditional || load.request.replacesStored
        return await stored(loaded, download, load, isRenewed: isRenewed)
    }
}
