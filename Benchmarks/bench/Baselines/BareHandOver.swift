import AlcedoTestSupport
import Foundation
import Synchronization

/// The minimum cost of reads off the cooperative pool: Tasks hand them to threads and suspend until they are done.
///
/// There is no actor, no index, no checksum and no cancellation.
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
    /// The number of reads whose Tasks are woken together.
    private static let batch = 16

    /// - Parameter threads: The number of threads that read.
    init(threads: Int) {
        self.threads = threads
        for _ in 0..<threads { Thread { [self] in work() }.start() }
    }

    /// Ends the threads, once no reads are waiting.
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
