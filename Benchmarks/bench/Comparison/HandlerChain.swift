import Foundation
import Synchronization

/// A caller with completion handlers, on the callback queue. It makes each request when it has the result of the
/// previous one.
final class HandlerChain: Sendable {
    private enum Phase { case asking, answered, waiting }

    private let loader: ClassicLoader
    private let urls: [URL]
    private let sampled: Int
    private let turn: Turn
    private let end: HandlerEnd
    private let phase = Mutex(Phase.waiting)

    /// - Parameters:
    ///   - sampled: The interval at which latencies are measured: 16 means one request in 16.
    ///   - turn: The number of the next request, shared by all callers.
    init(loader: ClassicLoader, urls: [URL], sampled: Int, turn: Turn, end: HandlerEnd) {
        self.loader = loader
        self.urls = urls
        self.sampled = sampled
        self.turn = turn
        self.end = end
    }

    /// Makes the next request. This is a loop, not a recursion, because hits are answered before the call returns.
    func advance() {
        repeat {
            let number = turn.next()
            guard number < urls.count else { return }
            phase.withLock { $0 = .asking }
            let start: ContinuousClock.Instant? = number.isMultiple(of: sampled) ? .now : nil
            loader.load(urls[number]) { [self] result in
                end.note(result, since: start)
                if isAnsweredLate() { advance() }
            }
        } while isAnsweredAlready()
    }

    private func isAnsweredLate() -> Bool {
        phase.withLock { phase in
            defer { phase = .answered }
            return phase == .waiting
        }
    }

    private func isAnsweredAlready() -> Bool {
        phase.withLock { phase in
            if phase == .asking { phase = .waiting }
            return phase == .answered
        }
    }
}
