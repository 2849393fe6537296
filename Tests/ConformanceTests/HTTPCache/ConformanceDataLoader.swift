import Alcedo
import Foundation

/// A transport of the library that gets its responses from a ``ConformanceOrigin`` without sockets.
///
/// It follows no redirects.
struct ConformanceDataLoader: DataLoading {
    let origin: ConformanceOrigin
    let clock: ConformanceClock

    func load(_ request: DataRequest, into sink: ResponseSink) async throws(ImageLoaderError) {
        guard !Task.isCancelled else { throw .cancelled }
        let method = request.method.rawValue
        guard let reply = origin.exchange(method, request.url, request.headers, clock) else {
            throw .connectionFailed(.lost, detail: "the origin closed the connection")
        }
        let length = method == "HEAD" ? nil : reply.announcedBytes
        try sink.begin(
            ResponseHead(status: reply.status, url: request.url, headers: reply.headers, expectedBytes: length))
        if !reply.body.isEmpty { try sink.append(reply.body) }
    }
}
