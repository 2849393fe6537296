import Alcedo
import AlcedoTestSupport
import Foundation
import Testing

@testable import TestFixtures

/// What is reported of the stages of loads: their order, durations, bytes, flags and errors.
@Suite(.timeLimit(.minutes(1))) struct LoadStageTests {
    private let transport = ScriptedDataLoader()
    private let clock = ManualClock()
    private let png: Data
    private let fixture: LoaderFixture
    private var recorder: LoadRecorder { fixture.recorder }

    init() throws {
        png = try Pictures.png()
        var fixture = try LoaderFixture(transport)
        fixture.configuration.clock = clock
        self.fixture = fixture
    }

    private func loader(_ change: (inout ImageLoader.Configuration) -> Void = { _ in }) -> ImageLoader {
        var configuration = fixture.configuration
        change(&configuration)
        return ImageLoader(configuration, calls: fixture.calls)
    }

    /// The outcomes of a stage, in the order in which they were reported.
    private func outcomes(_ stage: LoadStage, of load: LoadID? = nil) -> [StageOutcome] {
        recorder.events.compactMap { event in
            guard load == nil || event.load == load, case .ended(stage, let outcome) = event.kind else { return nil }
            return outcome
        }
    }

    private func untilReported(_ isIt: @escaping @Sendable (LoadEvent.Kind) -> Bool) async {
        await fixture.events.wait { $0.contains(where: isIt) }
    }

    // MARK: Durations

    @Test func stages_takeAsLongAsTheClockSays() async throws {
        let loader = self.loader { $0.disk = nil }
        await loader.downloads.pause()
        let task = loader.imageTask(for: try .test())
        await untilReported { if case .began(.queued) = $0 { true } else { false } }
        clock.advance(by: .seconds(5))
        await loader.downloads.resume()
        let call = try await transport.nextCall()
        clock.advance(by: .seconds(2))
        call.respond(expectedBytes: png.count)
        try await call.delivered()
        clock.advance(by: .seconds(1))
        call.send(png)
        call.finish()
        _ = try await task.value
        let (count, id) = (png.count, task.id)
        #expect(outcomes(.memory, of: id) == [StageOutcome(duration: .zero)])
        #expect(outcomes(.queued, of: id) == [StageOutcome(duration: .seconds(5))])
        #expect(outcomes(.firstByte, of: id) == [StageOutcome(duration: .seconds(2))])
        #expect(outcomes(.download, of: id) == [StageOutcome(duration: .seconds(3), bytes: count)])
        #expect(outcomes(.decode, of: id) == [StageOutcome(duration: .zero, bytes: count)])
        #expect(outcomes(.store, of: id) == [StageOutcome(duration: .zero, bytes: count)])
        #expect(outcomes(.connect).isEmpty && outcomes(.disk).isEmpty && outcomes(.process).isEmpty)
        let last = try #require(recorder.events.last)
        guard case .loaded(let request, .network, let end) = last.kind else { return must(false, "\(last)") }
        #expect(end == StageOutcome(duration: .seconds(8)) && last.load == id && last.url == request.url)
        let first = try #require(recorder.events.first)
        #expect(last.time - first.time == .seconds(8))
        let metrics = await loader.metrics
        #expect(metrics.downloads.slotWaits.count == 1 && metrics.downloads.slotWaits.total == .seconds(5))
        #expect(metrics.downloads.transfers.count == 1 && metrics.downloads.transfers.total == .seconds(3))
        #expect(metrics.decoding.decodes.count == 1 && metrics.disk == nil && metrics.memory.count == 1)
    }

    @Test func connections_areReported_byTransportsThatMeasureThem() async throws {
        let png = png
        let server = try LoopbackServer { _ in .bytes(png, contentType: "image/png") }
        defer { server.stop() }
        for transport in RealTransport.all {
            var configuration = fixture.configuration
            configuration.clock = ContinuousClock()
            configuration.disk = nil
            configuration.dataLoader = transport.make(TransportSettings())
            recorder.removeAll()
            let loader = ImageLoader(configuration)
            for name in ["one", "two"] { _ = try await loader.image(for: server.url("/" + name)) }
            let connects = outcomes(.connect)
            if transport.testDescription == "libcurl" {
                #expect(connects.map(\.flags) == [[], .reusedConnection])
                #expect(connects[0].duration > .zero && connects[0].duration < outcomes(.download)[0].duration)
            } else {
                #expect(connects.isEmpty)
            }
            let (heads, wholes) = (outcomes(.firstByte), outcomes(.download))
            #expect(heads.count == 2 && zip(heads, wholes).allSatisfy { $0.duration <= $1.duration })
        }
    }

    @Test func failedConnections_areReported_byTransportsThatMeasureThem() async throws {
        let (closed, silent, hangingUp) = (try RefusingPort(), try SilentPort(), try HangingUpServer(.close))
        let untrusted = try TLSServer(files: ["a": png], certificate: .selfSigned)
        let lost = try #require(URL(string: "https://127.0.0.1:\(hangingUp.port)/a"))
        var configuration = fixture.configuration
        configuration.clock = ContinuousClock()
        configuration.disk = nil
        for transport in RealTransport.all {
            for url in [closed.url("/a"), untrusted.url("/a"), lost, silent.url("/a")] {
                configuration.dataLoader = transport.make(TransportSettings())
                let isSilent = url == silent.url("/a")
                configuration.download.idleTimeout = isSilent ? .milliseconds(100) : .seconds(3_600)
                recorder.removeAll()
                let loader = ImageLoader(configuration)
                let error = try #require(
                    await #expect(throws: ImageLoaderError.self) { try await loader.image(for: url) })
                #expect(error.kind == (isSilent ? .timedOut : .connectionFailed), "\(error)")
                let (connects, downloads) = (outcomes(.connect), outcomes(.download))
                #expect(downloads.map(\.error) == [error] && outcomes(.firstByte).isEmpty)
                #expect(connects.map(\.error) == (transport.testDescription == "libcurl" ? [error] : []), "\(url)")
                #expect(zip(connects, downloads).allSatisfy { .zero < $0.duration && $0.duration <= $1.duration })
            }
        }
    }

    /// A missing response isn't a failure of the connection.
    @Test(arguments: RealTransport.curl)
    func connectionWithoutAHead_isReported_asMade(transport: RealTransport) async throws {
        let server = try LoopbackServer { request in
            request.path == "/rubbish" ? .raw(Data("rubbish without a head".utf8)) : .redirect(to: "ftp://host.test/a")
        }
        let hangingUp = try HangingUpServer.Manner.allCases.map { try HangingUpServer($0) }
        let lost = try hangingUp.map { try #require(URL(string: "http://127.0.0.1:\($0.port)/a")) }
        var configuration = fixture.configuration
        configuration.clock = ContinuousClock()
        configuration.disk = nil
        configuration.dataLoader = transport.make(TransportSettings())
        configuration.download.idleTimeout = .seconds(3_600)
        let loader = ImageLoader(configuration)
        for url in lost + [server.url("/rubbish"), server.url("/away")] {
            recorder.removeAll()
            let error = await #expect(throws: ImageLoaderError.self) { try await loader.image(for: url) }
            let ends = recorder.events.compactMap { event -> LoadStage? in
                if case .ended(let stage, _) = event.kind { stage } else { nil }
            }
            #expect(ends == [.memory, .connect, .download], "\(url)")
            let (connects, downloads) = (outcomes(.connect), outcomes(.download))
            #expect(connects.map(\.error) == [nil] && downloads.map(\.error) == [error])
            #expect(zip(connects, downloads).allSatisfy { .zero < $0.duration && $0.duration <= $1.duration })
        }
        withExtendedLifetime((server, hangingUp)) {}
    }

    @Test(arguments: RealTransport.curl, [ImageLoaderError.cancelled, .timedOut(.total)])
    func requestThatEndsBeforeItsHead_reportsItsConnection(
        transport: RealTransport, error: ImageLoaderError
    ) async throws {
        let server = try LoopbackServer()
        let loader = self.loader {
            $0.disk = nil
            $0.dataLoader = transport.make(TransportSettings())
            $0.download.idleTimeout = .seconds(3_600)
            $0.download.totalTimeout = .seconds(10)
        }
        let task = loader.imageTask(for: ImageRequest(url: server.url("/a")))
        let exchange = try await server.nextRequest()
        if error == .cancelled {
            task.cancel()
        } else {
            try await clock.sleeper(until: .init(offset: .seconds(10)))
            clock.advance(by: .seconds(10))
        }
        await untilReported { if case .ended(.download, _) = $0 { true } else { false } }
        #expect(outcomes(.connect, of: task.id).map(\.error) == [nil])
        #expect(outcomes(.download, of: task.id).map(\.error) == [error] && outcomes(.firstByte).isEmpty)
        withExtendedLifetime((server, exchange)) {}
    }

    @Test(arguments: RealTransport.curl)
    func cancelledConnection_isReported(transport: RealTransport) async throws {
        let port = try SilentPort()
        var configuration = fixture.configuration
        configuration.dataLoader = transport.make(TransportSettings())
        configuration.download.idleTimeout = .seconds(3_600)
        let loader = ImageLoader(configuration)
        let task = loader.imageTask(for: ImageRequest(url: port.url("/a")))
        while !Task.isCancelled, !port.isConnected { await Task.yield() }
        task.cancel()
        await untilReported { if case .ended(.download, _) = $0 { true } else { false } }
        #expect(outcomes(.connect, of: task.id).map(\.error) == [.cancelled])
    }

    /// libcurl repeats the request over a new connection, whose certificate isn't trusted.
    @Test(.enabled(if: NginxServer.isInstalled), arguments: RealTransport.curl)
    func connectionThatReplacesALostOne_isReported_asFailed(transport: RealTransport) async throws {
        let origin = try LoopbackServer()
        let nginx = try NginxServer(files: ["one": png], proxying: origin.port)
        let untrusted = try TLSServer(files: [:], certificate: .selfSigned)
        let second = try #require(untrusted.url("/").port)
        let proxy = try ResettingProxy(to: nginx.securePort, second, resettingAfter: .max)
        let site = try #require(URL(string: "https://127.0.0.1:\(proxy.port)"))
        var settings = TransportSettings()
        settings.authorities = nginx.authority
        let loader = self.loader {
            $0.disk = nil
            $0.dataLoader = transport.make(settings)
            $0.download.idleTimeout = .seconds(3_600)
        }
        _ = try await loader.image(for: site.appending(path: "one"))
        recorder.removeAll()
        let task = loader.imageTask(for: ImageRequest(url: site.appending(path: "proxied/two")))
        let exchange = try await origin.nextRequest()
        nginx.stop()
        let error = await #expect(throws: ImageLoaderError.self) { try await task.value }
        guard case .connectionFailed(.insecure, _) = error else { return must(false, "\(error as Any)") }
        #expect(outcomes(.connect).map(\.error) == [error] && outcomes(.download).map(\.error) == [error])
        withExtendedLifetime((exchange, proxy, untrusted)) {}
    }

    /// Nothing was connected to, so there is no such stage.
    @Test(arguments: RealTransport.curl)
    func refusedRequest_reportsNoConnection(transport: RealTransport) async throws {
        var configuration = fixture.configuration
        var settings = TransportSettings()
        settings.authorities = URL(fileURLWithPath: "/nowhere/authorities.pem")
        configuration.dataLoader = transport.make(settings)
        let loader = ImageLoader(configuration)
        let url = try #require(URL(string: "https://images.test/a.png"))
        let error = await #expect(throws: ImageLoaderError.self) { try await loader.image(for: url) }
        #expect(error?.kind == .unsupportedConfiguration)
        #expect(outcomes(.download).map(\.error) == [error] && outcomes(.connect).isEmpty)
    }

    @Test func invalidRequest_isReportedAlike_withAndWithoutAHandle() async throws {
        let (loader, url) = (self.loader(), try #require(URL(string: "ftp://host.test/a.png")))
        await #expect(throws: ImageLoaderError.unsupportedScheme("ftp")) { try await loader.image(for: url) }
        let task = loader.imageTask(for: url)
        #expect(task.result != nil)
        #expect(outcomes(.memory).count == 2 && outcomes(.memory, of: task.id).count == 1)
    }

    // MARK: Flags

    @Test func caches_areNamed() async throws {
        let loader = self.loader()
        let first = loader.imageTask(for: try .test())
        try await transport.nextCall().answer(png)
        _ = try await first.value
        await loader.flush()
        #expect(outcomes(.disk, of: first.id) == [StageOutcome(duration: .zero)])
        let second = loader.imageTask(for: try .test())
        _ = try await second.value
        // Reported in a later turn.
        await fixture.events.wait { $0.count { if case .loaded = $0 { true } else { false } } == 2 }
        #expect(outcomes(.memory, of: second.id).map(\.flags) == [.cached])
        let third = self.loader().imageTask(for: try .test())
        _ = try await third.value
        #expect(
            outcomes(.disk, of: third.id) == [StageOutcome(duration: .zero, bytes: png.count, flags: .cached)])
        let ends = recorder.events.compactMap { event -> LoadFlags? in
            if case .loaded(_, _, let outcome) = event.kind { outcome.flags } else { nil }
        }
        #expect(ends == [[], .cached, .cached])
        let metrics = await loader.metrics
        #expect(metrics.disk?.reads.count == 0 && metrics.memory.hits == 1)
    }

    @Test func joiner_isFlagged_andHasNoStages() async throws {
        let loader = self.loader()
        let first = loader.imageTask(for: try .test())
        let call = try await transport.nextCall()
        let second = loader.imageTask(for: try .test())
        await fixture.untilCoalesced(1)
        call.answer(png)
        _ = try await (first.value, second.value)
        await first.end()
        await second.end()
        let events = recorder.events.filter { $0.load == second.id }
        #expect(events.count == 4)
        guard case .requested = events[0].kind, case .ended(.memory, _) = events[1].kind,
            case .coalesced(let leader) = events[2].kind, case .loaded(_, .network, let end) = events[3].kind
        else { return must(false, "\(events)") }
        #expect(leader == first.id && end.flags == .coalesced)
        #expect(await loader.metrics.coalescedLoads == 1)
    }

    @Test func confirmation_isFlagged_andTheStaleEntryToo() async throws {
        let loader = self.loader()
        let headers: HTTPHeaders = ["ETag": "\"1\"", "Cache-Control": "no-cache"]
        let first = loader.imageTask(for: try .test())
        try await transport.nextCall().answer(png, headers: headers)
        _ = try await first.value
        await loader.flush()
        let restarted = self.loader()
        let second = restarted.imageTask(for: try .test())
        let call = try await transport.nextCall()
        call.respond(status: 304, headers: headers)
        call.finish()
        #expect(try await second.value.source == .disk)
        #expect(outcomes(.disk, of: second.id).map(\.flags) == [.stale, .cached])
        #expect(
            outcomes(.download, of: second.id) == [StageOutcome(duration: .zero, bytes: 0, flags: .revalidated)])
    }

    @Test func resumedDownload_isFlagged_andTheFailedAttemptHasAnEnd() async throws {
        let loader = self.loader { $0.download.retry = .atOnce() }
        let task = loader.imageTask(for: try .test())
        let broken = try await transport.nextCall()
        let headers: HTTPHeaders = ["ETag": "\"1\"", "Accept-Ranges": "bytes"]
        broken.respond(headers: headers, expectedBytes: png.count)
        broken.send(png.prefix(20))
        broken.fail(.timedOut(.idle))
        let call = try await transport.nextCall()
        var rest = headers
        rest["Content-Range"] = "bytes 20-\(png.count - 1)/\(png.count)"
        call.respond(status: 206, headers: rest, expectedBytes: png.count - 20)
        call.send(png.dropFirst(20))
        call.finish()
        _ = try await task.value
        let told = outcomes(.download, of: task.id)
        #expect(told.map(\.error) == [.timedOut(.idle), nil] && told.map(\.bytes) == [20, png.count])
        #expect(told.map(\.flags) == [[], .resumed])
        let order = recorder.events.compactMap { event -> String? in
            switch event.kind {
            case .began(.download): "began"
            case .ended(.download, _): "ended"
            case .retried: "retried"
            case .resumed: "resumed"
            default: nil
            }
        }
        #expect(order == ["began", "ended", "retried", "began", "resumed", "ended"])
    }

    @Test func fallbackOfItsOwn_isNotFlaggedAsShared() async throws {
        let loader = self.loader()
        let first = loader.imageTask(for: try .test("bad"))
        let call = try await transport.nextCall()
        let mirror = try URL.test("good")
        let second = loader.imageTask(for: try .test("bad") { $0.fallbacks = [mirror] })
        await fixture.untilCoalesced(1)
        call.respond(status: 404)
        await first.end()
        try await transport.nextCall().answer(png)
        _ = try await second.value
        await second.end()
        let ends = recorder.events.compactMap { event -> LoadFlags? in
            if case .loaded(_, _, let outcome) = event.kind { outcome.flags } else { nil }
        }
        #expect(ends == [[]])
    }

    // MARK: Errors

    @Test func failures_areThoseOfTheirStage() async throws {
        let loader = self.loader()
        let missing = loader.imageTask(for: try .test("missing"))
        (try await transport.nextCall()).respond(status: 404)
        await missing.end()
        #expect(outcomes(.download, of: missing.id).map(\.error) == [.badStatus(404)])
        #expect(outcomes(.firstByte, of: missing.id).map(\.error) == [.badStatus(404)])
        let rubbish = loader.imageTask(for: try .test("rubbish"))
        let call = try await transport.nextCall()
        call.respond(expectedBytes: 5)
        call.send(Data("hello".utf8))
        call.finish()
        await rubbish.end()
        let error = try #require(outcomes(.decode, of: rubbish.id).first?.error)
        guard case .notAnImage = error else { return must(false, "\(error)") }
        #expect(outcomes(.download, of: rubbish.id).map(\.error) == [nil])
        let ends = recorder.events.compactMap { event -> ImageLoaderError? in
            if case .failed(_, let outcome) = event.kind { outcome.error } else { nil }
        }
        #expect(ends == [.badStatus(404), error])
    }

    @Test func cancelledLoad_endsItsStages() async throws {
        let loader = self.loader()
        let task = loader.imageTask(for: try .test())
        let call = try await transport.nextCall()
        task.cancel()
        try await call.cancelled()
        await untilReported { if case .ended(.download, _) = $0 { true } else { false } }
        #expect(outcomes(.download, of: task.id).map(\.error) == [.cancelled])
        await task.end()
        guard case .failed(_, let end)? = recorder.events.last(where: { $0.load == task.id && $0.isEnd })?.kind else {
            return must(false, "\(recorder.events)")
        }
        #expect(end.error == .cancelled)
    }

    @Test func processing_isAStage() async throws {
        let loader = self.loader { $0.disk = nil }
        var request = try ImageRequest.test()
        request.processors = [GrayProcessor()]
        let task = loader.imageTask(for: request)
        try await transport.nextCall().answer(png)
        _ = try await task.value
        #expect(outcomes(.process, of: task.id) == [StageOutcome(duration: .zero)])
        #expect(await loader.metrics.decoding.processes.count == 1)
    }

    /// The second load waits for what the first processor of the first one makes.
    @Test func sharedProcessors_areReported() async throws {
        let loader = self.loader { $0.disk = nil }
        let runs = CountingProcessor.Runs()
        let loads = try [2, 3].map { last in
            loader.imageTask(for: try .test { $0.processors = [1, last].map { CountingProcessor($0, runs) } })
        }
        let call = try await transport.nextCall()
        await fixture.untilCoalesced(1)
        call.answer(png)
        for load in loads { _ = try await load.value }
        let pairs = recorder.events.compactMap { event -> Set<LoadID?>? in
            if case .coalesced(let leader) = event.kind { [event.load, leader] } else { nil }
        }
        #expect(pairs == [Set(loads.map(\.id))])
        #expect(runs.all.sorted() == [1, 2, 3] && outcomes(.process).count == 3)
    }

    @Test func storingWhatWasMade_isAStage() async throws {
        let loader = self.loader { $0.disk?.contents = .processed }
        let task = loader.imageTask(for: try .test { $0.processors = [GrayProcessor()] })
        try await transport.nextCall().answer(png)
        _ = try await task.value
        await loader.flush()
        let file = try #require(await loader.diskCache?.data(for: loader.key(for: task.request)))
        #expect(outcomes(.store, of: task.id).last == StageOutcome(duration: .zero, bytes: file.count))
        #expect(file != png)
    }

    /// A stale image that the server replaces isn't made by a load of its own.
    @Test func replacedImage_reportsItsProcessors() async throws {
        let loader = self.loader {
            $0.disk = nil
            $0.memory.reuseWindow = .zero
        }
        let runs = CountingProcessor.Runs()
        let request = try ImageRequest.test { $0.processors = [1, 2].map { CountingProcessor($0, runs) } }
        for version in ["1", "2"] {
            recorder.removeAll()
            let task = loader.imageTask(for: request)
            try await transport.nextCall().answer(
                png, headers: ["ETag": "\"\(version)\"", "Cache-Control": "no-cache"])
            let response = try await task.value
            #expect(response.source == .network && response.timings.process == .zero)
            #expect(outcomes(.process, of: task.id).count == 2)
        }
        #expect(runs.all == [1, 2, 1, 2])
        #expect(await loader.metrics.decoding.processes.count == 4)
    }

    @Test func bytes_areReported_asImagesAre() async throws {
        let loader = self.loader()
        for source in [ImageSource.network, .disk] {
            recorder.removeAll()
            let task = loader.dataTask(for: try .test())
            if source == .network { try await transport.nextCall().answer(png) }
            _ = try await task.value
            let own = recorder.events.filter { $0.load == task.id }
            guard case .requested? = own.first?.kind, case .loaded(_, source, let end)? = own.last?.kind else {
                return must(false, "\(own)")
            }
            #expect(end.bytes == png.count && end.flags == (source == .disk ? .cached : []))
            if source == .network {
                #expect(outcomes(.disk, of: task.id) == [StageOutcome(duration: .zero)])
                #expect(outcomes(.store, of: task.id) == [StageOutcome(duration: .zero, bytes: png.count)])
            } else {
                let found = StageOutcome(duration: .zero, bytes: png.count, flags: .cached)
                #expect(outcomes(.disk, of: task.id) == [found] && outcomes(.download).isEmpty)
            }
            await loader.flush()
        }
    }

    /// Two sizes of an image, and its bytes, are three loads of one download.
    @Test func sharedDownload_isReportedByThoseThatJoinIt() async throws {
        let loader = self.loader { $0.disk = nil }
        let first = loader.imageTask(for: try .test())
        let call = try await transport.nextCall()
        let small = loader.imageTask(for: try .test { $0.targetSize = PixelSize(width: 1, height: 1) })
        let bytes = loader.dataTask(for: try .test())
        await fixture.untilCoalesced(2)
        call.answer(png)
        _ = try await (first.value, small.value, bytes.value)
        for id in [small.id, bytes.id] {
            let events = recorder.events.filter { $0.load == id }
            let leaders = events.compactMap { event -> LoadID? in
                if case .coalesced(let leader) = event.kind { leader } else { nil }
            }
            #expect(leaders == [first.id] && outcomes(.download, of: id).isEmpty)
        }
        guard case .loaded(_, _, let end)? = recorder.events.last(where: { $0.load == bytes.id })?.kind else {
            return must(false, "\(recorder.events)")
        }
        #expect(end.flags == .coalesced)
    }

    @Test func allSinks_receiveEvents_andFilesAreRead() async throws {
        let other = LoadRecorder()
        let file = fixture.temporary.url.appendingPathComponent("a.png")
        try png.write(to: file)
        _ = try await loader { $0.eventSinks.append(other) }.image(for: file)
        #expect(other.events.map(\.time) == recorder.events.map(\.time) && !other.events.isEmpty)
        #expect(outcomes(.disk) == [StageOutcome(duration: .zero, bytes: png.count)])
    }

    // MARK: All together

    /// Random loads of images and bytes, some of them processed, stale, confirmed, retried or cancelled: each stage
    /// that begins ends once, before the next one of its kind, and each load once.
    @Test func everyStageThatBegins_ends() async throws {
        var random = SeededRandom(seed: Fuzz.seed)
        let png = png
        let dice = Recorder<Int>()
        let scripted = ScriptedDataLoader { request in
            dice.record(1)
            let isKnown = request.headers["If-None-Match"] != nil
            return switch request.url.path.count % 6 {
            case 0: .status(404)
            case 1: .bytes(Data("rubbish".utf8))
            case 2: dice.values.count % 3 == 0 ? .bytes(png) : .status(503)
            case 3 where isKnown && dice.values.count % 2 == 0:
                .status(304, headers: ["ETag": "\"1\"", "Cache-Control": "no-cache"])
            case 3: .bytes(png, headers: ["ETag": "\"1\"", "Cache-Control": "no-cache"])
            default: .bytes(png)
            }
        }
        let loader = self.loader {
            $0.dataLoader = scripted
            $0.download.maximumConcurrentDownloads = 2
            $0.download.retry = .atOnce()
            $0.memory.maximumCount = 3
        }
        var tasks: [AnyLoad] = []
        for _ in 0..<400 {
            let request = try self.request(&random)
            let task: AnyLoad =
                Int.random(in: 0..<4, using: &random) == 0
                ? AnyLoad(loader.dataTask(for: request)) : AnyLoad(loader.imageTask(for: request))
            tasks.append(task)
            if Int.random(in: 0..<3, using: &random) == 0 { task.cancel() }
            if Int.random(in: 0..<8, using: &random) == 0 { await task.end() }
        }
        for task in tasks { await task.end() }
        await loader.flush()
        while await loader.downloads.statistics.running > 0, !Task.isCancelled { await Task.yield() }
        // What is cancelled ends behind its callers.
        var open: [String] = []
        repeat {
            await Task.yield()
            open = try openStages()
        } while !open.isEmpty && !Task.isCancelled
        let ends = recorder.events.filter(\.isEnd).compactMap(\.load)
        #expect(Set(ends) == Set(tasks.map(\.id)) && ends.count == tasks.count && dice.values.count > 20)
        for stage in LoadStage.allCases where ![.connect, .queued, .offline, .encode].contains(stage) {
            #expect(!outcomes(stage).isEmpty, "\(stage)")
        }
        #expect(recorder.droppedCount == 0)
    }

    private func request(_ random: inout SeededRandom) throws -> ImageRequest {
        let name = String(repeating: "x", count: Int.random(in: 1...12, using: &random))
        var request = try ImageRequest.test(name)
        let processors: [any ImageProcessing] = [GrayProcessor(), .blur(radius: 1), .circle()]
        request.processors = Array(processors.prefix(Int.random(in: 0...3, using: &random)))
        return request
    }

    private struct AnyLoad {
        let id: LoadID
        let cancel: () -> Void
        let end: () async -> Void

        init<Value>(_ task: LoadTask<Value>) {
            (id, cancel) = (task.id, task.cancel)
            end = { await task.end() }
        }
    }

    /// The stages that have begun and not ended. Throws if one begins or ends twice.
    private func openStages() throws -> [String] {
        var open: Set<String> = []
        for event in recorder.events {
            guard let load = event.load else { continue }
            switch event.kind {
            case .began(let stage): try #require(open.insert("\(load) \(stage)").inserted)
            case .ended(let stage, _) where ![.memory, .connect, .firstByte].contains(stage):
                try #require(open.remove("\(load) \(stage)") != nil)
            default: break
            }
        }
        return open.sorted()
    }
}

extension LoadEvent {
    fileprivate var isEnd: Bool {
        switch kind {
        case .loaded, .failed: true
        default: false
        }
    }
}
