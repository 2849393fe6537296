import Alcedo
import Foundation

/// Sends a response and fails once its gate is opened, and does not notice before that it is cancelled.
final class DeafDataLoader: DataLoading {
    let started = Recorder<Void>()
    let gate = Recorder<Void>()
    /// How the sink took the body: nil when it did.
    let taken = Recorder<ImageLoaderError?>()
    private let body: Data
    private let status: Int
    private let error: ImageLoaderError
    private let next: (any DataLoading)?

    /// - Parameter next: performs all loads but the first.
    init(body: Data = Data(), status: Int = 200, error: ImageLoaderError, next: (any DataLoading)? = nil) {
        self.body = body
        self.status = status
        self.error = error
        self.next = next
    }

    func load(_ request: DataRequest, into sink: ResponseSink) async throws(ImageLoaderError) {
        if let next, !started.values.isEmpty { return try await next.load(request, into: sink) }
        started.record(())
        await gate.wait { !$0.isEmpty }
        do throws(ImageLoaderError) {
            try sink.begin(ResponseHead(status: status, url: request.url))
            try sink.append(body)
            taken.record(nil)
        } catch {
            taken.record(error)
        }
        throw error
    }
}
