import AlcedoTestSupport
import Testing

@testable import Alcedo
@testable import TestFixtures

/// How callers of a flight are served.
@Suite(.timeLimit(.minutes(1))) struct FlightWaitersTests {
    private typealias Waiters = FlightWaiters<String, Int>

    /// The places passed to `leave`.
    private let left = Recorder<Waiters.WaiterID>()

    @Test func caller_isServedBeforeItWaits() async throws {
        var waiters = Waiters()
        let caller = Waiters.Caller(try .test(), nil, leave: left.record)
        let place = try waiters.add(caller)
        waiters.land(place.flight, FlightOutcome(.success(1)))
        #expect(try await caller.promise.value().get() == 1)
    }

    @Test func callerLeaving_isServed_andCancelsFlight() async throws {
        var waiters = Waiters()
        let caller = Waiters.Caller(try .test(), nil, leave: left.record)
        let place = try waiters.add(caller)
        let isCancelled = Recorder<Bool>()
        place.control.waitWithoutTask { isCancelled.record(true) }
        guard case .cancelled(place.flight) = waiters.leave(place.waiter, hold: { _ in nil }) else {
            Issue.record("The flight continues.")
            return
        }
        #expect(isCancelled.values == [true])
        let outcome = await caller.promise.value()
        #expect(throws: ImageLoaderError.cancelled) { try outcome.get() }
    }

    @Test func callerThatCancelledBeforeItsTurn_refusesTheOutcome() async throws {
        var waiters = Waiters()
        let callers = try (0..<3).map { _ in Waiters.Caller(try .test(), nil, leave: left.record) }
        let places = try waiters.add(callers)
        callers[1].cancel()
        #expect(left.values == [places[1].waiter])
        var refused = 0
        waiters.land(places[0].flight, FlightOutcome(.success(1))) { refused += 1 }
        #expect(refused == 1)
        #expect(try await callers[0].promise.value().get() == 1)
        let outcome = await callers[1].promise.value()
        #expect(throws: ImageLoaderError.cancelled) { try outcome.get() }
        #expect(try await callers[2].promise.value().get() == 1)
    }

    @Test func callerThatCancelledBeforeItJoins_isNotCounted() async throws {
        var waiters = Waiters()
        let caller = Waiters.Caller(try .test(), nil, leave: left.record)
        caller.cancel()
        #expect(waiters.join("a", caller, priority: .normal) == nil)
        #expect(waiters.flightCount == 0 && left.values.isEmpty)
        let outcome = await caller.promise.value()
        #expect(throws: ImageLoaderError.cancelled) { try outcome.get() }
    }

    @Test func flight_isWanted_untilItsLastCallerCancels() async throws {
        var waiters = Waiters()
        let callers = try (0..<2).map { _ in Waiters.Caller(try .test(), nil, leave: left.record) }
        let places = try waiters.add(callers)
        callers[0].cancel()
        #expect(places[0].control.isWanted)
        callers[1].cancel()
        callers[1].cancel()
        #expect(left.values == places.map(\.waiter))
        #expect(!places[0].control.isWanted)
    }

    /// Its own callers count in its place.
    @Test func waitingFlight_isNoCaller() throws {
        var waiters = Waiters()
        let control = LoadControl()
        let place = try waiters.add(Waiters.Caller(try .test(), control, isFlight: true, leave: left.record))
        #expect(!place.control.isWanted && !place.control.keepsResult)
        _ = control.addCaller()
        #expect(place.control.isWanted && !place.control.keepsResult)
    }
}

/// What cancelling a load cancels.
@Suite struct LoadControlWorkTests {
    private let cancelled = Recorder<String>()

    @Test func currentWork_isCancelled() {
        let control = LoadControl()
        control.waitWithoutTask { [cancelled] in cancelled.record("first") }
        control.waitWithoutTask { [cancelled] in cancelled.record("second") }
        control.cancel()
        #expect(cancelled.values == ["second"])
    }

    @Test func workOfCancelledLoad_isCancelledAtOnce() async {
        let control = LoadControl()
        control.cancel()
        control.waitWithoutTask { [cancelled] in cancelled.record("wait") }
        #expect(cancelled.values == ["wait"])
        let task = Task<Void, Never> { while !Task.isCancelled { await Task.yield() } }
        control.work(in: task)
        await task.value
    }

    @Test func cancelledFlight_isNotWanted() {
        let control = LoadControl()
        _ = control.addCaller()
        #expect(control.isWanted)
        control.cancel()
        #expect(!control.isWanted)
    }

    @Test func finishedLoad_retainsNothingThatFollowedIt() {
        final class Owner: Sendable {}
        let control = LoadControl()
        weak var early: Owner?
        weak var late: Owner?
        do {
            let owner = Owner()
            early = owner
            control.onChange { withExtendedLifetime(owner) {} }
        }
        #expect(early != nil)
        control.finish()
        do {
            let owner = Owner()
            late = owner
            control.onChange { withExtendedLifetime(owner) {} }
        }
        #expect(early == nil && late == nil)
    }

    @Test func stoppedWork_isFollowedByOther() {
        let control = LoadControl()
        control.waitWithoutTask { [cancelled] in cancelled.record("first") }
        control.stopWork()
        control.waitWithoutTask { [cancelled] in cancelled.record("second") }
        #expect(cancelled.values == ["first"])
    }
}

extension FlightWaiters<String, Int> {
    fileprivate mutating func add(_ caller: Caller) throws -> Place {
        let place = join("a", caller, priority: .normal)
        return try #require(place)
    }

    fileprivate mutating func add(_ callers: [Caller]) throws -> [Place] {
        var places: [Place] = []
        for caller in callers { places.append(try add(caller)) }
        return places
    }
}
