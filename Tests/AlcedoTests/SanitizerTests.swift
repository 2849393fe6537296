import Dispatch
import Foundation
import Synchronization
import Testing

/// What `make tsan` finds, with its very options, and what it does not take for a race.
@Suite(.enabled(if: Sanitizer.isOn), .timeLimit(.minutes(2))) struct SanitizerTests {
    @Test func aVariableOfTwoThreads_isFound() async throws {
        let result = await #expect(processExitsWith: .exitCode(66), observing: [\.standardErrorContent]) {
            Counter().count([.freely, .freely])
        }
        try expectReport(result)
    }

    /// Also where one of them did take the lock.
    @Test func aVariable_whoseLockIsForgottenOnce_isFound() async throws {
        let result = await #expect(processExitsWith: .exitCode(66), observing: [\.standardErrorContent]) {
            Counter().count([.underLock, .freely])
        }
        try expectReport(result)
    }

    @Test func aVariableUnderALock_isNoRace_howeverTheyContend() async {
        await #expect(processExitsWith: .success) {
            Counter().count([.underLock, .underLock])
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

    init() {
        let cell = UnsafeMutablePointer<Int>.allocate(capacity: 1)
        cell.initialize(to: 0)
        address = UInt(bitPattern: cell)
    }

    deinit { UnsafeMutablePointer<Int>(bitPattern: address)?.deallocate() }

    private func add() { UnsafeMutablePointer<Int>(bitPattern: address)?.pointee += 1 }

    enum Way { case freely, underLock }

    private func count(_ way: Way) {
        for _ in 0..<100_000 {
            switch way {
            case .freely: add()
            case .underLock: lock.withLock { _ in add() }
            }
        }
    }

    /// All at once, each on a thread of its own.
    func count(_ ways: [Way]) {
        let (ready, start, end) = (
            DispatchSemaphore(value: 0), DispatchSemaphore(value: 0), DispatchSemaphore(value: 0)
        )
        for way in ways {
            Thread {
                ready.signal()
                start.wait()
                self.count(way)
                end.signal()
            }.start()
        }
        for _ in ways { ready.wait() }
        for _ in ways { start.signal() }
        for _ in ways { end.wait() }
    }
}
