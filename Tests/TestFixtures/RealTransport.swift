import Alcedo
import AlcedoTestSupport
import Foundation
import Testing

/// A transport over sockets, and its capabilities.
struct RealTransport: Sendable, CustomTestStringConvertible {
    let testDescription: String
    /// Whether it supports the settings for certificates.
    var keepsTrust = true
    /// Whether it can enforce a policy about addresses.
    var checksAddresses: Bool { make(TransportSettings()).checksAddresses }
    let make: @Sendable (TransportSettings) -> any DataLoading & AnyObject

    static let urlSession = RealTransport(
        testDescription: "URLSession", keepsTrust: sessionKeepsTrust
    ) { URLSessionDataLoader($0) }

    static let all = [urlSession] + curl

    /// Returns a transport by its name, because a test in its own process can only be given the name.
    static func named(_ name: String) throws -> RealTransport {
        try #require(all.first { $0.testDescription == name })
    }
}

#if canImport(Darwin)
extension RealTransport {
    private static let sessionKeepsTrust = true
}
#else
extension RealTransport {
    private static let sessionKeepsTrust = false
}
#endif

#if os(Linux) && Curl
extension RealTransport {
    static let curl = [RealTransport(testDescription: "libcurl") { CurlDataLoader($0) }]
}
#else
extension RealTransport {
    static let curl: [RealTransport] = []
}
#endif

/// A transport, with the functions that the tests use to load.
struct TransportClient: Sendable {
    let transport: any DataLoading
    let server: LoopbackServer

    func download(
        _ path: String = "/a", byteLimit: Int = 1 << 20, rules: ResponseRules = ResponseRules(),
        _ adjust: (inout DataRequest) -> Void = { _ in }
    ) async throws(ImageLoaderError) -> Download {
        // No transfer times out unless the test sets a timeout, however busy the machine is.
        var request = DataRequest(url: server.url(path), idleTimeout: .seconds(3_600))
        adjust(&request)
        var rules = rules
        rules.maximumBytes = byteLimit
        let sink = ResponseSink(rules: rules)
        try await transport.load(request, into: sink)
        return try sink.finish()
    }

    /// The error of a download that the server answers with `reply`.
    func error(
        _ reply: LoopbackServer.Reply, byteLimit: Int = 1 << 20, rules: ResponseRules = ResponseRules()
    ) async -> ImageLoaderError? {
        server.enqueue(reply)
        return await #expect(throws: ImageLoaderError.self) { try await download(byteLimit: byteLimit, rules: rules) }
    }
}
