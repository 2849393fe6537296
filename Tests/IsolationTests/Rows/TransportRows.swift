import Alcedo
import AlcedoTestSupport
import Foundation

/// The transports, and the protocol that others implement.
enum TransportRows {
    static let all =
        [
            scripted("DataLoading.load(_: DataRequest, into: ResponseSink)") { transport, request, here in
                let transport: any DataLoading = transport
                let sink = ResponseSink(maximumBytes: 1_000)
                defer { here.note() }
                try await transport.load(request, into: sink)
            },
            scripted("ScriptedDataLoader.load(_: DataRequest, into: ResponseSink)") { transport, request, here in
                let sink = ResponseSink(maximumBytes: 1_000)
                defer { here.note() }
                try await transport.load(request, into: sink)
            },
            real("URLSessionDataLoader.load(_: DataRequest, into: ResponseSink)") { request, here in
                let transport = URLSessionDataLoader()
                let sink = ResponseSink(maximumBytes: 1_000)
                defer { here.note() }
                try await transport.load(request, into: sink)
            },
            // The requirement, and the default implementation, which does nothing.
            resting("DataLoading.closeIdleConnections()") { URLSessionDataLoader() },
            resting("DataLoading.closeIdleConnections()") { ScriptedDataLoader() },
            Row("URLSessionDataLoader.closeIdleConnections()", { rest(URLSessionDataLoader()) }),
        ] + onLinux

    private static func resting(_ name: String, _ make: @escaping @Sendable () -> any DataLoading) -> Row {
        Row(name, { rest(make()) })
    }

    private static func rest(_ transport: some DataLoading) -> Scenario {
        Scenario(.value) { here in
            defer { here.note() }
            await transport.closeIdleConnections()
        }
    }

    #if os(Linux) && Curl
    private static let onLinux = [
        real("CurlDataLoader.load(_: DataRequest, into: ResponseSink)") { request, here in
            let transport = CurlDataLoader()
            let sink = ResponseSink(maximumBytes: 1_000)
            defer { here.note() }
            try await transport.load(request, into: sink)
        },
        Row("CurlDataLoader.closeIdleConnections()", { rest(CurlDataLoader()) }),
    ]
    #else
    private static let onLinux: [Row] = []
    #endif

    private static func real(
        _ name: String, _ load: @escaping @Sendable (DataRequest, Resumption) async throws -> Void
    ) -> Row {
        Row(
            name,
            {
                let server = try LoopbackServer { _ in .bytes(Data("hello".utf8)) }
                return Scenario(.value) { try await load(DataRequest(url: server.url()), $0) }
            },
            // The sink refuses the response after the head.
            {
                let server = try LoopbackServer { _ in .bytes(Data(count: 1_001)) }
                return Scenario(.error) { try await load(DataRequest(url: server.url()), $0) }
            },
            {
                let port = try RefusingPort()
                return Scenario(.error) { try await load(DataRequest(url: port.url("/")), $0) }
            },
            {
                let server = try LoopbackServer()
                return Scenario(.cancelled, cancelled: .beforeTheCall) {
                    try await load(DataRequest(url: server.url()), $0)
                }
            },
            {
                let server = try LoopbackServer()
                return Scenario(
                    .cancelled, cancelled: .whileItWaits, { try await load(DataRequest(url: server.url()), $0) },
                    meanwhile: { _ = try await server.nextRequest() })
            })
    }

    private static func scripted(
        _ name: String,
        _ load: @escaping @Sendable (ScriptedDataLoader, DataRequest, Resumption) async throws -> Void
    ) -> Row {
        let make: @Sendable (Scenario.End, Scenario.Cancellation) throws -> Scenario = { end, cancelled in
            let (transport, request) = (ScriptedDataLoader(), DataRequest(url: URL(fileURLWithPath: "/")))
            return Scenario(
                end, cancelled: cancelled, { try await load(transport, request, $0) },
                meanwhile: {
                    if cancelled == .beforeTheCall { return }
                    let call = try await transport.nextCall()
                    switch end {
                    case .value:
                        call.respond()
                        call.finish()
                    case .error: call.fail(.emptyBody)
                    case .cancelled: break
                    }
                })
        }
        return Row(
            name, { try make(.value, .never) }, { try make(.error, .never) },
            { try make(.cancelled, .beforeTheCall) }, { try make(.cancelled, .whileItWaits) })
    }
}
