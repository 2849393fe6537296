import AlcedoTestSupport
import Foundation
import Testing

@testable import Alcedo

/// The whole path over URLSession and real sockets, as users have it.
@Suite(.timeLimit(.minutes(1))) struct LoopbackTests {
    private let server: LoopbackServer
    private let temporary: TemporaryDirectory
    private let loader: ImageLoader
    private let jpeg: Data
    private let events = Recorder<LoadEvent>()

    init() throws {
        server = try LoopbackServer()
        temporary = try TemporaryDirectory()
        jpeg = try Pictures.jpeg(320, 240)
        loader = Self.makeLoader(temporary) { [events] in events.record($0) }
    }

    private static func makeLoader(
        _ temporary: TemporaryDirectory, onEvent: (@Sendable (LoadEvent) -> Void)? = nil
    ) -> ImageLoader {
        var configuration = ImageLoader.Configuration()
        configuration.onEvent = onEvent
        // Nothing but a cancel closes a connection within a test's time.
        configuration.download.idleTimeout = .seconds(3_600)
        configuration.disk = .init(directory: temporary.url.appendingPathComponent("cache"))
        // What the server is scripted to answer is meant for one attempt each.
        configuration.download.retry = .none
        return ImageLoader(configuration)
    }

    private func untilCoalesced(_ count: Int) async {
        await events.wait { $0.count { if case .coalesced = $0 { true } else { false } } >= count }
    }

    private func load(_ path: String = "/a.jpg") -> Task<DecodedImage, any Error> {
        let url = server.url(path)
        return Task { [loader] in try await loader.image(for: url) }
    }

    @Test func aThousandCallers_areOneRequest_andOnePicture() async throws {
        let callers = (0..<1000).map { _ in load() }
        let exchange = try await server.nextRequest()
        await untilCoalesced(999)
        exchange.reply(.bytes(jpeg, contentType: "image/jpeg"))
        var pictures: Set<ObjectIdentifier> = []
        for caller in callers { pictures.insert(ObjectIdentifier(try await caller.value.bitmap)) }
        #expect(pictures.count == 1)
        #expect(server.statistics.requests == 1)
    }

    @Test func cancellingOneOfTwo_letsTheOtherFinish() async throws {
        let (first, second) = (load(), load())
        let exchange = try await server.nextRequest()
        exchange.sendHead(length: jpeg.count)
        await untilCoalesced(1)
        first.cancel()
        await #expect(throws: ImageLoaderError.cancelled) { try await first.value }
        exchange.send(jpeg)
        exchange.finish()
        #expect(try await second.value.size == PixelSize(width: 320, height: 240))
        #expect(server.statistics.requests == 1)
    }

    @Test func cancellingTheLast_closesTheConnection() async throws {
        let callers = (0..<3).map { _ in load() }
        let exchange = try await server.nextRequest()
        exchange.sendHead(length: jpeg.count)
        exchange.send(jpeg.prefix(500))
        await untilCoalesced(2)
        for caller in callers { caller.cancel() }
        for caller in callers { await #expect(throws: ImageLoaderError.cancelled) { try await caller.value } }
        #expect(try await exchange.connectionClosed() == .byClient)
    }

    @Test func oneCancelledBeforeItStarts_causesNoRequest() async throws {
        let url = server.url("/never.jpg")
        let caller = Task { [loader] in
            withUnsafeCurrentTask { $0?.cancel() }
            return try await loader.image(for: url)
        }
        await #expect(throws: ImageLoaderError.cancelled) { try await caller.value }
        let other = load()
        (try await server.nextRequest()).reply(.bytes(jpeg))
        _ = try await other.value
        #expect(server.statistics.requestsByPath == ["/a.jpg": 1])
    }

    @Test func afterARestart_itComesFromTheDisk_withoutARequest() async throws {
        server.handle("/a.jpg") { [jpeg] _ in .bytes(jpeg) }
        let request = ImageRequest(url: server.url("/a.jpg"))
        #expect(try await loader.response(for: request).source == .network)
        #expect(try await loader.response(for: request).source == .memory)
        await loader.flush()
        #expect(try await Self.makeLoader(temporary).response(for: request).source == .disk)
        #expect(server.statistics.requests == 1)
    }

    @Test func noMoreRequestsAtOnce_thanTheWidth() async throws {
        let callers = (0..<30).map { load("/\($0).jpg") }
        var exchanges: [LoopbackServer.Exchange] = []
        for _ in 0..<6 { exchanges.append(try await server.nextRequest()) }
        for _ in 0..<24 {
            exchanges.removeFirst().reply(.bytes(jpeg))
            exchanges.append(try await server.nextRequest())
            #expect(server.statistics.activeRequests <= 6)
        }
        for exchange in exchanges { exchange.reply(.bytes(jpeg)) }
        for caller in callers { _ = try await caller.value }
        #expect(server.statistics.peakActiveRequests <= 6)
        #expect(server.statistics.connectionsAccepted <= 8)
    }

    @Test func aTruncatedPicture_isNotKept_howeverItEnded() async throws {
        // Without a length only the decoder can tell.
        server.enqueue(
            .bytes(jpeg).truncating(.afterBytes(jpeg.count / 2)),
            .bytes(jpeg.prefix(jpeg.count / 2)).withoutLength())
        for _ in 0..<2 { await #expect(throws: ImageLoaderError.self) { try await load().value } }
        server.enqueue(.bytes(jpeg))
        #expect(try await load().value.size == PixelSize(width: 320, height: 240))
        await loader.flush()
        #expect(try temporary.names(in: "cache/entries").count == 1)
    }

    @Test func loadersMadeUsedAndDropped_leaveDescriptorsAndThreadsWhereTheyWere() async throws {
        // In a process of its own, where no other test opens files.
        await #expect(processExitsWith: .success) {
            let jpeg = try Pictures.jpeg()
            let server = try LoopbackServer { _ in .bytes(jpeg) }
            func use(_ count: Int) async throws -> (descriptors: Int, threads: Int) {
                let before = server.statistics.requests
                for _ in 0..<count {
                    let temporary = try TemporaryDirectory()
                    let loader = LoopbackTests.makeLoader(temporary)
                    _ = try await loader.image(for: server.url("/a.jpg"))
                    await loader.flush()
                }
                // A session closes its connections last of all.
                try await server.until { $0.requests == before + count && $0.openConnections == 0 }
                func entries(_ path: String) throws -> Int {
                    try FileManager.default.contentsOfDirectory(atPath: path).count
                }
                return (try entries("/proc/self/fd"), try entries("/proc/self/task"))
            }
            let few = try await use(20)
            let many = try await use(300)
            #expect(many.descriptors <= few.descriptors + 5, "\(few) \(many)")
            // Threads end some seconds after their work; they must not add up meanwhile.
            #expect(many.threads <= few.threads + 20, "\(few) \(many)")
        }
    }
}
