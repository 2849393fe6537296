import Dispatch
import Foundation
import Synchronization
import Testing

@testable import TestFixtures

/// What `make tsan` finds, with its very options, and what it does not take for a race.
@Suite(.enabled(if: Sanitizer.isOn), .timeLimit(.minutes(2))) struct SanitizerTests {
    @Test func race_isFound() async throws {
        let result = await #expect(processExitsWith: .exitCode(66), observing: [\.standardErrorContent]) {
            Counter().addInTurn(.freely, .freely)
        }
        try expectReport(result)
    }

    /// Also where one of them did take the lock.
    @Test func raceWithForgottenLock_isFound() async throws {
        let result = await #expect(processExitsWith: .exitCode(66), observing: [\.standardErrorContent]) {
            Counter().addInTurn(.underLock, .freely)
        }
        try expectReport(result)
    }

    @Test func lockedVariable_isNoRace() async {
        await #expect(processExitsWith: .success) {
            Counter().contend()
        }
    }

    private func expectReport(_ result: ExitTest.Result?) throws {
        let text = String(decoding: try #require(result).standardErrorContent, as: UTF8.self)
        #expect(text.contains("WARNING: ThreadSanitizer"))
    }
}

/// A number in memory that the compiler knows nothing of.
private final class Counter: Sendable {
    private let address: UInt
    private let lock = Mutex(())
    private let firstHasAdded = Atomic(false)

    init() {
        let cell = UnsafeMutablePointer<Int>.allocate(capacity: 1)
        cell.initialize(to: 0)
        address = UInt(bitPattern: cell)
    }

    deinit { UnsafeMutablePointer<Int>(bitPattern: address)?.deallocate() }

    enum Way { case freely, underLock }

    private func add(_ way: Way) {
        let cell = UnsafeMutablePointer<Int>(bitPattern: address)
        switch way {
        case .freely: cell?.pointee += 1
        case .underLock: lock.withLock { _ in cell?.pointee += 1 }
        }
    }

    /// The second thread comes after the first, by a sign that orders nothing else. Of two that come at the very same
    /// time the sanitizer may see neither.
    func addInTurn(_ first: Way, _ second: Way) {
        run(
            {
                self.add(first)
                self.firstHasAdded.store(true, ordering: .relaxed)
            },
            {
                while !self.firstHasAdded.load(ordering: .relaxed) {}
                self.add(second)
            })
    }

    /// Both threads take the lock as often as it takes to meet there.
    func contend() {
        let add: @Sendable () -> Void = { for _ in 0..<100_000 { self.add(.underLock) } }
        run(add, add)
    }

    private func run(_ work: (@Sendable () -> Void)...) {
        let ended = DispatchSemaphore(value: 0)
        for work in work {
            Thread {
                work()
                ended.signal()
            }.start()
        }
        for _ in work { ended.wait() }
    }
}
