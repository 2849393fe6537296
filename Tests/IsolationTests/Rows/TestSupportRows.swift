#if canImport(ImageIO) || os(Linux) && JPEG && PNG
import Alcedo
import AlcedoTestSupport
import Foundation

/// The functions of the test kit that wait.
enum TestSupportRows {
    static let all =
        [
            Row(
                "DecoderCheck.problems(with: Data)",
                {
                    let png = try Pictures.png(2, 2)
                    let check = DecoderCheck(try ImageDecoders.builtIn.decoder(for: png), damages: 1)
                    return Scenario(.value) { here in
                        defer { here.note() }
                        _ = await check.problems(with: png)
                    }
                })
        ] + clock + transport + events + server

    // MARK: The clock

    private static let clock = [
        sleeping("ManualClock.sleep(until: Instant, tolerance: Duration?)") { clock, here in
            let deadline = clock.now.advanced(by: .seconds(1))
            defer { here.note() }
            try await clock.sleep(until: deadline, tolerance: nil)
        } meanwhile: { clock in
            clock.advance(to: try await clock.nextSleeper())
        },
        sleeping("ManualClock.nextSleeper()") { clock, here in
            defer { here.note() }
            clock.advance(to: try await clock.nextSleeper())
        } meanwhile: { clock in
            try await sleep(on: clock)
        },
        sleeping("ManualClock.sleeper(until: Instant)") { clock, here in
            defer { here.note() }
            try await clock.sleeper(until: .init(offset: .seconds(1)))
            clock.advance(by: .seconds(1))
        } meanwhile: { clock in
            try await sleep(on: clock)
        },
        sleeping("ManualClock.sleepers(atLeast: Int)") { clock, here in
            defer { here.note() }
            try await clock.sleepers(atLeast: 1)
            clock.advance(by: .seconds(1))
        } meanwhile: { clock in
            try await sleep(on: clock)
        },
    ]

    private static func sleeping(
        _ name: String, _ call: @escaping @Sendable (ManualClock, Resumption) async throws -> Void,
        meanwhile: @escaping @Sendable (ManualClock) async throws -> Void
    ) -> Row {
        Row(
            name,
            {
                let clock = ManualClock()
                return Scenario(.value, { try await call(clock, $0) }, meanwhile: { try await meanwhile(clock) })
            },
            {
                let clock = ManualClock()
                return Scenario(.cancelled, cancelled: .beforeTheCall) { try await call(clock, $0) }
            },
            {
                let clock = ManualClock()
                return Scenario(.cancelled, cancelled: .whileItWaits) { try await call(clock, $0) }
            })
    }

    /// Sleeps for a second, which passes once the call has noticed it.
    private static func sleep(on clock: ManualClock) async throws {
        try await clock.sleep(until: .init(offset: .seconds(1)))
    }

    // MARK: The transport

    private static let transport = [
        Row(
            "ScriptedDataLoader.nextCall()",
            { calling(.value) },
            { calling(.cancelled, cancelled: .beforeTheCall) },
            { calling(.cancelled, cancelled: .whileItWaits) }),
        Row(
            "ScriptedDataLoader.nextCall(for: URL)",
            { calling(.value, for: URL(fileURLWithPath: "/")) },
            { calling(.cancelled, for: URL(fileURLWithPath: "/"), cancelled: .beforeTheCall) },
            { calling(.cancelled, for: URL(fileURLWithPath: "/"), cancelled: .whileItWaits) }),
        ending("ScriptedDataLoader.Call.delivered()", .value) { call, here in
            defer { here.note() }
            try await call.delivered()
        },
        ending("ScriptedDataLoader.Call.ended()", .value) { call, here in
            defer { here.note() }
            _ = try await call.ended()
        },
        ending("ScriptedDataLoader.Call.cancelled()", .error) { call, here in
            defer { here.note() }
            try await call.cancelled()
        },
    ]

    private static let events = [
        recording("EventRecorder.next(where: @escaping @Sendable (LoadEvent) -> Bool)") { recorder, here in
            defer { here.note() }
            _ = try await recorder.next { _ in true }
        },
        recording("EventRecorder.nextEnd(of: URL)") { recorder, here in
            defer { here.note() }
            _ = try await recorder.nextEnd(of: URL(fileURLWithPath: "/"))
        },
    ]

    private static func recording(
        _ name: String, _ wait: @escaping @Sendable (EventRecorder, Resumption) async throws -> Void
    ) -> Row {
        Row(
            name,
            {
                let recorder = EventRecorder()
                return Scenario(
                    .value, { try await wait(recorder, $0) },
                    meanwhile: {
                        let url = URL(fileURLWithPath: "/")
                        let end = LoadEvent.Kind.failed(ImageRequest(url: url), StageOutcome(duration: .zero))
                        recorder.receive(LoadEvent(url: url, kind: end))
                    })
            },
            {
                let recorder = EventRecorder()
                return Scenario(.cancelled, cancelled: .beforeTheCall) { try await wait(recorder, $0) }
            },
            {
                let recorder = EventRecorder()
                return Scenario(.cancelled, cancelled: .whileItWaits) { try await wait(recorder, $0) }
            })
    }

    private static func calling(
        _ end: Scenario.End, for url: URL? = nil, cancelled: Scenario.Cancellation = .never
    ) -> Scenario {
        let transport = ScriptedDataLoader()
        return Scenario(
            end, cancelled: cancelled,
            { here in
                defer { here.note() }
                if let url {
                    try await transport.nextCall(for: url).finish()
                } else {
                    try await transport.nextCall().finish()
                }
            },
            meanwhile: {
                if end == .value {
                    let request = DataRequest(url: URL(fileURLWithPath: "/"))
                    try await transport.load(request, into: ResponseSink(maximumBytes: 1))
                }
            })
    }

    /// A row for a function that waits for a call to end. The call is answered in the meantime.
    private static func ending(
        _ name: String, _ end: Scenario.End,
        _ wait: @escaping @Sendable (ScriptedDataLoader.Call, Resumption) async throws -> Void
    ) -> Row {
        let make: @Sendable (Scenario.End, Scenario.Cancellation) async throws -> Scenario = { end, cancelled in
            let transport = ScriptedDataLoader()
            let loading = Task {
                let request = DataRequest(url: URL(fileURLWithPath: "/"))
                try await transport.load(request, into: ResponseSink(maximumBytes: 1))
            }
            let call = try await transport.nextCall()
            return Scenario(
                end, cancelled: cancelled,
                { here in
                    defer { call.finish() }
                    try await wait(call, here)
                },
                meanwhile: {
                    guard cancelled == .never else { return }
                    call.respond()
                    call.finish()
                    try await loading.value
                })
        }
        return Row(
            name, { try await make(end, .never) }, { try await make(.cancelled, .beforeTheCall) })
    }

    // MARK: The server

    private static let server = [
        serving("LoopbackServer.nextRequest()") { server, here in
            defer { here.note() }
            try await server.nextRequest().reply(.status(204))
        } meanwhile: { server in
            try await load(from: server)
        },
        serving("LoopbackServer.until(_: @escaping @Sendable (Statistics) -> Bool)") { server, here in
            defer { here.note() }
            try await server.until { $0.openConnections == 1 }
        } meanwhile: { server in
            try await connect(to: server)
        },
        serving("LoopbackServer.untilAbandoned(_: String, count: Int)") { server, here in
            defer { here.note() }
            try await server.untilAbandoned("/")
        } meanwhile: { server in
            try await connect(to: server)
        },
        Row(
            "LoopbackServer.untilStopped()",
            { try stopping(.value) },
            { try stopping(.cancelled, cancelled: .beforeTheCall) },
            { try stopping(.cancelled, cancelled: .whileItWaits) }),
        Row(
            "LoopbackServer.Exchange.connectionClosed()",
            { try await closing(.value) },
            { try await closing(.cancelled, cancelled: .beforeTheCall) },
            { try await closing(.cancelled, cancelled: .whileItWaits) }),
    ]

    private static func serving(
        _ name: String, _ wait: @escaping @Sendable (LoopbackServer, Resumption) async throws -> Void,
        meanwhile: @escaping @Sendable (LoopbackServer) async throws -> Void
    ) -> Row {
        Row(
            name,
            {
                let server = try LoopbackServer()
                return Scenario(.value, { try await wait(server, $0) }, meanwhile: { try await meanwhile(server) })
            },
            {
                let server = try LoopbackServer()
                return Scenario(.error, { try await wait(server, $0) }, meanwhile: { server.stop() })
            },
            {
                let server = try LoopbackServer()
                return Scenario(.cancelled, cancelled: .beforeTheCall) { try await wait(server, $0) }
            },
            {
                let server = try LoopbackServer()
                return Scenario(.cancelled, cancelled: .whileItWaits) { try await wait(server, $0) }
            })
    }

    private static func stopping(
        _ end: Scenario.End, cancelled: Scenario.Cancellation = .never
    ) throws -> Scenario {
        let server = try LoopbackServer()
        return Scenario(
            end, cancelled: cancelled,
            { here in
                defer { here.note() }
                try await server.untilStopped()
            }, meanwhile: { if end == .value { server.stop() } })
    }

    private static func closing(
        _ end: Scenario.End, cancelled: Scenario.Cancellation = .never
    ) async throws -> Scenario {
        let server = try LoopbackServer()
        let client = Task { try await load(from: server) }
        let exchange = try await server.nextRequest()
        return Scenario(
            end, cancelled: cancelled,
            { here in
                defer {
                    here.note()
                    client.cancel()
                    server.stop()
                }
                try await exchange.connectionClosed()
            }, meanwhile: { if end == .value { client.cancel() } })
    }

    private static func load(from server: LoopbackServer) async throws {
        try await URLSessionDataLoader().load(
            DataRequest(url: server.url()), into: ResponseSink(maximumBytes: 1_000))
    }

    /// Makes a request and disconnects before its reply.
    private static func connect(to server: LoopbackServer) async throws {
        let client = Task { try await load(from: server) }
        _ = try await server.nextRequest()
        client.cancel()
    }
}
#endif
