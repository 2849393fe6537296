import AlcedoTestSupport
import Foundation
import Testing

@testable import Alcedo

/// A transport over sockets, with what it can't do said openly.
struct RealTransport: Sendable, CustomTestStringConvertible {
    let testDescription: String
    /// Whether any head that a server sends ends in a response or an error, and not with the process.
    var survivesEveryHead = true
    /// Whether idle times are exact; otherwise they are whole seconds.
    var keepsShortTimes = true
    /// Whether a head above the limit is stopped as it comes; otherwise the transport's own limits hold first.
    var stopsLongHeads = true
    /// Whether the length of a 304 and of an answer to HEAD is known to be that of another body.
    var knowsWhatHasNoBody = true
    let make: @Sendable (TransportSettings) -> any DataLoading

    static let urlSession = RealTransport(
        testDescription: "URLSession", survivesEveryHead: false, keepsShortTimes: false, stopsLongHeads: false,
        knowsWhatHasNoBody: false
    ) { URLSessionDataLoader($0) }

    static let all = [urlSession] + curl
}

#if os(Linux) && Curl
extension RealTransport {
    static let curl = [RealTransport(testDescription: "libcurl") { CurlDataLoader($0) }]
}
#else
extension RealTransport {
    static let curl: [RealTransport] = []
}
#endif

/// A transport and how the tests load with it.
struct TransportClient: Sendable {
    let transport: any DataLoading
    let server: LoopbackServer

    func download(
        _ path: String = "/a", byteLimit: Int = 1 << 20, rules: ResponseRules = ResponseRules(),
        _ adjust: (inout DataRequest) -> Void = { _ in }
    ) async throws(ImageLoaderError) -> Download {
        var request = DataRequest(url: server.url(path))
        adjust(&request)
        var rules = rules
        rules.byteLimit = byteLimit
        let sink = ResponseSink(rules: rules)
        try await transport.load(request, into: sink)
        return try sink.finish()
    }

    /// The error of a download that the server answers so.
    func error(
        _ reply: LoopbackServer.Reply, byteLimit: Int = 1 << 20, rules: ResponseRules = ResponseRules()
    ) async -> ImageLoaderError? {
        server.enqueue(reply)
        return await #expect(throws: ImageLoaderError.self) { try await download(byteLimit: byteLimit, rules: rules) }
    }
}
