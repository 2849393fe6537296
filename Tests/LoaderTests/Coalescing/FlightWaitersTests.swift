import AlcedoTestSupport
import Testing

@testable import Alcedo
@testable import TestFixtures

/// How waiters are served: callers, and flights that wait without a Task.
@Suite(.timeLimit(.minutes(1))) struct FlightWaitersTests {
    private typealias Waiters = FlightWaiters<String, Int>

    /// The places passed to `leave`.
    private let left = Recorder<Waiters.WaiterID>()

    @Test func caller_isServedBeforeItWaits() async throws {
        var waiters = Waiters()
        let caller = Waiters.Caller(try .test(), nil, leave: left.record)
        let place = try waiters.add(.caller(caller))
        waiters.land(place.flight, FlightOutcome(.success(1)))
        #expect(try await caller.promise.value().get() == 1)
    }

    @Test func callerLeaving_isServed_andCancelsFlight() async throws {
        var waiters = Waiters()
        let caller = Waiters.Caller(try .test(), nil, leave: left.record)
        let place = try waiters.add(.caller(caller))
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
        #expect(waiters.join("a", .caller(caller), nil, priority: .normal) == nil)
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

    @Test func firstWaitingFlight_continuesInTaskOfTheOneThatLanded() async throws {
        let landed = Recorder<String>()
        var waiters = Waiters()
        let controls = [LoadControl(), LoadControl()]
        let place = try waiters.add(.flight { _ in landed.record("first") }, controls[0])
        _ = waiters.join("a", .flight { _ in landed.record("second") }, controls[1], priority: .normal)
        let own = Task<Void, Never> {}
        place.control.work(in: own)
        let next = waiters.land(place.flight, FlightOutcome(.success(1)), in: place.control)
        // The other one has a Task of its own.
        await controls[1].task?.value
        #expect(landed.values == ["second"])
        #expect(controls[0].task == own)
        await next?()
        #expect(landed.values == ["second", "first"])
    }

    @Test func waitingFlight_continuesInTaskOfItsOwn_withoutOneThatLanded() async throws {
        let outcomes = Recorder<Int?>()
        var waiters = Waiters()
        let control = LoadControl()
        let place = try waiters.add(.flight { outcome in outcomes.record(try? outcome.get()) }, control)
        #expect(waiters.land(place.flight, FlightOutcome(.success(1))) == nil)
        await control.task?.value
        #expect(outcomes.values == [1])
    }

    @Test func droppedFlight_isNotCalled() async throws {
        var waiters = Waiters()
        let control = LoadControl()
        let place = try waiters.add(.flight { _ in Issue.record("It was dropped.") }, control)
        _ = waiters.leave(place.waiter, isDropped: true, hold: { _ in nil })
        #expect(control.task == nil)
        #expect(waiters.land(place.flight, FlightOutcome(.success(1))) == nil)
    }

    @Test func flightThatLeaves_isToldSo() async throws {
        let errors = Recorder<ImageLoaderError?>()
        var waiters = Waiters()
        let control = LoadControl()
        let place = try waiters.add(
            .flight { outcome in if case .failure(let error) = outcome.result { errors.record(error) } }, control)
        _ = waiters.leave(place.waiter, hold: { _ in nil })
        await control.task?.value
        #expect(errors.values == [.cancelled])
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

    @Test func begunWork_isCancelled_evenDuringItsFirstPart() async {
        let control = LoadControl()
        control.begin { [cancelled] in
            control.cancel()
            while !Task.isCancelled { await Task.yield() }
            cancelled.record("Task")
        }
        await cancelled.wait { $0 == ["Task"] }
    }

    @Test func workThatFollowsInFirstPart_isWhatCancellingCancels() async {
        let control = LoadControl()
        await Task.detached { [cancelled] in
            control.begin { control.waitWithoutTask { cancelled.record("wait") } }
        }.value
        await control.end(of: 0)
        control.cancel()
        #expect(cancelled.values == ["wait"])
    }

    @Test func workSharedWithAnotherLoad_isCancelled_whileThatOneBegins() async {
        let (own, other) = (LoadControl(), LoadControl())
        other.begin { [cancelled] in
            own.share(other)
            own.cancel()
            while !Task.isCancelled { await Task.yield() }
            cancelled.record("Task")
        }
        await cancelled.wait { $0 == ["Task"] }
    }

    @Test func stoppedWork_isCancelled_evenDuringItsFirstPart() async {
        let control = LoadControl()
        control.begin { [cancelled] in
            control.stopWork()
            while !Task.isCancelled { await Task.yield() }
            cancelled.record("Task")
        }
        await cancelled.wait { $0 == ["Task"] }
    }

    @Test func cancelledFlight_isNotWanted() {
        let control = LoadControl()
        control.addCaller()
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
    fileprivate mutating func add(_ waiting: Waiting, _ control: LoadControl? = nil) throws -> Place {
        let place = join("a", waiting, control, priority: .normal)
        return try #require(place)
    }

    fileprivate mutating func add(_ callers: [Caller]) throws -> [Place] {
        var places: [Place] = []
        for caller in callers { places.append(try add(.caller(caller))) }
        return places
    }
}
