import Synchronization

/// Loads each picture once, however many ask for it.
///
/// Cancelling the calling Task resumes that caller at once; when it was the last, the load is cancelled. A flight is as
/// urgent as the most urgent of those who wait for it.
package actor ImageFlights {
    private typealias Waiters = FlightWaiters<FlightKey<ImageKey>, LoadedImage>
    typealias Load = @Sendable (LoadControl) async throws(ImageLoaderError) -> Landing

    private var waiters = Waiters()
    private nonisolated let arrivals = Mutex(ArrivalTable<FlightKey<ImageKey>>())
    /// Callers so far that were not the first.
    private(set) var sharedCount = 0
    /// Flights that have landed and have something to do still.
    private var unfinished: Set<Waiters.FlightID> = []
    /// Those who wait for some of them.
    private var settlers: [(awaited: Set<Waiters.FlightID>, continuation: CheckedContinuation<Void, Never>)] = []

    package init() {}

    /// What `load` makes of `key`, shared with all who ask for it meanwhile.
    ///
    /// - Parameters:
    ///   - control: the caller's, if its priority may change or its progress is followed.
    ///   - onShare: called for a caller that isn't the first, with the load that was, and with its place at the
    ///     download if it won't come there because the flight has been there.
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
                    // The flight comes to its download in the place of the handle.
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
        // A control may be kept for longer, and would keep this actor.
        control?.onPriority(nil)
        return outcome
    }

    /// Counts a handle as a waiter before its Task joins. ``withdraw(_:)`` must follow when its load is over.
    nonisolated func announce(_ key: FlightKey<ImageKey>, _ priority: RequestPriority) -> ArrivalID {
        arrivals.withLock { $0.announce(key, priority) }
    }

    /// Takes that back, and cancels a flight that had no other waiter. Comes to the actor only for that.
    nonisolated func withdraw(_ arrival: ArrivalID) async {
        if let key = arrivals.withLock({ $0.withdraw(arrival) }) { await release(key) }
    }

    /// Those that have been announced and have not come; for tests.
    nonisolated var arrivalCount: Int { arrivals.withLock { $0.count } }

    private func release(_ key: FlightKey<ImageKey>) {
        // Another handle may have been announced meanwhile.
        if arrivals.withLock({ $0.hold(key) }) == nil { _ = waiters.release(key) }
    }

    /// Callers from now on start a new load, as what is under way was begun before a removal.
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

    /// Waits until all flights that have landed by now have done what they had to do afterwards; those that land
    /// meanwhile are not waited for, as there might be no end of them.
    func settle() async {
        if !unfinished.isEmpty { await withCheckedContinuation { settlers.append((unfinished, $0)) } }
    }

    /// The whole life of one flight; off the actor, which others need meanwhile.
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

/// How a flight ends: with what all who wait for it get, and with what is done once they have it.
struct Landing: Sendable {
    let loaded: LoadedImage
    let afterwards: (@Sendable () async -> Void)?

    init(_ loaded: LoadedImage, afterwards: (@Sendable () async -> Void)? = nil) {
        self.loaded = loaded
        self.afterwards = afterwards
    }
}

/// What a flight brings to all who wait for it.
struct LoadedImage: Sendable {
    var image: DecodedImage
    var source: ImageSource
    var freshness: Freshness?
    var timings = LoadTimings()
}
