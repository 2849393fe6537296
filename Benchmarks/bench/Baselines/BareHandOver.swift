import AlcedoTestSupport
import Foundation
import Synchronization

/// The least that reads off the cooperative pool take: Tasks hand them to threads and suspend until they are done.
/// There is no actor, no index and no checksum, and no one can cancel.
final class BareHandOver: Sendable {
    private typealias Job = (file: BareFile, continuation: UnsafeContinuation<Void, Never>)

    private struct State {
        var line: [Job] = []
        var asleep = 0
        var isOver = false
    }

    private let state = Mutex(State())
    private let alarm = DispatchSemaphore(value: 0)
    private let threads: Int
    /// Reads whose Tasks are woken together.
    private static let batch = 16

    /// - Parameter threads: that read.
    init(threads: Int) {
        self.threads = threads
        for _ in 0..<threads { Thread { [self] in work() }.start() }
    }

    /// Ends the threads, once nothing waits.
    func end() {
        state.withLock { $0.isOver = true }
        for _ in 0..<threads { alarm.signal() }
    }

    func read(_ file: BareFile) async {
        await withUnsafeContinuation { continuation in
            let isAlarmWanted = state.withLock { state in
                state.line.append((file, continuation))
                guard state.asleep > 0 else { return false }
                state.asleep -= 1
                return true
            }
            if isAlarmWanted { alarm.signal() }
        }
    }

    private func work() {
        while true {
            let (jobs, isOver) = state.withLock { state -> ([Job], Bool) in
                let jobs = Array(state.line.prefix(Self.batch))
                state.line.removeFirst(jobs.count)
                if jobs.isEmpty { state.asleep += 1 }
                return (jobs, state.isOver)
            }
            if jobs.isEmpty {
                if isOver { return }
                alarm.wait()
                continue
            }
            for job in jobs {
                do { blackHole(try job.file.read()) } catch { printError("\(error)") }
            }
            for job in jobs { job.continuation.resume() }
        }
    }
}
