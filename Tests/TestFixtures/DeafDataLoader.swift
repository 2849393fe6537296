import Alcedo
import Foundation

/// Sends a body and fails once its gate is opened, and does not notice before that it is cancelled.
final class DeafDataLoader: DataLoading {
    let started = Recorder<Void>()
    let gate = Recorder<Void>()
    /// How the sink took the body: nil when it did.
    let taken = Recorder<ImageLoaderError?>()
    private let body: Data
    private let error: ImageLoaderError

    init(body: Data = Data(), error: ImageLoaderError) {
        self.body = body
        self.error = error
    }

    func load(_ request: DataRequest, into sink: ResponseSink) async throws(ImageLoaderError) {
        started.record(())
        await gate.wait { !$0.isEmpty }
        do throws(ImageLoaderError) {
            try sink.begin(ResponseHead(status: 200, url: request.url))
            try sink.append(body)
            taken.record(nil)
        } catch {
            taken.record(error)
        }
        throw error
    }
}
