import AlcedoTestSupport
import Foundation
import Testing

@testable import Alcedo
@testable import TestFixtures

/// Bodies that come faster than they are decoded.
@Suite(.timeLimit(.minutes(1))) struct BodyBudgetLoadTests {
    private let png: Data
    private let decoder = GatedDecoder()
    private let transport: ScriptedDataLoader
    private var fixture: LoaderFixture
    private let width = 4

    init() throws {
        let png = try Pictures.png()
        self.png = png
        transport = ScriptedDataLoader { request in request.url.path == "/manual.png" ? .manual : .bytes(png) }
        fixture = try LoaderFixture(transport)
        fixture.configuration.download.maximumConcurrentDownloads = width
        fixture.configuration.decode.maximumConcurrentDecodes = 1
        fixture.configuration.decode.decoders = ImageDecoders([decoder])
        fixture.configuration.download.bodyBudget = BodyBudget(byteLimit: 3 * png.count)
    }

    private func load(_ count: Int, _ loader: ImageLoader) throws -> [Task<DecodedImage, any Error>] {
        try (0..<count).map { number in
            let request = try ImageRequest.test("\(number).png")
            return Task { try await loader.image(for: request) }
        }
    }

    /// Waits until as many bodies have come as may come before one is decoded.
    private func untilFull(_ loader: ImageLoader, queued: Int) async {
        let (budget, downloads) = (loader.path.bodyBudget, loader.path.downloads)
        while !Task.isCancelled {
            let statistics = await downloads.statistics
            let isQuiet = statistics.running == 0 && statistics.queued + transport.callCount == queued
            if isQuiet, budget.byteCount >= 3 * png.count { return }
            await Task.yield()
        }
    }

    @Test func downloadsWait_whileTooManyBytesWait() async throws {
        let loader = fixture.makeLoader()
        let loads = try load(40, loader)
        await untilFull(loader, queued: 40)
        // The limit, and a body for each download that had started by then.
        #expect(loader.path.bodyBudget.byteCount <= (3 + width) * png.count)
        #expect(loader.path.bodyBudget.byteCount == transport.callCount * png.count)
        decoder.gate.open()
        for load in loads { _ = try await load.value }
        #expect(transport.callCount == 40)
        #expect(loader.path.bodyBudget.byteCount == 0)
    }

    @Test func bodyAboveLimit_loadsAlone() async throws {
        var fixture = fixture
        fixture.configuration.download.bodyBudget = BodyBudget(byteLimit: 1)
        fixture.configuration.download.maximumConcurrentDownloads = 1
        let loader = fixture.makeLoader()
        let loads = try load(5, loader)
        await decoder.gate.arrivals(1)
        #expect(transport.callCount == 1)
        decoder.gate.open()
        for load in loads { _ = try await load.value }
        #expect(loader.path.bodyBudget.byteCount == 0)
    }

    @Test func returnedBytes_doNotCount() async throws {
        let loader = fixture.makeLoader()
        for number in 0..<10 { _ = try await loader.data(for: .test("\(number).png")) }
        #expect(loader.path.bodyBudget.byteCount == 0)
    }

    @Test func receivedBytes_count_untilLoadIsCancelled() async throws {
        let loader = fixture.makeLoader()
        let load = Task { try await loader.image(for: .test("manual.png")) }
        let call = try await transport.nextCall()
        call.respond(expectedBytes: png.count)
        call.send(png.prefix(10))
        try await call.delivered()
        #expect(loader.path.bodyBudget.byteCount == 10)
        load.cancel()
        while loader.path.bodyBudget.byteCount > 0, !Task.isCancelled { await Task.yield() }
        #expect(loader.path.bodyBudget.byteCount == 0)
    }

    @Test func cancelStorm_leavesNoReservation() async throws {
        let loader = fixture.makeLoader()
        for round in 0..<20 {
            if round == 10 { decoder.gate.open() }
            let loads = try load(30, loader)
            for (number, load) in loads.enumerated() {
                if number % 3 == round % 3 { await Task.yield() }
                load.cancel()
            }
            for load in loads { _ = await load.result }
        }
        // What was decoded meanwhile is in memory and on disk; the others wind down.
        while loader.path.bodyBudget.byteCount > 0, !Task.isCancelled { await Task.yield() }
        #expect(loader.path.bodyBudget.byteCount == 0)
        _ = try await loader.image(for: .test("last.png"))
        #expect(loader.path.bodyBudget.byteCount == 0)
    }

    @Test func undecodableBodies_releaseTheirShares() async throws {
        let rubbish = ScriptedDataLoader { _ in .bytes(Data("no picture".utf8)) }
        let fixture = try LoaderFixture(rubbish)
        let loader = fixture.makeLoader()
        for number in 0..<5 { _ = try? await loader.image(for: .test("\(number).png")) }
        #expect(loader.path.bodyBudget.byteCount == 0)
    }

    @Test func filesAreNotRead_whileTooManyBytesWait() async throws {
        let loader = fixture.makeLoader()
        let directory = fixture.temporary.url
        let loads = try (0..<40).map { number in
            let file = directory.appendingPathComponent("\(number).png")
            try png.write(to: file)
            return Task { try await loader.image(for: ImageRequest(url: file)) }
        }
        let budget = loader.path.bodyBudget
        while budget.waitingReads == 0 || budget.byteCount < 3 * png.count, !Task.isCancelled {
            await Task.yield()
        }
        #expect(budget.byteCount <= (3 + 16) * png.count)
        decoder.gate.open()
        for load in loads { _ = try await load.value }
        #expect(budget.byteCount == 0)
        #expect(transport.callCount == 0)
    }

    @Test func imagesFromDisk_count_andAreFoundAgain() async throws {
        let loader = fixture.makeLoader()
        decoder.gate.open()
        for load in try load(40, loader) { _ = try await load.value }
        await loader.flush()
        let next = fixture.makeLoader()
        let gate = ThreadGate()
        decoder.setGate(gate)
        let loads = try load(40, next)
        let budget = next.path.bodyBudget
        while budget.waitingReads == 0 || budget.byteCount < 3 * png.count, !Task.isCancelled {
            await Task.yield()
        }
        #expect(budget.byteCount <= (3 + 16) * png.count)
        gate.open()
        for load in loads { _ = try await load.value }
        #expect(budget.byteCount == 0)
        #expect(transport.callCount == 40)
    }

    @Test func imagesFromDiskFilesAndServers_load_whileALargeBodyIsSilent() async throws {
        var fixture = fixture
        let limit = 128 * png.count
        fixture.configuration.download.bodyBudget = BodyBudget(byteLimit: limit)
        decoder.gate.open()
        let earlier = fixture.makeLoader()
        _ = try await earlier.image(for: .test("stored.png"))
        await earlier.flush()
        let file = fixture.temporary.url.appendingPathComponent("file.png")
        try png.write(to: file)
        let loader = fixture.makeLoader()
        let silent = Task { try await loader.image(for: .test("manual.png")) }
        let call = try await transport.nextCall()
        call.respond(expectedBytes: limit)
        call.send(png + Data(count: limit - png.count))
        try await call.delivered()
        #expect(loader.path.bodyBudget.byteCount == limit)
        for request in try [ImageRequest.test("stored.png"), ImageRequest(url: file), .test("new.png")] {
            _ = try await loader.image(for: request)
        }
        #expect(loader.path.bodyBudget.byteCount == limit)
        silent.cancel()
        _ = await silent.result
    }

    /// Its read would wait for the room that the download takes up.
    @Test func handleOfAnotherSize_sharesTheDownload_andReadsNoStaleEntry() async throws {
        let transport = ScriptedDataLoader()
        var fixture = try LoaderFixture(transport)
        fixture.configuration.download.bodyBudget = BodyBudget(byteLimit: 1)
        let stale: HTTPHeaders = ["ETag": "\"1\"", "Cache-Control": "max-age=0"]
        let earlier = fixture.makeLoader()
        let first = Task { try await earlier.image(for: .test()) }
        try await transport.nextCall().answer(png, headers: stale)
        _ = try await first.value
        await earlier.flush()
        let loader = fixture.makeLoader()
        let second = Task { try await loader.image(for: .test()) }
        let call = try await transport.nextCall()
        call.respond(headers: stale, expectedBytes: png.count)
        call.send(png.prefix(10))
        try await call.delivered()
        let handle = loader.imageTask(for: try .test { $0.targetSize = .init(width: 1, height: 1) })
        call.send(png.dropFirst(10))
        call.finish()
        _ = try await (second.value, handle.value)
        #expect(transport.callCount == 2)
        #expect(loader.path.bodyBudget.byteCount == 0)
    }
}
