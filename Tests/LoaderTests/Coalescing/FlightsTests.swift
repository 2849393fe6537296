import AlcedoTestSupport
import Testing

@testable import Alcedo
@testable import TestFixtures

/// Callers that join and leave flights, and the Tasks of these.
@Suite(.timeLimit(.minutes(1))) struct FlightsTests {
    private let flights = Flights<String, Int>()
    private let begun = Recorder<FlightID>()
    private let cancelled = Recorder<FlightID>()
    /// The flights that may land, and those that may end.
    private let opened = Recorder<FlightID>()
    private let finished = Recorder<FlightID>()
    /// The flights that may not be joined any more.
    private let outdated = Recorder<FlightID>()

    /// Joins the flight of a key. One that begins lands with the number of flights before it.
    @discardableResult
    private func join(
        _ caller: Flights<String, Int>.Caller, _ key: String = "a", priority: RequestPriority = .normal
    ) -> Flights<String, Int>.Place? {
        flights.join(key, caller, priority: priority) {
            [flights, begun, cancelled, opened, finished, outdated] flight, _ in
            let number = begun.values.count
            begun.record(flight)
            let task = Task.detached {
                await withTaskCancellationHandler {
                    _ = await opened.wait { $0.contains(flight) }
                } onCancel: {
                    // Would deadlock under the lock.
                    if flights.count > 0 { cancelled.record(flight) }
                }
                flights.land(flight, FlightOutcome(.success(number)))
                await finished.wait { $0.contains(flight) }
                flights.end(flight)
            }
            return Flights<String, Int>.Work(task: task) { !outdated.values.contains(flight) }
        }
    }

    private func caller(_ control: LoadControl? = nil) -> Flights<String, Int>.Caller { .init(control) }

    private func finish(_ place: Flights<String, Int>.Place) {
        opened.record(place.flight)
        finished.record(place.flight)
    }

    private func value(_ caller: Flights<String, Int>.Caller) async throws -> Int {
        try await caller.promise.value().get()
    }

    private func expectCancelled(_ caller: Flights<String, Int>.Caller) async {
        let outcome = await caller.promise.value()
        #expect(throws: ImageLoaderError.cancelled) { try outcome.get() }
    }

    @Test func callersOfOneKey_shareAFlight() async throws {
        let callers = (0..<3).map { _ in caller() }
        let places = try callers.map { try #require(join($0)) }
        let other = caller()
        let apart = try #require(join(other, "b"))
        #expect(places.map(\.isFirst) == [true, false, false] && apart.isFirst)
        #expect(flights.sharedCount == 2 && flights.isLoading("a"))
        finish(places[0])
        finish(apart)
        for caller in callers { #expect(try await value(caller) == 0) }
        #expect(try await value(other) == 1)
        await flights.ended()
        #expect(flights.count == 0 && !flights.isLoading("a") && cancelled.values.isEmpty)
    }

    @Test func lastCallerThatLeaves_cancelsTheTask_whichIsListedUntilItEnds() async throws {
        let callers = [caller(), caller()]
        let place = try #require(join(callers[0]))
        join(callers[1])
        flights.leave(callers[0])
        await expectCancelled(callers[0])
        #expect(cancelled.values.isEmpty)
        flights.leave(callers[1])
        flights.leave(callers[1])
        await expectCancelled(callers[1])
        await cancelled.wait { $0 == [place.flight] }
        #expect(flights.count == 1 && !flights.isLoading("a"))
        let next = caller()
        let second = try #require(join(next))
        #expect(second.isFirst && second.flight != place.flight)
        finish(place)
        finish(second)
        #expect(try await value(next) == 1)
        await flights.ended()
        #expect(flights.count == 0)
    }

    @Test func oneCaller_revalidatesInTheBackground_andStaysWhenOthersLeave() async throws {
        let behind = (0..<3).map { _ in Flights<String, Int>.Caller(needs: [.bytes, .revalidating]) }
        let waiting = caller()
        let first = try #require(join(waiting))
        #expect(join(behind[0])?.flight == first.flight)
        for caller in behind.dropFirst() {
            #expect(join(caller) == nil)
            await expectCancelled(caller)
        }
        flights.leave(waiting)
        #expect(flights.isLoading("a") && cancelled.values.isEmpty)
        finish(first)
        #expect(try await value(behind[0]) == 0)
    }

    @Test func callerThatHasLeft_isRefused() async throws {
        let caller = caller()
        flights.leave(caller)
        #expect(join(caller) == nil && begun.values.isEmpty && flights.count == 0)
        await expectCancelled(caller)
    }

    @Test func callerThatLeavesALandedFlight_keepsItsOutcome() async throws {
        let caller = caller()
        let place = try #require(join(caller))
        opened.record(place.flight)
        while !caller.promise.hasEnded { await Task.yield() }
        flights.leave(caller)
        #expect(cancelled.values.isEmpty)
        #expect(try await value(caller) == 0)
        finished.record(place.flight)
        await flights.ended()
    }

    @Test func cancellingAll_endsEachWait_andLaterCallersBeginAnew() async throws {
        let callers = ["a", "a", "b"].map { ($0, caller()) }
        let places = try callers.map { try #require(join($0.1, $0.0)) }
        flights.cancelAll()
        for (_, caller) in callers { await expectCancelled(caller) }
        await cancelled.wait { Set($0) == Set(places.map(\.flight)) }
        let late = caller()
        let place = try #require(join(late))
        #expect(place.isFirst)
        for place in places + [place] { finish(place) }
        _ = try await value(late)
        await flights.ended()
    }

    @available(macOS 26, iOS 26, tvOS 26, visionOS 26, *)
    @Test func closing_refusesCallers_andItsTasksAreAwaited() async throws {
        let callers = [caller(), caller()]
        let place = try #require(join(callers[0]))
        flights.close()
        #expect(join(callers[1]) == nil)
        await cancelled.wait { $0 == [place.flight] }
        let outcome = await callers[1].promise.value()
        #expect(throws: ImageLoaderError.closed) { try outcome.get() }
        let ended = Recorder<Bool>()
        // It waits when this returns.
        let end = Task.immediate { [flights] in
            await flights.ended()
            ended.record(true)
        }
        opened.record(place.flight)
        await expectCancelled(callers[0])
        #expect(ended.values.isEmpty)
        finished.record(place.flight)
        await end.value
        #expect(flights.count == 0)
    }

    @Test func outdatedFlight_servesItsCallers_andNoLaterOnes() async throws {
        let callers = (0..<3).map { _ in caller() }
        let first = try #require(join(callers[0]))
        outdated.record(first.flight)
        let second = try #require(join(callers[1]))
        #expect(second.isFirst && join(callers[2])?.isFirst == false)
        finish(first)
        finish(second)
        #expect(try await value(callers[0]) == 0)
        #expect(try await value(callers[1]) == 1)
        await flights.ended()
    }

    // MARK: Priorities

    @Test func flight_hasTheHighestPriorityOfItsCallers() async throws {
        let controls = [RequestPriority.low, .high].map { LoadControl(priority: $0) }
        let callers = controls.map { caller($0) }
        let place = try #require(join(callers[0], priority: .veryHigh))
        #expect(place.control.priority == .low && place.control.id == controls[0].id)
        join(callers[1])
        #expect(place.control.priority == .high)
        controls[0].setPriority(.veryHigh)
        #expect(place.control.priority == .veryHigh)
        controls[0].setPriority(.veryLow)
        #expect(place.control.priority == .high)
        flights.leave(callers[1])
        #expect(place.control.priority == .veryLow)
        flights.leave(callers[0])
        finish(place)
        await flights.ended()
    }

    @Test func change_isReported_onceTheLockIsFree() async throws {
        let (control, reports) = (LoadControl(priority: .low), Recorder<RequestPriority>())
        let caller = caller(control)
        let place = try #require(join(caller))
        // Would deadlock under the lock.
        place.control.onChange { [flights] in
            if flights.isLoading("a") { reports.record(place.control.priority) }
        }
        control.setPriority(.high)
        let second = self.caller(LoadControl(priority: .veryHigh))
        join(second)
        flights.leave(second)
        #expect(reports.values == [.high, .veryHigh, .high])
        finish(place)
        _ = try await value(caller)
        await flights.ended()
    }

    // MARK: Inputs

    @Test func resultThatACallerHasWaitedFor_isKept() async throws {
        let (waiting, caller) = (Flights<String, Int>.Caller(LoadControl(), isFlight: true), caller())
        let place = try #require(join(waiting))
        join(caller)
        flights.leave(caller)
        #expect(place.control.keepsResult && cancelled.values.isEmpty)
        finish(place)
        #expect(try await value(waiting) == 0)
        await flights.ended()
    }

    // MARK: Afterwards

    @available(macOS 26, iOS 26, tvOS 26, visionOS 26, *)
    @Test func settling_waitsForLandedFlightsOnly() async throws {
        let callers = ["landed", "running"].map { ($0, caller()) }
        let places = try callers.map { try #require(join($0.1, $0.0)) }
        opened.record(places[0].flight)
        _ = try await value(callers[0].1)
        let settled = Recorder<Bool>()
        let end = Task.immediate { [flights] in
            await flights.ended { flight, _ in flight.hasLanded }
            settled.record(flights.isLoading("running"))
        }
        #expect(settled.values.isEmpty)
        finished.record(places[0].flight)
        // It would never end if it waited for the other one.
        await end.value
        #expect(settled.values == [true] && flights.count == 1)
        finish(places[1])
        await flights.ended()
    }

    // MARK: Locks and references

    @Test func outcome_isTold_onceTheLockIsFree() async throws {
        let told = Recorder<Int>()
        let callers = (0..<2).map { _ in caller() }
        let places = try callers.map { try #require(join($0)) }
        for caller in callers { caller.promise.whenEnded { [flights] _ in told.record(flights.count) } }
        flights.leave(callers[0])
        finish(places[1])
        await flights.ended()
        #expect(told.values == [1, 1])
        // The outcome is there already.
        let late = caller()
        flights.leave(late)
        late.promise.whenEnded { _ in told.record(7) }
        #expect(told.values.last == 7)
    }

    @Test func callerThatNobodyAwaits_isReleased() async throws {
        weak var released: Flights<String, Int>.Caller?
        do {
            let caller = caller(LoadControl())
            released = caller
            finish(try #require(join(caller)))
        }
        await flights.ended()
        #expect(released == nil)
    }

    // MARK: Threads

    @Test func callersOnAllThreads_haveOneOutcomeEach() async throws {
        let served = Recorder<Bool>()
        await withTaskGroup { group in
            for seed in 0..<8 {
                group.addTask { [flights] in
                    var random = SeededRandom(seed: Fuzz.seed &+ UInt64(seed))
                    for number in 0..<2_000 {
                        let priority = RequestPriority.allCases.randomElement(using: &random) ?? .low
                        let control = LoadControl(priority: priority)
                        let caller = Flights<String, Int>.Caller(Bool.random(using: &random) ? control : nil)
                        let key = "\(Int.random(in: 0..<3, using: &random))"
                        if Int.random(in: 0..<20, using: &random) == 0 { flights.leave(caller) }
                        // Those of one key end only when they are cancelled.
                        _ = flights.join(key, caller, priority: .normal) { flight, _ in
                            let task = Task.detached {
                                while key == "0", !Task.isCancelled { await Task.yield() }
                                await Task.yield()
                                flights.land(flight, FlightOutcome(.success(0)))
                                flights.end(flight)
                            }
                            return Flights<String, Int>.Work(task: task) { number % 7 > 0 }
                        }
                        control.setPriority(.high)
                        switch Int.random(in: 0..<20, using: &random) {
                        case _ where key == "0", 0..<8: flights.leave(caller)
                        case 8: flights.cancelAll()
                        default: break
                        }
                        _ = await caller.promise.value()
                        flights.leave(caller)
                        control.onChange(nil)
                    }
                    served.record(true)
                }
            }
        }
        await flights.ended()
        #expect(served.values.count == 8 && flights.count == 0)
    }
}
