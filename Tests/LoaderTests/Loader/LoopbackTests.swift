import Alcedo
import AlcedoTestSupport
import Foundation
import Testing

@testable import TestFixtures

/// The whole path over real sockets and each transport, as users have it.
@Suite(.timeLimit(.minutes(1))) struct LoopbackTests {
    /// A server and a loader with caches of its own.
    private struct Site: Sendable {
        let server: LoopbackServer
        let temporary: TemporaryDirectory
        let transport: RealTransport
        let loader: ImageLoader
        let jpeg: Data
        let events = Recorder<LoadEvent.Kind>()

        init(_ transport: RealTransport) throws {
            self.transport = transport
            server = try LoopbackServer()
            temporary = try TemporaryDirectory()
            jpeg = try Pictures.jpeg(320, 240)
            loader = LoopbackTests.makeLoader(temporary, transport) { [events] in events.record($0.kind) }
        }

        /// A loader as a program would make it after a start.
        func makeLoader() -> ImageLoader { LoopbackTests.makeLoader(temporary, transport) }

        func untilCoalesced(_ count: Int) async {
            await events.wait { $0.count { if case .coalesced = $0 { true } else { false } } >= count }
        }

        func load(_ path: String = "/a.jpg") -> Task<DecodedImage, any Error> {
            let url = server.url(path)
            return Task { [loader] in try await loader.image(for: url) }
        }
    }

    private static func makeLoader(
        _ temporary: TemporaryDirectory, _ transport: RealTransport, onEvent: (@Sendable (LoadEvent) -> Void)? = nil
    ) -> ImageLoader {
        var configuration = ImageLoader.Configuration()
        configuration.dataLoader = transport.make(TransportSettings())
        if let onEvent { configuration.onEvent(onEvent) }
        // Nothing but a cancel closes a connection within a test's time.
        configuration.download.idleTimeout = .seconds(3_600)
        configuration.disk = .init(directory: temporary.url.appendingPathComponent("cache"))
        // What the server is scripted to answer is meant for one attempt each.
        configuration.download.retry = .none
        return ImageLoader(configuration)
    }

    @Test(arguments: RealTransport.all)
    func thousandCallers_causeOneRequest(transport: RealTransport) async throws {
        let site = try Site(transport)
        let callers = (0..<1000).map { _ in site.load() }
        let exchange = try await site.server.nextRequest()
        await site.untilCoalesced(999)
        exchange.reply(.bytes(site.jpeg, contentType: "image/jpeg"))
        var pictures: Set<ObjectIdentifier> = []
        for caller in callers { pictures.insert(ObjectIdentifier(try await caller.value.bitmap)) }
        #expect(pictures.count == 1)
        #expect(site.server.statistics.requests == 1)
    }

    @Test(arguments: RealTransport.all)
    func cancellingOneOfTwo_letsOtherFinish(transport: RealTransport) async throws {
        let site = try Site(transport)
        let (first, second) = (site.load(), site.load())
        let exchange = try await site.server.nextRequest()
        exchange.sendHead(length: site.jpeg.count)
        await site.untilCoalesced(1)
        first.cancel()
        await #expect(throws: ImageLoaderError.cancelled) { try await first.value }
        exchange.send(site.jpeg)
        exchange.finish()
        #expect(try await second.value.size == PixelSize(width: 320, height: 240))
        #expect(site.server.statistics.requests == 1)
    }

    @Test(arguments: RealTransport.all)
    func cancellingLast_closesConnection(transport: RealTransport) async throws {
        let site = try Site(transport)
        let callers = (0..<3).map { _ in site.load() }
        let exchange = try await site.server.nextRequest()
        exchange.sendHead(length: site.jpeg.count)
        exchange.send(site.jpeg.prefix(500))
        await site.untilCoalesced(2)
        for caller in callers { caller.cancel() }
        for caller in callers { await #expect(throws: ImageLoaderError.cancelled) { try await caller.value } }
        #expect(try await exchange.connectionClosed() == .byClient)
    }

    @Test(arguments: RealTransport.all)
    func loadCancelledBeforeStart_causesNoRequest(transport: RealTransport) async throws {
        let site = try Site(transport)
        let url = site.server.url("/never.jpg")
        let caller = Task { [loader = site.loader] in
            withUnsafeCurrentTask { $0?.cancel() }
            return try await loader.image(for: url)
        }
        await #expect(throws: ImageLoaderError.cancelled) { try await caller.value }
        let other = site.load()
        (try await site.server.nextRequest()).reply(.bytes(site.jpeg))
        _ = try await other.value
        #expect(site.server.statistics.requestsByPath == ["/a.jpg": 1])
    }

    @Test(arguments: RealTransport.all)
    func restart_loadsFromDisk_withoutRequest(transport: RealTransport) async throws {
        let site = try Site(transport)
        site.server.handle("/a.jpg") { [jpeg = site.jpeg] _ in .bytes(jpeg) }
        let request = ImageRequest(url: site.server.url("/a.jpg"))
        #expect(try await site.loader.response(for: request).source == .network)
        #expect(try await site.loader.response(for: request).source == .memory)
        await site.loader.flush()
        #expect(try await site.makeLoader().response(for: request).source == .disk)
        #expect(site.server.statistics.requests == 1)
    }

    @Test(arguments: RealTransport.all)
    func concurrentRequests_areLimitedByWidth(transport: RealTransport) async throws {
        let site = try Site(transport)
        let callers = (0..<30).map { site.load("/\($0).jpg") }
        var exchanges: [LoopbackServer.Exchange] = []
        for _ in 0..<6 { exchanges.append(try await site.server.nextRequest()) }
        for _ in 0..<24 {
            exchanges.removeFirst().reply(.bytes(site.jpeg))
            exchanges.append(try await site.server.nextRequest())
            #expect(site.server.statistics.activeRequests <= 6)
        }
        for exchange in exchanges { exchange.reply(.bytes(site.jpeg)) }
        for caller in callers { _ = try await caller.value }
        #expect(site.server.statistics.peakActiveRequests <= 6)
        #expect(site.server.statistics.connectionsAccepted <= 8)
    }

    @Test(arguments: RealTransport.all)
    func truncatedImage_isNotStored(transport: RealTransport) async throws {
        let site = try Site(transport)
        // Without a length only the decoder can tell.
        site.server.enqueue(
            .bytes(site.jpeg).truncating(.afterBytes(site.jpeg.count / 2)),
            .bytes(site.jpeg.prefix(site.jpeg.count / 2)).withoutLength())
        for _ in 0..<2 { await #expect(throws: ImageLoaderError.self) { try await site.load().value } }
        site.server.enqueue(.bytes(site.jpeg))
        #expect(try await site.load().value.size == PixelSize(width: 320, height: 240))
        await site.loader.flush()
        #expect(try site.temporary.names(in: "cache/entries").count == 1)
    }

    @Test(arguments: RealTransport.all)
    func droppedLoaders_releaseDescriptorsAndThreads(transport: RealTransport) async throws {
        // In a process of its own, where no other test opens files.
        await #expect(processExitsWith: .success) { [name = transport.testDescription as String] in
            let jpeg = try Pictures.jpeg()
            let server = try LoopbackServer { _ in .bytes(jpeg) }
            let transport = try RealTransport.named(name)
            func use(_ count: Int) async throws -> (descriptors: Int, threads: Int) {
                let before = server.statistics.requests
                for _ in 0..<count {
                    let temporary = try TemporaryDirectory()
                    let loader = LoopbackTests.makeLoader(temporary, transport)
                    _ = try await loader.image(for: server.url("/a.jpg"))
                    await loader.flush()
                }
                // A transport closes its connections last of all.
                try await server.until { $0.requests == before + count && $0.openConnections == 0 }
                func entries(_ path: String) throws -> Int {
                    try FileManager.default.contentsOfDirectory(atPath: path).count
                }
                return (try entries("/proc/self/fd"), try entries("/proc/self/task"))
            }
            let few = try await use(20)
            let many = try await use(100)
            #expect(many.descriptors <= few.descriptors + 5, "\(few) \(many)")
            // Threads end some seconds after their work; they must not add up meanwhile.
            #expect(many.threads <= few.threads + 20, "\(few) \(many)")
        }
    }
}
