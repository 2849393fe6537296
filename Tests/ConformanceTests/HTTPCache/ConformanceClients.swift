import Alcedo
import Foundation

/// Clients without a cache.
enum ConformanceClients {
    /// The transport that loaders have by default.
    static var defaultTransport: any DataLoading {
        #if os(Linux) && Curl
        CurlDataLoader()
        #else
        URLSessionDataLoader()
        #endif
    }

    /// Sends every request to the origin, without a transport.
    static func uncached(_ origin: ConformanceOrigin, _ clock: ConformanceClock) -> ConformanceClient {
        { request in
            guard let reply = origin.exchange(request.method, request.url, request.allHeaders, clock) else {
                return .failure(ConformanceNetworkError("the origin closed the connection"))
            }
            return .success(ConformanceReply(status: reply.status, headers: reply.headers, body: reply.body))
        }
    }

    /// Sends every request over a transport of the library.
    static func uncached(over transport: some DataLoading) -> ConformanceClient {
        { request in
            var message = DataRequest(
                url: request.url, method: HTTPMethod(rawValue: request.method), headers: request.allHeaders,
                body: request.body)
            if !request.followsRedirects { message.redirects.limit = 0 }
            var rules = ResponseRules()
            rules.acceptedStatus = 200...999
            let sink = ResponseSink(
                rules: rules, method: message.method, asksForPart: request.headers["Range"] != nil)
            do throws(ImageLoaderError) {
                try await transport.load(message, into: sink)
            } catch {
                return .failure(ConformanceNetworkError("\(error)"))
            }
            guard let head = sink.head else { return .failure(ConformanceNetworkError("no response")) }
            return .success(ConformanceReply(status: head.status, headers: head.headers, body: sink.body))
        }
    }
}
