import Alcedo
import AlcedoTestSupport
import Foundation
import Synchronization

/// Decodes PNG, which takes as long as its gate is closed, and counts concurrent decodes.
final class GatedDecoder: ImageDecoding {
    private struct State {
        var gate: ThreadGate
        var running = 0
        var most = 0
        var byteCounts: [Int] = []
        var headersOnWorkers: [Bool] = []
        var cancellations: [DecodeCancellation] = []
    }

    /// The first gate.
    let gate: ThreadGate
    private let state: Mutex<State>

    var format: ImageFormat { .png }
    /// The largest number of concurrent decodes so far.
    var most: Int { state.withLock { $0.most } }
    var count: Int { byteCounts.count }
    /// The number of bytes passed to each decode, in order.
    var byteCounts: [Int] { state.withLock { $0.byteCounts } }
    /// The cancellation of each decode, in order.
    var cancellations: [DecodeCancellation] { state.withLock { $0.cancellations } }
    var headersOnWorkers: [Bool] { state.withLock { $0.headersOnWorkers } }

    init() {
        gate = ThreadGate()
        state = Mutex(State(gate: gate))
    }

    func setGate(_ gate: ThreadGate) { state.withLock { $0.gate = gate } }

    func header(of data: Data, limits: DecodeLimits) throws(ImageLoaderError) -> ImageHeader {
        state.withLock { $0.headersOnWorkers.append(WorkerThreads.isCurrent) }
        return try ImageFormat.png.decoder().header(of: data, limits: limits)
    }

    func decode(_ data: Data, _ request: DecodeRequest) throws(ImageLoaderError) -> DecodedImage {
        precondition(WorkerThreads.isCurrent, "a decode on a thread that must not block")
        let gate = state.withLock { state in
            state.running += 1
            state.byteCounts.append(data.count)
            state.cancellations.append(request.cancellation)
            state.most = max(state.most, state.running)
            return state.gate
        }
        gate.enter()
        defer { state.withLock { $0.running -= 1 } }
        return try ImageFormat.png.decoder().decode(data, request)
    }
}
