import AlcedoTestSupport
import Testing

@testable import Alcedo

/// How waiters are served: callers that are suspended or not yet, and flights that wait without a Task.
@Suite(.timeLimit(.minutes(1))) struct FlightWaitersTests {
    private typealias Waiters = FlightWaiters<String, Int>

    private func start(_ join: Waiters.Join) throws -> (Waiters.FlightID, LoadControl) {
        guard case .start(let flight, let control) = join else { throw Failure.isJoined }
        return (flight, control)
    }

    private enum Failure: Error { case isJoined }

    @Test func callerServedBeforeItSuspends_isResumedAtOnce() async throws {
        var waiters = Waiters()
        let (waiter, join) = waiters.join("a", nil, priority: .normal)
        waiters.land(try start(join).0, FlightOutcome(.success(1)))
        let outcome = await withUnsafeContinuation { waiters.wait(waiter, $0) }
        #expect(try outcome.get() == 1)
    }

    @Test func callerCancelledBeforeItSuspends_isResumedAtOnce_andCancelsFlight() async throws {
        var waiters = Waiters()
        let (waiter, join) = waiters.join("a", nil, priority: .normal)
        let isCancelled = Recorder<Bool>()
        let (flight, control) = try start(join)
        control.wait { isCancelled.record(true) }
        guard case .cancelled(flight) = waiters.leave(waiter, hold: { _ in nil }) else {
            Issue.record("The flight continues.")
            return
        }
        #expect(isCancelled.values == [true])
        let outcome = await withUnsafeContinuation { waiters.wait(waiter, $0) }
        #expect(throws: ImageLoaderError.cancelled) { try outcome.get() }
    }

    @Test func firstWaitingFlight_continuesInTaskOfTheOneThatLanded() async throws {
        let landed = Recorder<String>()
        var waiters = Waiters()
        let controls = [LoadControl(), LoadControl()]
        let (_, join) = waiters.join("a", controls[0], priority: .normal, .flight { _ in landed.record("first") })
        _ = waiters.join("a", controls[1], priority: .normal, .flight { _ in landed.record("second") })
        let own = Task<Void, Never> {}
        let next = waiters.land(try start(join).0, FlightOutcome(.success(1)), in: own)
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
        let (_, join) = waiters.join(
            "a", control, priority: .normal, .flight { outcome in outcomes.record(try? outcome.get()) })
        #expect(waiters.land(try start(join).0, FlightOutcome(.success(1))) == nil)
        await control.task?.value
        #expect(outcomes.values == [1])
    }

    @Test func droppedFlight_isNotCalled() async throws {
        var waiters = Waiters()
        let control = LoadControl()
        let (waiter, join) = waiters.join(
            "a", control, priority: .normal, .flight { _ in Issue.record("It was dropped.") })
        _ = waiters.leave(waiter, isDropped: true, hold: { _ in nil })
        #expect(control.task == nil)
        #expect(waiters.land(try start(join).0, FlightOutcome(.success(1))) == nil)
    }

    @Test func flightThatLeaves_isToldSo() async throws {
        let errors = Recorder<ImageLoaderError?>()
        var waiters = Waiters()
        let control = LoadControl()
        let (waiter, _) = waiters.join(
            "a", control, priority: .normal,
            .flight { outcome in if case .failure(let error) = outcome.result { errors.record(error) } })
        _ = waiters.leave(waiter, hold: { _ in nil })
        await control.task?.value
        #expect(errors.values == [.cancelled])
    }
}

/// What cancelling a load cancels.
@Suite struct LoadControlWorkTests {
    private let cancelled = Recorder<String>()

    @Test func currentWork_isCancelled() {
        let control = LoadControl()
        control.wait { [cancelled] in cancelled.record("first") }
        control.wait { [cancelled] in cancelled.record("second") }
        control.cancel()
        #expect(cancelled.values == ["second"])
    }

    @Test func workOfCancelledLoad_isCancelledAtOnce() async {
        let control = LoadControl()
        control.cancel()
        control.wait { [cancelled] in cancelled.record("wait") }
        #expect(cancelled.values == ["wait"])
        let task = Task<Void, Never> { while !Task.isCancelled { await Task.yield() } }
        control.work(in: task)
        await task.value
    }

    @Test func stoppedWork_isFollowedByOther() {
        let control = LoadControl()
        control.wait { [cancelled] in cancelled.record("first") }
        control.stopWork()
        control.wait { [cancelled] in cancelled.record("second") }
        #expect(cancelled.values == ["first"])
    }
}
