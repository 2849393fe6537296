import Alcedo
import Foundation

/// A transport that sends a response and fails once its gate is opened. Until then it ignores cancellation.
final class DeafDataLoader: DataLoading {
    let started = Recorder<Void>()
    let gate = Recorder<Void>()
    /// The sink's error when it was given the body; nil if it took the body.
    let taken = Recorder<ImageLoaderError?>()
    private let body: Data
    private let status: Int
    private let error: ImageLoaderError
    private let next: (any DataLoading)?

    /// - Parameter next: Performs all loads but the first.
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
