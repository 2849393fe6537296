import Alcedo
import AlcedoTestSupport
import Foundation
import Synchronization

/// Writes PNG, which takes as long as its gate is closed, and counts concurrent calls.
final class CountingEncoder: ImageEncoding {
    private struct State {
        var gate: ThreadGate?
        var running = 0
        var most = 0
        var count = 0
        var failure: ImageLoaderError?
    }

    let identity: String
    private let state: Mutex<State>

    var format: ImageFormat { .png }
    var count: Int { state.withLock { $0.count } }
    /// The largest number of concurrent calls so far.
    var most: Int { state.withLock { $0.most } }

    init(_ identity: String = "counting", gate: ThreadGate? = nil) {
        self.identity = identity
        state = Mutex(State(gate: gate))
    }

    /// Makes all later calls fail; nil makes them succeed.
    func fail(_ error: ImageLoaderError?) { state.withLock { $0.failure = error } }

    func encode(_ bitmap: Bitmap) throws(ImageLoaderError) -> Data {
        precondition(WorkerThreads.isCurrent, "an encode on a thread that must not block")
        let (gate, failure) = state.withLock { state in
            state.count += 1
            state.running += 1
            state.most = max(state.most, state.running)
            return (state.gate, state.failure)
        }
        gate?.enter()
        defer { state.withLock { $0.running -= 1 } }
        if let failure { throw failure }
        return try PNGEncoder().encode(bitmap)
    }
}
