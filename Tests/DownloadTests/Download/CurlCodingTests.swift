#if os(Linux) && Curl
import AlcedoTestSupport
import Foundation
import Testing

@testable import Alcedo
@testable import TestFixtures

/// Codings of bodies over libcurl.
@Suite(.timeLimit(.minutes(1))) struct CurlCodingTests {
    private let server: LoopbackServer
    private let client: TransportClient
    private let body = Data((0..<100_000).map { UInt8(truncatingIfNeeded: $0 &* 31) })

    init() throws {
        server = try LoopbackServer()
        client = TransportClient(transport: CurlDataLoader(), server: server)
    }

    /// Decoding this body takes days and yields nothing: one such response used to block all loads of its loader.
    @Test(arguments: [
        "200 OK\r\nContent-Encoding: gzip, gzip, gzip, gzip", "200 OK\r\nTransfer-Encoding: gzip, gzip, gzip, gzip",
        "302 Found\r\nLocation: /b\r\nContent-Encoding: gzip, gzip, gzip, gzip",
        "404 Not Found\r\nContent-Encoding: gzip, gzip\r\nContent-Encoding: gzip, gzip",
        // The field names of informational responses set up decoders too.
        "103 Early Hints\r\nContent-Encoding: gzip, gzip\r\n\r\nHTTP/1.1 200 OK\r\nContent-Encoding: gzip, gzip",
        "103 Early Hints\r\nContent-Encoding: gzip, gzip, gzip, gzip\r\n\r\nHTTP/1.1 200 OK\r\nX: 1",
        "200 OK\r\nContent-Encoding: gzip, gzip, gzip, gzip\r\nHTTP/1.1 200: OK",
        "200 OK\r\nX: 1\r\n \r\nContent-Encoding: gzip, gzip, gzip, gzip",
    ])
    func nestedBody_isRejected_andOthersLoad(start: String) async throws {
        let bomb = NestedGzip.emptyBlocks(layers: 4, bytes: 18_000)
        server.enqueue(
            .raw(Data("HTTP/1.1 \(start)\r\nConnection: close\r\n\r\n".utf8) + bomb), for: "/bomb")
        server.handle("/a") { [body] _ in .bytes(body) }
        let nested = Task { try await client.download("/bomb") }
        let others = (0..<20).map { _ in Task { try await client.download() } }
        for other in others { #expect(try await other.value.body == body) }
        let error = await #expect(throws: ImageLoaderError.self) { try await nested.value }
        #expect(error?.kind == .malformedResponse)
        #expect(try await client.download().body == body)
    }

    /// The cost of one layer is proportional to its length: some milliseconds per megabyte.
    @Test func singleLayerOfEmptyBlocks_endsEarly() async throws {
        let blocks = NestedGzip.emptyBlocks(layers: 1, bytes: 1 << 20)
        server.enqueue(.bytes(blocks).header("Content-Encoding", "gzip"))
        let error = ImageLoaderError.truncated(received: blocks.count, expected: nil)
        await #expect(throws: error) { try await client.download() }
    }

    /// Input that yields no byte of a body counts as silence, however much arrives.
    @Test func endlessEmptyBlocks_endWithTheIdleTimeout() async throws {
        let blocks = NestedGzip.emptyBlocks(layers: 1, bytes: 1 << 20)
        server.enqueue(
            .bytes(blocks).header("Content-Encoding", "gzip").dripping(100, every: .milliseconds(5)))
        await #expect(throws: ImageLoaderError.timedOut(.idle)) {
            try await client.download { $0.idleTimeout = .milliseconds(500) }
        }
        try await server.untilAbandoned("/a")
    }

    /// A server whose gigabytes yield a byte now and then is neither idle nor beyond a limit of decoded bytes.
    @Test func codedBytes_areLimited_howeverLittleTheyYield() async throws {
        let blocks = NestedGzip.emptyBlocks(layers: 1, bytes: 1 << 20)
        let reply = LoopbackServer.Reply.bytes(blocks).header("Content-Encoding", "gzip")
        for reply in [reply, reply.chunked(), reply.withoutLength()] {
            let error = await client.error(reply, byteLimit: 100_000)
            guard case .limitExceeded(.inputBytes, let value, 100_000) = error else {
                Issue.record("\(String(describing: error))")
                continue
            }
            #expect(value > 100_000 && value < 500_000)
        }
    }

    /// The frames of a coding are larger than what they save of a body that can't be compressed.
    @Test func codedBody_mayBeSlightlyLargerThanTheLimit() async throws {
        server.enqueue(.bytes(CodedBodies.gzip(body)).header("Content-Encoding", "gzip"))
        #expect(try await client.download(byteLimit: body.count).body == body)
    }

    @Test(arguments: ["gzip", "deflate"]) func endlessBytesAfterTheBody_endTheTransfer(coding: String) async throws {
        let coded = coding == "gzip" ? CodedBodies.gzip(body) : CodedBodies.zlib(body)
        let reply = LoopbackServer.Reply.bytes(coded + Data(repeating: 0x5A, count: 1 << 20))
            .header("Content-Encoding", coding).stalling(.afterBytes(coded.count + 200_000))
        for (count, reply) in [reply, reply.chunked(), reply.withoutLength()].enumerated() {
            server.enqueue(reply)
            // They don't count towards the limit either.
            #expect(try await client.download(byteLimit: body.count).body == body)
            try await server.untilAbandoned("/a", count: count + 1)
        }
    }

    // MARK: Unknown codings

    @Test(arguments: ["aws-chunked", "utf-8", "binary", "none, UTF-8", "unheard-of", "aws-chunked, identity"])
    func unknownCoding_isTreatedAsNone(coding: String) async throws {
        for reply in [LoopbackServer.Reply.bytes(body), .bytes(body).chunked(1000), .bytes(body).withoutLength()] {
            server.enqueue(reply.header("Content-Encoding", coding))
            let download = try await client.download()
            #expect(download.body == body)
            #expect(download.head.expectedBytes == download.head.headers["Content-Length"].map { _ in body.count })
        }
        server.enqueue(.bytes(body).header("Content-Encoding", coding).truncating(.afterBytes(40_000)))
        await #expect(throws: ImageLoaderError.truncated(received: 40_000, expected: body.count)) {
            try await client.download()
        }
        // The next body is still decoded.
        server.enqueue(.bytes(CodedBodies.hello).header("Content-Encoding", "gzip"))
        #expect(try await client.download().body == Data("hello".utf8))
    }

    @Test func unknownCodingBesideACompressingOne_isMalformed() async throws {
        let error = await client.error(.bytes(body).header("Content-Encoding", "aws-chunked, gzip"))
        #expect(error?.kind == .malformedResponse)
    }

    // MARK: Decoding

    @Test(arguments: ["br", "zstd", "compress"]) func codingThatWasNotAskedFor_isNamed(coding: String) async throws {
        let error = await client.error(.bytes(body).header("Content-Encoding", coding))
        guard case .malformedResponse(let detail) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(detail.contains("coding \(coding)"))
        // A refusal is one whatever its coding is.
        server.enqueue(.status(404).header("Content-Encoding", coding))
        await #expect(throws: ImageLoaderError.badStatus(404)) { try await client.download() }
    }

    @Test func gzipAndDeflate_areDecoded_inAllTheirForms() async throws {
        let coded = [
            ("gzip", CodedBodies.gzip(body)), ("deflate", CodedBodies.zlib(body)),
            ("deflate", CodedBodies.deflate(body)),
            ("x-gzip", CodedBodies.gzip(body.prefix(7)) + CodedBodies.gzip(body.dropFirst(7))),
            ("gzip", CodedBodies.gzip(body) + Data("garbage".utf8)),
        ]
        for (coding, bytes) in coded {
            let reply = LoopbackServer.Reply.bytes(bytes).header("Content-Encoding", coding)
            for reply in [reply, reply.chunked(1_000), reply.withoutLength()] {
                server.enqueue(reply)
                #expect(try await client.download().body == body)
            }
        }
        server.enqueue(.bytes(Data()).header("Content-Encoding", "gzip"))
        await #expect(throws: ImageLoaderError.emptyBody) { try await client.download() }
    }

    @Test func bodyThatEndsBeforeItsCoding_isTruncated_andNotResumed() async throws {
        let coded = CodedBodies.gzip(body).dropLast(20)
        let headers: HTTPHeaders = ["Content-Encoding": "gzip", "ETag": "\"1\"", "Accept-Ranges": "bytes"]
        server.enqueue(.init(headers: headers, body: Data(coded)))
        let sink = ResponseSink(rules: ResponseRules())
        await #expect(throws: ImageLoaderError.truncated(received: coded.count, expected: nil)) {
            try await client.transport.load(DataRequest(url: server.url("/a")), into: sink)
        }
        #expect(sink.partial(now: 0) == nil)
    }

    /// Also if the connection ends before the announced length.
    @Test func bodyWithoutItsEnd_isTruncated_afterTheBytesThatCame() async throws {
        let coded = Data(CodedBodies.gzip(body))
        for count in [5, 30] {
            server.enqueue(.bytes(coded).header("Content-Encoding", "gzip").truncating(.afterBytes(count)))
            await #expect(throws: ImageLoaderError.truncated(received: count, expected: nil)) {
                try await client.download()
            }
        }
    }

    @Test func bodyThatGrowsTooMuch_exceedsItsLimit() async throws {
        let letters = CodedBodies.letters
        func reply(members: Int) -> LoopbackServer.Reply {
            .bytes(Data((0..<members).flatMap { _ in letters })).header("Content-Encoding", "gzip")
        }
        // Up to 1 MiB it may.
        server.enqueue(reply(members: 10))
        #expect(try await client.download(byteLimit: .max).body.count == 1_000_000)
        let error = await client.error(reply(members: 100), byteLimit: .max)
        guard case .limitExceeded(.expansion, let value, 200) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(value > 200 && value < 1_100)
        var rules = ResponseRules()
        rules.maximumExpansion = 1_000
        server.enqueue(reply(members: 100))
        #expect(try await client.download(byteLimit: .max, rules: rules).body.count == 10_000_000)
    }

    /// The transport's thread has other things to do.
    @Test func codedBody_isDeliveredInSlices_byWorkerThreads() async throws {
        let steps = Recorder<(received: Int, isOnWorker: Bool)>()
        server.enqueue(.bytes(CodedBodies.letters).header("Content-Encoding", "gzip"))
        let sink = ResponseSink(maximumBytes: 1 << 20) { received, _ in
            steps.record((received, WorkerThreads.isCurrent))
        }
        try await client.transport.load(DataRequest(url: server.url("/a")), into: sink)
        // A slice may be smaller, if no more had arrived.
        let received = steps.values.map(\.received)
        #expect(received.first == 0 && received.last == 100_000 && received.count >= 3)
        #expect(zip(received, received.dropFirst()).allSatisfy { 1...65_536 ~= $1 - $0 })
        #expect(steps.values.map(\.isOnWorker) == [false] + received.dropFirst().map { _ in true })
    }

    @Test func bodyThatIsDecodedSlowly_holdsUpNoOther() async throws {
        let gate = ThreadGate()
        let large = Data(repeating: 7, count: 2 << 20)
        server.enqueue(.bytes(CodedBodies.gzip(large)).header("Content-Encoding", "gzip"), for: "/slow")
        let sink = ResponseSink(maximumBytes: large.count) { received, _ in if received > 0 { gate.enter() } }
        let request = DataRequest(url: server.url("/slow"), idleTimeout: .milliseconds(200))
        let slow = Task { try await client.transport.load(request, into: sink) }
        await gate.arrivals(1)
        // The sink's time isn't the server's silence.
        await #expect(throws: ImageLoaderError.timedOut(.idle)) {
            try await client.download("/silent") { $0.idleTimeout = .milliseconds(300) }
        }
        server.handle("/a") { [body] _ in .bytes(body) }
        for _ in 0..<20 { #expect(try await client.download().body == body) }
        gate.open()
        try await slow.value
        #expect(sink.body == large)
    }

    @Test func cancelledLoad_returnsAfterTheSliceThatRuns() async throws {
        let gate = ThreadGate()
        let steps = Recorder<Int>()
        server.enqueue(.bytes(CodedBodies.gzip(Data(count: 1 << 20))).header("Content-Encoding", "gzip"))
        let sink = ResponseSink(maximumBytes: 2 << 20) { received, _ in
            if received > 0 { gate.enter() }
            steps.record(received)
        }
        let load = Task { try await client.transport.load(DataRequest(url: server.url("/a")), into: sink) }
        await gate.arrivals(1)
        load.cancel()
        gate.open()
        await #expect(throws: ImageLoaderError.cancelled) { try await load.value }
        // What had arrived by then made the first slice.
        #expect(steps.values.count == 2 && steps.values.allSatisfy { $0 <= 65_536 })
        server.handle("/a") { [body] _ in .bytes(body) }
        #expect(try await client.download().body == body)
    }

    // MARK: Small chunks

    /// Each byte may come in a chunk of its own, which curl delivers one by one.
    @Test func tinyChunks_areDeliveredTogether() async throws {
        let steps = Recorder<Int>()
        let head = Data("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n".utf8)
        server.enqueue(.raw(head + Data(body.flatMap { Data("1\r\n".utf8) + [$0, 13, 10] }) + Data("0\r\n\r\n".utf8)))
        let sink = ResponseSink(maximumBytes: 1 << 20) { received, _ in steps.record(received) }
        try await client.transport.load(DataRequest(url: server.url("/a")), into: sink)
        #expect(sink.body == body)
        #expect(steps.values.count < body.count / 20)
    }
}
#endif
