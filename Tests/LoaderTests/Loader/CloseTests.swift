import AlcedoTestSupport
import Foundation
import Synchronization
import Testing

@testable import Alcedo
@testable import TestFixtures

/// The end of a loader.
@Suite(.timeLimit(.minutes(1))) struct CloseTests {
    private let transport = ScriptedDataLoader()
    private let fixture: LoaderFixture
    private let png: Data

    init() throws {
        fixture = try LoaderFixture(transport)
        png = try Pictures.png()
    }

    @Test func closing_endsLoads_andRefusesOthers() async throws {
        let loader = fixture.makeLoader()
        async let known = loader.image(for: .test("known"))
        try await transport.nextCall().answer(png)
        let image = try await known
        let loads = [loader.imageTask(for: try .test("one")), loader.imageTask(for: try .test("two"))]
        let bytes = loader.dataTask(for: try .test("three"))
        for _ in 0..<3 { _ = try await transport.nextCall() }
        await loader.close()
        for load in loads { await #expect(throws: ImageLoaderError.cancelled) { try await load.value } }
        await #expect(throws: ImageLoaderError.cancelled) { try await bytes.value }
        let statistics = await loader.downloads.statistics
        #expect(statistics.running == 0 && statistics.queued == 0 && statistics.cancelled == 3)
        await refuses(loader)
        #expect(transport.callCount == 4)
        // Memory needs no work, and the disk has been written.
        #expect(loader.cachedImage(for: try .test("known"))?.bitmap === image.bitmap)
        #expect(try await loader.image(for: .test("known")).bitmap === image.bitmap)
        #expect(try await fixture.makeLoader().response(for: .test("known")).source == .disk)
    }

    private func refuses(_ loader: ImageLoader) async {
        let (closed, png) = (ImageLoaderError.closed, png)
        await #expect(throws: closed) { try await loader.image(for: .test("new")) }
        await #expect(throws: closed) { try await loader.response(for: .test("new")) }
        await #expect(throws: closed) { try await loader.data(for: .test("new")) }
        await #expect(throws: closed) { try await loader.imageTask(for: .test("new")).value }
        await #expect(throws: closed) { try await loader.dataTask(for: .test("new")).value }
        await #expect(throws: closed) { try await loader.image(for: ImageRequest(data: png, id: "x")) }
        await #expect(throws: closed) {
            try await loader.image(for: .test("new") { $0.processors = [GrayProcessor()] })
        }
        await #expect(throws: closed) { try await loader.store(png, for: .test("new"), in: .disk) }
    }

    /// In a process of its own, whose threads, connections and files are the loader's.
    @Test(.enabled(if: DefaultDataLoader.checksAddresses)) func closing_endsThreadsAndConnections_andClosesFiles() async
    {
        await #expect(processExitsWith: .success) {
            let png = try Pictures.png()
            let server = try LoopbackServer { _ in .bytes(png) }
            let directory = try TemporaryDirectory()
            var configuration = ImageLoader.Configuration()
            configuration.disk = .init(directory: directory.url)
            let loader = ImageLoader(configuration)
            for round in 0..<2 {
                let loads = (0..<4).map { loader.dataTask(for: ImageRequest(url: server.url("/\(round)/\($0)"))) }
                for load in loads { _ = try await load.value }
                if round == 0 {
                    try #require(Resources.threads.contains("curl") && Resources.threads.contains("write"))
                }
                if round == 0 { continue }
                await loader.close()
                try await server.until { $0.openConnections == 0 }
                while !Resources.threads.isEmpty || Resources.files(below: directory.path) > 0 { await Task.yield() }
            }
            // It may still be asked, and opens again what that takes.
            let key = loader.key(for: server.url("/0/0"))
            try #require(await loader.diskCache?.data(for: key) == png)
        }
    }

    @Test(arguments: RealTransport.all)
    func transportOfAClosedLoader_isStillUsable(kind: RealTransport) async throws {
        let server = try LoopbackServer { [png] request in
            var reply = LoopbackServer.Reply.bytes(png)
            if request.headers["Cookie"] == nil { reply.headers["Set-Cookie"] = "a=1" }
            return request.path == "/kept" && request.headers["Cookie"] != "a=1" ? .status(403) : reply
        }
        var settings = TransportSettings()
        settings.keepsCookies = true
        let transport = kind.make(settings)
        for path in ["/first", "/kept", "/kept"] {
            var configuration = ImageLoader.Configuration()
            configuration.disk = nil
            configuration.dataLoader = transport
            let loader = ImageLoader(configuration)
            _ = try await loader.image(for: server.url(path))
            await loader.close()
            try await server.until { $0.openConnections == 0 }
        }
        #expect(server.statistics.connectionsAccepted == 3)
    }

    /// A loader that closes doesn't disturb another one that uses its transport.
    @Test(arguments: RealTransport.all)
    func transportThatIsBusy_continues(kind: RealTransport) async throws {
        let server = try LoopbackServer()
        let transport = kind.make(TransportSettings())
        let loaders = (0..<2).map { _ in
            var configuration = ImageLoader.Configuration()
            configuration.disk = nil
            configuration.dataLoader = transport
            return ImageLoader(configuration)
        }
        async let image = loaders[0].image(for: server.url("/a"))
        let exchange = try await server.nextRequest()
        await loaders[1].close()
        exchange.reply(.bytes(png))
        _ = try await image
    }

    /// What the process has of loaders.
    private enum Resources {
        private static let own: Set = ["curl", "read", "write", "keep", "local", "decode"]

        /// Threads that loaders make, by their names.
        static var threads: Set<String> {
            let folder = "/proc/self/task"
            let tasks = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
            let names = tasks.compactMap { try? String(contentsOfFile: "\(folder)/\($0)/comm", encoding: .utf8) }
            return own.intersection(names.map { $0.trimmingCharacters(in: .newlines).replacing("alcedo.", with: "") })
        }

        /// The number of open files in a directory.
        static func files(below path: String) -> Int {
            let folder = "/proc/self/fd"
            let files = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
            return files.count { file in
                let target = try? FileManager.default.destinationOfSymbolicLink(atPath: "\(folder)/\(file)")
                return target?.hasPrefix(path) == true
            }
        }
    }

    @Test func closing_waitsForTransports_thatAreSlowToEnd() async throws {
        let stubborn = StubbornDataLoader()
        var configuration = fixture.configuration
        configuration.dataLoader = stubborn
        let loader = ImageLoader(configuration, calls: fixture.calls)
        let load = loader.imageTask(for: try .test())
        await stubborn.started.wait { $0.count == 1 }
        let closing = [0, 1].map { _ in
            Task {
                await loader.close()
                return await loader.downloads.statistics.running
            }
        }
        // The caller doesn't wait for it.
        await #expect(throws: ImageLoaderError.cancelled) { try await load.value }
        await stubborn.gate.arrivals(1)
        #expect(await loader.downloads.statistics.running == 1)
        stubborn.gate.open()
        for close in closing { #expect(await close.value == 0) }
    }

    /// A load whose processor is held, and ignores that it is cancelled.
    private struct HeldLoad {
        let loader: ImageLoader
        let task: LoadTask<ImageResponse>
        let gate = ThreadGate()
        private let ended = Recorder<Bool>()

        init(_ loader: ImageLoader) throws {
            let runs = CountingProcessor.Runs()
            runs.gate.withLock { [gate, ended] in
                $0 = { _ in
                    gate.enter()
                    ended.record(true)
                }
            }
            self.loader = loader
            task = loader.imageTask(for: try .test { $0.processors = [CountingProcessor(1, runs)] })
        }

        /// Begins to close the loader. The Task returns whether the processor had ended when that was done.
        func beginClosing() async -> Task<Bool, Never> {
            let closing = Task { [loader, ended] in
                await loader.close()
                return !ended.values.isEmpty
            }
            while !loader.path.flights.isClosed, !Task.isCancelled { await Task.yield() }
            return closing
        }
    }

    @Test func closing_waitsForProcessors_andForBytesBeingRead() async throws {
        let held = try HeldLoad(fixture.makeLoader())
        try await transport.nextCall().answer(png)
        await held.gate.arrivals(1)
        let (entered, letGo) = (Recorder<Bool>(), Recorder<Bool>())
        let own = ImageRequest(id: "own") { [png] in
            entered.record(true)
            await letGo.wait { !$0.isEmpty }
            return png
        }
        let bytes = Task { [held] in try await held.loader.data(for: own) }
        await entered.wait { !$0.isEmpty }
        let closing = await held.beginClosing()
        await #expect(throws: ImageLoaderError.cancelled) { try await held.task.value }
        await #expect(throws: ImageLoaderError.cancelled) { try await bytes.value }
        letGo.record(true)
        held.gate.open()
        #expect(await closing.value)
        #expect(held.loader.path.decoding.counts.waiting == 0)
    }

    /// It meets the closing before it has joined its download.
    @Test func loadOfBytes_thatReadsTheDisk_beginsNoDownload() async throws {
        let first = fixture.makeLoader()
        async let stored = first.data(for: .test())
        let call = try await transport.nextCall()
        call.respond(headers: ["ETag": "\"1\"", "Cache-Control": "no-cache"], expectedBytes: png.count)
        call.send(png)
        call.finish()
        _ = try await stored
        await first.flush()
        let gate = ThreadGate()
        let loader = fixture.makeLoader()
        fixture.calls.hold(.read, at: gate)
        let load = Task { try await loader.data(for: .test()) }
        await gate.arrivals(1)
        let closing = Task { await loader.close() }
        while !loader.path.flights.isClosed, !Task.isCancelled { await Task.yield() }
        gate.open()
        await closing.value
        await #expect(throws: ImageLoaderError.self) { try await load.value }
        #expect(transport.callCount == 1)
        #expect(await loader.downloads.statistics.running == 0)
    }

    @Test func closing_waitsForWork_thatWasCancelledBefore() async throws {
        let held = try HeldLoad(fixture.makeLoader())
        try await transport.nextCall().answer(png)
        await held.gate.arrivals(1)
        held.task.cancel()
        await held.task.end()
        let closing = await held.beginClosing()
        held.gate.open()
        #expect(await closing.value)
    }

    @Test func otherLoaders_ofSharedOwners_goOn() async throws {
        let first = fixture.makeLoader()
        let second = ImageLoader(
            memoryCache: first.memoryCache, diskCache: first.diskCache, downloads: first.downloads)
        let ending = first.imageTask(for: try .test("shared"))
        let call = try await transport.nextCall()
        let staying = second.imageTask(for: try .test("shared"))
        while await first.downloads.statistics.coalesced == 0, !Task.isCancelled { await Task.yield() }
        await first.close()
        await #expect(throws: ImageLoaderError.cancelled) { try await ending.value }
        call.answer(png)
        _ = try await staying.value
        async let more = second.image(for: .test("more"))
        try await transport.nextCall().answer(png)
        _ = try await more
    }

    @Test func refusal_isReported_asTheLoadsEnd() async throws {
        let loader = fixture.makeLoader()
        await loader.close()
        await #expect(throws: ImageLoaderError.closed) { try await loader.image(for: .test()) }
        let ends = fixture.recorder.events.compactMap { event -> ImageLoaderError? in
            if case .failed(_, let outcome) = event.kind { outcome.error } else { nil }
        }
        #expect(ends == [.closed])
    }

    /// Loads that begin while the loader is closed, from many Tasks: each ends in one way or the other, and nothing
    /// runs afterwards.
    @Test func loadsThatMeetTheClosing_end() async throws {
        let png = png
        for round in 0..<20 {
            var configuration = fixture.configuration
            configuration.disk = nil
            configuration.dataLoader = ScriptedDataLoader { _ in .bytes(png) }
            let loader = ImageLoader(configuration, calls: fixture.calls)
            let loads = (0..<40).map { number in
                Task {
                    let request = try ImageRequest.test("\(round)-\(number)")
                    if number % 4 == 0 { return try await loader.data(for: request).count }
                    return try await loader.image(for: request).size.width
                }
            }
            for _ in 0..<round { await Task.yield() }
            await loader.close()
            let statistics = await loader.downloads.statistics
            #expect(statistics.running == 0 && statistics.queued == 0)
            for load in loads {
                switch await load.result {
                case .success: break
                case .failure(let error as ImageLoaderError): #expect(error == .closed || error == .cancelled)
                case .failure(let error): Issue.record(error)
                }
            }
        }
    }
}
