import Synchronization

/// Loads each image once, however many callers request it.
///
/// Cancelling the calling Task resumes that caller at once; if it was the last one, the load is cancelled. A flight has
/// the highest priority of its waiters.
package actor ImageFlights {
    private typealias Waiters = FlightWaiters<FlightKey<ImageKey>, LoadedImage>
    typealias Load = @Sendable (LoadControl) async throws(ImageLoaderError) -> Landing

    private var waiters = Waiters()
    private nonisolated let arrivals = Mutex(ArrivalTable<FlightKey<ImageKey>>())
    /// Callers so far that were not the first.
    private(set) var sharedCount = 0
    /// Flights that have landed and have something to do still.
    private var unfinished: Set<Waiters.FlightID> = []
    /// Callers that wait until certain flights have settled.
    private var settlers: [(awaited: Set<Waiters.FlightID>, continuation: CheckedContinuation<Void, Never>)] = []

    package init() {}

    /// Returns the result of `load` for `key`, shared with all callers that request it at the same time.
    ///
    /// - Parameters:
    ///   - control: The caller's, if its priority may change or its progress is followed.
    ///   - onShare: Called for a caller that isn't the first, with the first caller's load, and with the announcement
    ///     at the download if the caller won't get there because the flight has already been.
    /// - Returns: a `Result`, for callers on other actors: see Docs/Decisions/0017.
    func image(
        for key: FlightKey<ImageKey>, _ control: LoadControl?, priority: RequestPriority,
        onShare: (_ leader: LoadID?, ArrivalID?) -> Void,
        load: @escaping Load
    ) async -> Result<LoadedImage, ImageLoaderError> {
        let waiter = waiters.makeWaiter()
        control?.onPriority { Task { await self.updatePriority(of: waiter) } }
        let outcome = await withTaskCancellationHandler {
            await withUnsafeContinuation { continuation in
                switch waiters.join(key, as: waiter, control, priority: priority, continuation) {
                case .refused: return
                case .start(let flight, let flightControl):
                    // The flight arrives at its download in place of the handle.
                    if let arrival = control?.arrival?.download { _ = flightControl.adopt(arrival) }
                    // Detached: the flight outlives its first caller and inherits nothing of it.
                    waiters.setTask(Task.detached { await self.fly(flight, flightControl, load) }, of: flight)
                case .joined(let flight, let leader):
                    sharedCount += 1
                    let arrival = control?.arrival?.download
                    onShare(leader, arrival.flatMap { waiters.adopt($0, by: flight) ? nil : $0 })
                }
                if let arrival = control?.arrival?.image { arrivals.withLock { _ = $0.join(arrival, key) } }
                // It may have changed since the caller read it.
                waiters.updatePriority(of: waiter)
            }
        } onCancel: {
            Task { await self.leave(waiter) }
        }
        // A control may be held longer than the flight, and would retain this actor.
        control?.onPriority(nil)
        return outcome
    }

    /// Counts a handle as a waiter before its Task joins. ``withdraw(_:)`` must follow when its load is over.
    nonisolated func announce(_ key: FlightKey<ImageKey>, _ priority: RequestPriority) -> ArrivalID {
        arrivals.withLock { $0.announce(key, priority) }
    }

    /// Withdraws an announcement, and cancels a flight that had no other waiter. Only that requires a hop to the actor.
    nonisolated func withdraw(_ arrival: ArrivalID) async {
        if let key = arrivals.withLock({ $0.withdraw(arrival) }) { await release(key) }
    }

    /// The number of announced handles that haven't arrived; for tests.
    nonisolated var arrivalCount: Int { arrivals.withLock { $0.count } }

    private func release(_ key: FlightKey<ImageKey>) {
        // Another handle may have been announced since.
        if arrivals.withLock({ $0.hold(key) }) == nil { _ = waiters.release(key) }
    }

    /// Makes later callers start a new load, because the current one began before a removal.
    func retire(_ resource: ResourceKey) {
        _ = waiters.retireAll { $0.key.resource == resource }
    }

    func retireAll() { _ = waiters.retireAll() }

    /// Whether somebody waits for `key`.
    func isLoading(_ key: FlightKey<ImageKey>) -> Bool { waiters.waiterCount(of: key) > 0 }

    /// All who wait get ``ImageLoaderError/cancelled``, and their flights are cancelled.
    func cancelAll() {
        for waiter in waiters.waiters(where: { _ in true }) { leave(waiter) }
    }

    private func leave(_ waiter: Waiters.WaiterID) {
        _ = waiters.leave(waiter) { key in arrivals.withLock { $0.hold(key) } }
    }

    private func updatePriority(of waiter: Waiters.WaiterID) { waiters.updatePriority(of: waiter) }

    private func land(_ flight: Waiters.FlightID, _ outcome: Waiters.Outcome, isFinished: Bool) {
        if !isFinished { unfinished.insert(flight) }
        waiters.land(flight, outcome)
    }

    private func finish(_ flight: Waiters.FlightID) {
        unfinished.remove(flight)
        for index in settlers.indices { settlers[index].awaited.remove(flight) }
        let done = settlers.filter(\.awaited.isEmpty)
        settlers.removeAll(where: \.awaited.isEmpty)
        for settler in done { settler.continuation.resume() }
    }

    /// Waits until all flights that have landed so far have finished their work after landing. Doesn't wait for flights
    /// that land later, because there might be no end of them.
    func settle() async {
        if !unfinished.isEmpty { await withCheckedContinuation { settlers.append((unfinished, $0)) } }
    }

    /// The whole life of one flight, off the actor so that it doesn't block others.
    private nonisolated func fly(_ flight: Waiters.FlightID, _ control: LoadControl, _ load: Load) async {
        do throws(ImageLoaderError) {
            let landing = try await load(control)
            await land(flight, .success(landing.loaded), isFinished: landing.afterwards == nil)
            if let afterwards = landing.afterwards {
                await afterwards()
                await finish(flight)
            }
        } catch {
            await land(flight, .failure(error), isFinished: true)
        }
    }
}

/// The end of a flight: the result for its waiters, and the work that remains once they have it.
struct Landing: Sendable {
    let loaded: LoadedImage
    let afterwards: (@Sendable () async -> Void)?

    init(_ loaded: LoadedImage, afterwards: (@Sendable () async -> Void)? = nil) {
        self.loaded = loaded
        self.afterwards = afterwards
    }
}

/// The result of a flight, for all its waiters.
struct LoadedImage: Sendable {
    var image: DecodedImage
    var source: ImageSource
    var freshness: Freshness?
    var timings = LoadTimings()
}
