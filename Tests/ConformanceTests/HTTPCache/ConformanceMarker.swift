import Alcedo
import Foundation
import Synchronization

/// A transport that adds to the requests of a loader the fields by which the origin recognizes them.
///
/// A loader stores responses to different header fields separately, so its callers can't send these fields, which
/// differ each time.
final class ConformanceMarker: DataLoading {
    private let transport: any DataLoading
    private let marks = Mutex<[URL: HTTPHeaders]>([:])

    init(_ transport: some DataLoading) { self.transport = transport }

    /// Makes `request` the latest one for its URL. Call it before the loader.
    func mark(_ request: ConformanceRequest) {
        marks.withLock { $0[request.url] = request.marks }
    }

    func load(_ request: DataRequest, into sink: ResponseSink) async throws(ImageLoaderError) {
        var request = request
        for field in marks.withLock({ $0[request.url] ?? [:] }) { request.headers[field.name] = field.value }
        try await transport.load(request, into: sink)
    }
}
