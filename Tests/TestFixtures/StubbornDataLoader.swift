import Alcedo
import AlcedoTestSupport
import Foundation

/// A transport that ignores cancellation until its gate is opened.
final class StubbornDataLoader: DataLoading {
    let gate = ThreadGate()
    let started = Recorder<Int>()
    private let threads = WorkerThreads("stubborn", count: 2)

    func load(_ request: DataRequest, into sink: ResponseSink) async throws(ImageLoaderError) {
        started.record(1)
        await threads.run { [gate] in gate.enter() }
        throw .connectionFailed(.other, detail: "too late")
    }
}
