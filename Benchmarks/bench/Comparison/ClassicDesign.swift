import Foundation
import Synchronization

/// The classic design, used as in a program: from one serial queue, with completion handlers.
struct ClassicDesign: LoadingDesign {
    let loader: ClassicLoader

    func load(_ urls: [URL], callers: Int, sampled: Int) async throws -> [Double] {
        let turn = Turn()
        let end = HandlerEnd(expected: urls.count)
        return try await end.latencies { [loader] in
            loader.callbacks.queue.async {
                for _ in 0..<callers {
                    HandlerChain(loader: loader, urls: urls, sampled: sampled, turn: turn, end: end).advance()
                }
            }
        }
    }

    func loadAtOnce(_ urls: [URL], onAsked: @escaping @Sendable () -> Void) async throws -> [Double] {
        let end = HandlerEnd(expected: urls.count)
        return try await end.latencies { [loader] in
            loader.callbacks.queue.async {
                for url in urls {
                    let start = ContinuousClock.now
                    loader.load(url) { end.note($0, since: start) }
                }
                onAsked()
            }
        }
    }

    func cancel(_ urls: [URL]) async throws -> [Double] {
        let end = HandlerEnd(expected: urls.count, expectsCancellation: true)
        return try await end.latencies { [loader] in
            loader.callbacks.queue.async {
                let loads = urls.map { url in
                    let cancellation = Moment()
                    return (loader.load(url) { end.note($0, since: cancellation.time) }, cancellation)
                }
                for (load, cancellation) in loads {
                    cancellation.note()
                    load.cancel()
                }
            }
        }
    }

    func flush() async { loader.cache.flush() }
}

/// The time of an event.
private final class Moment: Sendable {
    private let moment = Mutex<ContinuousClock.Instant?>(nil)

    var time: ContinuousClock.Instant? { moment.withLock { $0 } }

    func note() { moment.withLock { $0 = .now } }
}
