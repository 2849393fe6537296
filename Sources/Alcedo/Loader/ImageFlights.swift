import Synchronization

/// Loads each image once, however many callers request it.
///
/// Cancelling the calling Task resumes that caller at once; if it was the last one, the load is cancelled. A flight has
/// the highest priority of its waiters.
actor ImageFlights {
    typealias Waiters = FlightWaiters<FlightKey<ImageKey>, LoadedImage>
    typealias FlightID = Waiters.FlightID

    private var waiters = Waiters()
    private nonisolated let arrivals = Mutex(ArrivalTable<FlightKey<ImageKey>>())
    /// Whether no flight has begun since a removal found none under way.
    private nonisolated let isIdle = Atomic(true)
    /// Whether the loader was closed: no flight begins any more.
    private var isClosed = false
    /// Callers so far that were not the first.
    private(set) var sharedCount = 0
    /// Flights that have landed and have something to do still.
    private var unfinished: Set<Waiters.FlightID> = []
    /// Callers that wait until certain flights have settled.
    private var settlers = Settlers<FlightID>()

    /// - Parameter downloads: Most flights join a download as they begin, and land when it ends. Running where the
    ///   downloads' owner runs saves a change of actors each time.
    init(beside downloads: DownloadCoordinator) { turns = downloads.turns }

    private nonisolated let turns: TurnExecutor
    nonisolated var unownedExecutor: UnownedSerialExecutor { turns.asUnownedSerialExecutor() }

    /// A caller's place in a flight.
    struct Place: Sendable {
        let flight: FlightID
        /// The flight's.
        let control: LoadControl
        /// Whether the caller is the first and begins the flight. ``land(_:_:)`` must follow.
        let isFirst: Bool
        /// The caller's announcement at the download, if the flight has already arrived there.
        let leftBehind: ArrivalID?
    }

    /// Adds a caller. Returns nil if it was cancelled before.
    func join(_ key: FlightKey<ImageKey>, _ caller: Waiters.Caller) -> Place? {
        if isClosed {
            caller.promise.end(Waiters.Outcome(.failure(.closed)))
            return nil
        }
        isIdle.store(false, ordering: .sequentiallyConsistent)
        let control = caller.control
        // A caller that is a flight has a request of its own and its callers' priority.
        let priority = control?.priority ?? caller.request.priority
        guard let place = waiters.join(key, caller, priority: priority, loader: ObjectIdentifier(self)) else {
            return nil
        }
        if let control { follow(control, place.waiter, key) }
        let arrival = control?.arrival?.download
        // The flight arrives at its download in place of the handle.
        let isLate = arrival.map { !place.control.adopt($0) } ?? false
        if !place.isFirst { sharedCount += 1 }
        return Place(
            flight: place.flight, control: place.control, isFirst: place.isFirst, leftBehind: isLate ? arrival : nil)
    }

    /// Joins without suspending. The outer optional is nil if this actor is busy.
    nonisolated func joinNow(_ key: FlightKey<ImageKey>, _ caller: Waiters.Caller) -> Place?? {
        turns.now(self) { $0.join(key, caller) }
    }

    /// Joins in a later turn, which also calls `then`.
    nonisolated func joinSoon(
        _ key: FlightKey<ImageKey>, _ caller: Waiters.Caller, then: @escaping @Sendable (Place?) -> Void
    ) {
        turns.soon(self) { then($0.join(key, caller)) }
    }

    /// Like ``joinSoon(_:_:then:)``, never on this thread outside a turn.
    nonisolated func joinLater(
        _ key: FlightKey<ImageKey>, _ caller: Waiters.Caller, then: @escaping @Sendable (Place?) -> Void
    ) {
        turns.later(self) { then($0.join(key, caller)) }
    }

    /// Calls `act` in a later turn, after all joins so far, never on this thread outside a turn.
    nonisolated func later(_ act: @escaping @Sendable () -> Void) { turns.later(self) { _ in act() } }

    /// Takes away a caller that has cancelled.
    @Sendable nonisolated func leaveLater(_ waiter: Waiters.WaiterID) { turns.later(self) { $0.leave(waiter) } }

    private func follow(_ control: LoadControl, _ waiter: Waiters.WaiterID, _ key: FlightKey<ImageKey>) {
        if let arrival = control.arrival?.image { arrivals.withLock { _ = $0.join(arrival, key) } }
        control.onChange { self.turns.later(self) { $0.updatePriority(of: waiter) } }
        // It may have changed since the caller read it.
        waiters.updatePriority(of: waiter)
    }

    /// Counts a handle as a waiter before it joins. ``withdraw(_:)`` or ``drop(_:)`` must follow when its load is over.
    nonisolated func announce(_ key: FlightKey<ImageKey>, _ priority: RequestPriority) -> ArrivalID {
        arrivals.withLock { $0.announce(key, priority) }
    }

    /// Withdraws an announcement, and cancels a flight that had no other waiter. Only that requires a hop to the actor.
    nonisolated func withdraw(_ arrival: ArrivalID) async {
        if let key = arrivals.withLock({ $0.withdraw(arrival) }) { await release(key) }
    }

    /// Withdraws a handle without waiting. Nothing begins for it from now on.
    nonisolated func drop(_ arrival: ArrivalID) {
        if let key = arrivals.withLock({ $0.withdraw(arrival) }) { Task { await release(key) } }
    }

    /// The number of announced handles that haven't arrived; for tests.
    nonisolated var arrivalCount: Int { arrivals.withLock { $0.count } }

    private func release(_ key: FlightKey<ImageKey>) {
        // Another handle may have been announced since.
        guard arrivals.withLock({ $0.hold(key) }) == nil, let flight = waiters.release(key) else { return }
        waiters.land(flight, Waiters.Outcome(.failure(.cancelled)))
    }

    /// Makes later callers start a new load, because the current one began before a removal. Hops to the actor only if
    /// there may be one.
    nonisolated func retire(_ resource: ResourceKey) async {
        if !isIdle.load(ordering: .sequentiallyConsistent) { await retireNow(resource) }
    }

    private func retireNow(_ resource: ResourceKey) {
        retireAll { $0.key.resource == resource }
        isIdle.store(flightCount == 0, ordering: .sequentiallyConsistent)
    }

    func retireAll(where matches: (FlightKey<ImageKey>) -> Bool = { _ in true }) {
        for flight in waiters.retireAll(where: matches) {
            waiters.land(flight, Waiters.Outcome(.failure(.cancelled)))
        }
    }

    /// Loads that haven't ended.
    var flightCount: Int { waiters.flightCount }

    /// Whether somebody waits for `key`.
    func isLoading(_ key: FlightKey<ImageKey>) -> Bool { waiters.waiterCount(of: key) > 0 }

    /// All who wait get ``ImageLoaderError/cancelled``, and their flights are cancelled.
    func cancelAll() {
        for waiter in waiters.waiters(where: { _ in true }) { leave(waiter) }
    }

    /// Refuses new callers from now on, and cancels the others.
    func close() {
        isClosed = true
        cancelAll()
        retireAll()
    }

    private func leave(_ waiter: Waiters.WaiterID) {
        let left = waiters.leave(waiter) { key in arrivals.withLock { $0.hold(key) } }
        if case .cancelled(let flight) = left { waiters.land(flight, Waiters.Outcome(.failure(.cancelled))) }
    }

    private func updatePriority(of waiter: Waiters.WaiterID) { waiters.updatePriority(of: waiter) }

    /// Ends a flight that has nothing else to do.
    nonisolated func serve(_ flight: FlightID, _ outcome: Waiters.Outcome) {
        turns.soon(self) { $0.waiters.land(flight, outcome) }
    }

    private func landNow(_ flight: FlightID, _ landing: Landing) {
        if landing.afterwards != nil { unfinished.insert(flight) }
        waiters.land(flight, Waiters.Outcome(.success(landing.loaded)))
    }

    /// Does what remains once the waiters have been served.
    private nonisolated func finish(_ flight: FlightID, _ landing: Landing) async {
        guard let afterwards = landing.afterwards else { return }
        await afterwards()
        await finish(flight)
    }

    private func finish(_ flight: FlightID) {
        unfinished.remove(flight)
        settlers.end(flight)
    }

    /// Waits until all flights that have landed so far have finished their work after landing. Doesn't wait for flights
    /// that land later, because there might be no end of them.
    func settle() async {
        if !unfinished.isEmpty { await withCheckedContinuation { settlers.add($0, awaiting: unfinished) } }
    }

    /// Ends a flight that no caller has waited for and no handle is announced for, and returns true. Otherwise returns
    /// false: its result is to be stored. Callers join in turns too, so none can join in between.
    ///
    /// - Parameter control: The flight's.
    @concurrent nonisolated func landUncalled(
        _ flight: FlightID, _ control: LoadControl, _ landing: Landing
    ) async -> Bool {
        let landed = turns.now(self) { $0.landInTurn(flight, control, landing) }
        let hasLanded = if let landed { landed } else { await landInTurn(flight, control, landing) }
        if hasLanded { await finish(flight, landing) }
        return hasLanded
    }

    private func landInTurn(_ flight: FlightID, _ control: LoadControl, _ landing: Landing) -> Bool {
        let key = waiters.key(of: flight)
        let isAnnounced = arrivals.withLock { arrivals in key.map(arrivals.isExpected) ?? false }
        if control.decideToKeep(isAnnounced: isAnnounced) { return false }
        landNow(flight, landing)
        return true
    }

    /// Ends a flight: serves its waiters, and then does what remains.
    @concurrent nonisolated func land(_ flight: FlightID, _ outcome: Result<Landing, ImageLoaderError>) async {
        switch outcome {
        case .success(let landing):
            turns.soon(self) { $0.landNow(flight, landing) }
            await finish(flight, landing)
        case .failure(let error): serve(flight, Waiters.Outcome(.failure(error)))
        }
    }
}

/// The end of a flight: the result for its waiters, and the work that remains once they have it.
struct Landing: Sendable {
    typealias Work = @Sendable () async -> Void

    let loaded: LoadedImage
    let afterwards: Work?
    /// Stores the bytes on disk, which weren't because no caller waited for the image; nil if they are there, or aren't
    /// to be.
    var storeBytes: Work?

    init(_ loaded: LoadedImage, afterwards: Work? = nil) {
        self.loaded = loaded
        self.afterwards = afterwards
    }

    /// This landing with more work afterwards.
    func then(_ more: Work?) -> Landing {
        guard let more else { return self }
        guard let afterwards else { return Landing(loaded, afterwards: more) }
        return Landing(loaded) {
            await afterwards()
            await more()
        }
    }
}

/// An image with where it came from. An object, so that little is copied on its way to its callers.
final class LoadedImage: Sendable {
    let image: DecodedImage
    let source: ImageSource
    /// The response that the image was made from; nil if there was none, or if the image was in memory.
    let response: StoredResponse?
    let freshness: Freshness?
    /// Why the image is used although its response is stale.
    let staleReason: StaleReason?
    let timings: LoadTimings
    /// For storing what is made of this image: those of its load, or later ones if it has replaced an earlier image in
    /// the caches. Nil if nothing made of it may be stored.
    let tickets: Load.Tickets?

    init(
        _ image: DecodedImage, from source: ImageSource, _ response: StoredResponse? = nil,
        freshness: Freshness? = nil, staleReason: StaleReason? = nil, timings: LoadTimings = LoadTimings(),
        tickets: Load.Tickets? = nil
    ) {
        self.image = image
        self.tickets = tickets
        self.source = source
        self.response = response
        self.freshness = freshness ?? response?.freshness
        self.staleReason = staleReason
        self.timings = timings
    }

    /// An image found in memory.
    convenience init(_ found: MemoryCache.Found, staleReason: StaleReason? = nil) {
        self.init(found.image, from: .memory, freshness: found.freshness, staleReason: staleReason)
    }

    func with(_ tickets: Load.Tickets?) -> LoadedImage {
        LoadedImage(
            image, from: source, response, freshness: freshness, staleReason: staleReason, timings: timings,
            tickets: tickets)
    }
}
