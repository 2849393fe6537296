import AlcedoTestSupport
import Testing

@testable import Alcedo
@testable import TestFixtures

/// What flights do once they have landed, and those who wait for that.
@Suite(.timeLimit(.minutes(1))) struct ImageFlightsTests {
    private let flights = ImageFlights(beside: DownloadCoordinator(dataLoader: ScriptedDataLoader()))
    private let opened = Recorder<String>()
    private let done = Recorder<String>()

    /// Loads a picture; what its flight does afterwards lasts until it is opened.
    private func land(_ name: String) async throws {
        let image = DecodedImage(bitmap: try Pictures.plain(1, 1))
        let request = try ImageRequest.test(name)
        let key = FlightKey(ImageKey(request), request)
        _ = try await flights.image(for: key) { [opened, done] _ in
            Landing(LoadedImage(image, from: .network)) {
                await opened.wait { $0.contains(name) }
                done.record(name)
            }
        }.get()
    }

    @Test func landing_hasWorkAfterwards_onlyIfThereIsSome() async throws {
        let landing = Landing(LoadedImage(DecodedImage(bitmap: try Pictures.plain(1, 1)), from: .network))
        #expect(landing.then(nil).afterwards == nil)
        let both = landing.then { [done] in done.record("a") }.then(nil).then { [done] in done.record("b") }
        await both.afterwards?()
        #expect(done.values == ["a", "b"])
    }

    // MARK: Handles that will join

    /// A load that lasts until it is told to end, and the caller that began it.
    private func begin(
        _ key: FlightKey<ImageKey>
    ) async throws -> (caller: Task<LoadedImage, any Error>, isCancelled: Recorder<Bool>) {
        let image = DecodedImage(bitmap: try Pictures.plain(1, 1))
        let (begun, isCancelled) = (Recorder<Bool>(), Recorder<Bool>())
        let caller = Task { [flights, opened] in
            try await flights.image(for: key) { _ in
                await withTaskCancellationHandler {
                    begun.record(true)
                    await opened.wait { !$0.isEmpty }
                } onCancel: {
                    isCancelled.record(true)
                }
                return Landing(LoadedImage(image, from: .network))
            }.get()
        }
        await begun.wait { !$0.isEmpty }
        return (caller, isCancelled)
    }

    private func key() throws -> FlightKey<ImageKey> { FlightKey(ImageKey(try .test()), try .test()) }

    @Test func flight_isHeld_forReturnedHandle() async throws {
        let key = try key()
        let (caller, isCancelled) = try await begin(key)
        let arrival = Arrival(image: flights.announce(key, .normal))
        caller.cancel()
        await #expect(throws: ImageLoaderError.cancelled) { try await caller.value }
        #expect(isCancelled.values.isEmpty)
        // The Task of the handle comes only now.
        let shared = Recorder<Bool>()
        async let late = flights.image(
            for: key, LoadControl(priority: .normal, arrival: arrival),
            onShare: { shared.record(true) },
            load: { _ throws(ImageLoaderError) in
                Issue.record("A second load began.")
                throw .cancelled
            })
        await shared.wait { !$0.isEmpty }
        #expect(flights.arrivalCount == 0)
        opened.record("")
        #expect(try await late.get().source == .network)
    }

    @Test func heldFlight_isCancelled_whenHandleNeverJoins() async throws {
        let key = try key()
        let (caller, isCancelled) = try await begin(key)
        let arrivals = (0..<2).map { _ in flights.announce(key, .normal) }
        caller.cancel()
        _ = await caller.result
        await flights.withdraw(arrivals[0])
        #expect(isCancelled.values.isEmpty)
        await flights.withdraw(arrivals[1])
        await isCancelled.wait { !$0.isEmpty }
        opened.record("")
    }

    @Test func handleCancelledBeforeItsTaskRuns_holdsNoFlight() async throws {
        let key = try key()
        let (caller, isCancelled) = try await begin(key)
        let arrival = flights.announce(key, .normal)
        caller.cancel()
        _ = await caller.result
        let late = Task { [flights] in
            withUnsafeCurrentTask { $0?.cancel() }
            let control = LoadControl(priority: .normal, arrival: Arrival(image: arrival))
            return try await flights.image(for: key, control) {
                _ throws(ImageLoaderError) in throw .cancelled
            }.get()
        }
        await #expect(throws: ImageLoaderError.cancelled) { try await late.value }
        #expect(isCancelled.values.isEmpty)
        await flights.withdraw(arrival)
        await isCancelled.wait { !$0.isEmpty }
        opened.record("")
    }

    @Test func removal_cancelsHeldFlight() async throws {
        let key = try key()
        let (caller, isCancelled) = try await begin(key)
        let arrival = flights.announce(key, .normal)
        caller.cancel()
        _ = await caller.result
        await flights.retire(key.key.resource)
        await isCancelled.wait { !$0.isEmpty }
        await flights.withdraw(arrival)
        #expect(flights.arrivalCount == 0)
        opened.record("")
    }

    @Test func cancelledFlight_isForgotten_thoughNothingLandsIt() async throws {
        let caller = ImageFlights.Waiters.Caller(try .test(), nil, leave: flights.leaveLater)
        let place = try #require(await flights.join(try key(), caller))
        let left = Recorder<Bool>()
        place.control.waitWithoutTask { left.record(true) }
        caller.cancel()
        await left.wait { !$0.isEmpty }
        #expect(await flights.flightCount == 0)
        let outcome = await caller.promise.value()
        #expect(throws: ImageLoaderError.cancelled) { try outcome.get() }
    }

    // MARK: Afterwards

    @Test func settling_waitsForLandedFlightsOnly() async throws {
        try await land("a")
        try await land("b")
        let begun = Recorder<Bool>()
        async let settled: Void = flights.settle { begun.record(true) }
        await begun.wait { !$0.isEmpty }
        // It would never end if it waited for this one.
        try await land("c")
        opened.record("b")
        opened.record("a")
        await settled
        #expect(Set(done.values) == ["a", "b"])
        opened.record("c")
        await flights.settle()
        #expect(done.values.last == "c")
        await flights.settle()
    }
}

extension ImageFlights {
    /// Whoever comes to the actor after `begin` was called comes after the wait has begun.
    fileprivate func settle(_ begin: @Sendable () -> Void) async {
        begin()
        await settle()
    }
}

extension ImageFlights {
    /// Begins a flight with a Task that does everything.
    fileprivate func image(
        for key: FlightKey<ImageKey>, _ control: LoadControl? = nil,
        onShare: @Sendable () -> Void = {},
        load: @escaping @Sendable (LoadControl) async throws(ImageLoaderError) -> Landing
    ) async throws -> Waiters.Outcome {
        let caller = Waiters.Caller(try .test(), control, leave: leaveLater)
        return await withTaskCancellationHandler {
            begin(key, caller, onShare: onShare, load: load)
            return await caller.promise.value()
        } onCancel: {
            caller.cancel()
        }
    }

    private func begin(
        _ key: FlightKey<ImageKey>, _ caller: Waiters.Caller, onShare: () -> Void,
        load: @escaping @Sendable (LoadControl) async throws(ImageLoaderError) -> Landing
    ) {
        guard let place = join(key, caller) else { return }
        guard place.isFirst else { return onShare() }
        place.control.work(
            in: Task.detached {
                do throws(ImageLoaderError) {
                    await self.land(place.flight, .success(try await load(place.control)))
                } catch {
                    await self.land(place.flight, .failure(error))
                }
            })
    }
}
