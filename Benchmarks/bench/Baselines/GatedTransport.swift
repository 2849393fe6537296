import Alcedo
import AlcedoTestSupport
import Synchronization

/// Answers when its gate is opened.
final class GatedTransport: DataLoading {
    private let gate: Mutex<Gate>
    private let calls = Turn()

    /// The number of transfers so far.
    var callCount: Int { calls.count }

    init(_ gate: Gate = Gate()) { self.gate = Mutex(gate) }

    func use(_ gate: Gate) { self.gate.withLock { $0 = gate } }

    func load(_ request: DataRequest, into sink: ResponseSink) async throws(ImageLoaderError) {
        calls.next()
        await gate.withLock { $0 }.wait()
        try await Scripted.transport.load(request, into: sink)
    }
}
