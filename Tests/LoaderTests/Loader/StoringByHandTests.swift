import Alcedo
import AlcedoTestSupport
import Foundation
import Synchronization
import Testing

@testable import TestFixtures

/// Pictures and bytes that a program stores by itself, and what happens meanwhile.
@Suite(.timeLimit(.minutes(1)), .overEachStore) struct StoringByHandTests {
    private let fixture: LoaderFixture

    init() throws {
        let picture = try Pictures.png(40, 30)
        fixture = try LoaderFixture(ScriptedDataLoader { _ in .bytes(picture) })
    }

    private func image(_ width: Int, _ height: Int = 4) throws -> DecodedImage {
        DecodedImage(bitmap: try Pictures.plain(width, height))
    }

    /// The widths of what is in memory and on disk; nil where there is nothing.
    private func kept(_ loader: ImageLoader, _ request: ImageRequest) async throws -> [Int?] {
        await loader.flush()
        let memory = loader.cachedImage(for: request)?.size.width
        var only = request
        only.readPolicy = .cachedOnly
        do {
            return [memory, try await fixture.makeLoader().image(for: only).size.width]
        } catch ImageLoaderError.notCached {
            return [memory, nil]
        }
    }

    // MARK: Processors

    /// As if the bytes had been downloaded.
    @Test(arguments: [CacheTiers?.none, .memory, .disk])
    func storedBytes_areProcessed(tiers: CacheTiers?) async throws {
        let runs = CountingProcessor.Runs()
        var configuration = fixture.configuration
        configuration.processors = [CountingProcessor(1, runs)]
        let loader = fixture.makeLoader(configuration)
        let file = try Pictures.png(6, 4)
        for (number, chain) in [[1], [1, 2, 3]].enumerated() {
            let request = try ImageRequest.test("\(number)") {
                $0.processors = chain.dropFirst().map { CountingProcessor($0, runs) }
            }
            let before = runs.all.count
            try await loader.store(file, for: request, in: tiers)
            #expect(runs.all.dropFirst(before) == (tiers == .disk ? [] : chain[...]))
            let plain = try ImageDecoders.builtIn.decode(file).bitmap[0, 0].x
            let made = chain.reduce(plain) { $0 &* 3 &+ UInt8($1) }
            if tiers != .disk { #expect(loader.cachedImage(for: request)?.bitmap[0, 0].x == made) }
            #expect(try await loader.image(for: request).bitmap[0, 0].x == made)
            #expect(runs.all.dropFirst(before) == chain[...])
            if tiers != .memory { #expect(try await loader.data(for: request) == file) }
        }
        #expect(fixture.transport.callCount == 0)
    }

    private struct Broken: Error {}

    @Test func bytesThatAProcessorRefuses_areNotStored() async throws {
        let runs = CountingProcessor.Runs()
        runs.gate.withLock { $0 = { _ in throw Broken() } }
        let request = try ImageRequest.test { $0.processors = [CountingProcessor(1, runs)] }
        let loader = fixture.makeLoader()
        await #expect {
            try await loader.store(Pictures.png(5, 4), for: request)
        } throws: {
            ($0 as? ImageLoaderError)?.kind == .processingFailed
        }
        #expect(runs.all == [1])
        #expect(try await kept(loader, .test()) == [nil, nil])
    }

    // MARK: A picture with its file

    @Test(arguments: [CacheTiers?.none, .memory, .disk, .all])
    func imageWithFile_isStored_inItsTiers(tiers: CacheTiers?) async throws {
        let loader = fixture.makeLoader()
        let picture = try image(5)
        // Another width, so that what is found tells where it was.
        let file = try Pictures.jpeg(6, 4)
        try await loader.store(picture, data: file, for: .test(), in: tiers)
        let wanted: [Int?] = [tiers == .disk ? nil : 5, tiers == .memory ? nil : 6]
        #expect(try await kept(loader, .test()) == wanted)
        if tiers != .memory {
            #expect(try await loader.data(for: .test()) == file)
            let entry = try #require(await loader.storedEntries().first)
            #expect(entry.format == .jpeg && entry.size == PixelSize(width: 6, height: 4) && !entry.isProcessed)
        }
        #expect(fixture.transport.callCount == 0)
    }

    @Test func scaledImageWithFile_providesAllSizes() async throws {
        let loader = fixture.makeLoader()
        let request = try ImageRequest.test {
            $0.targetSize = PixelSize(width: 8, height: 8)
            $0.tags = ["mine"]
        }
        _ = try await loader.image(for: .test())
        try await loader.store(image(8), data: Pictures.png(64, 32), for: request)
        #expect(try await kept(loader, request) == [8, 8])
        #expect(loader.cachedImage(for: try .test()) == nil)
        #expect(try await loader.image(for: .test()).size.width == 64)
        try await loader.remove(.tag("mine"))
        #expect(try await loader.storedEntries().isEmpty)
    }

    @Test func unstorableImageWithFile_isRejected_andNothingChanges() async throws {
        let loader = fixture.makeLoader()
        _ = try await loader.image(for: .test())
        let (picture, png) = (try image(5), try Pictures.png(5, 4))
        await #expect(throws: ImageLoaderError.emptyBody) {
            try await loader.store(picture, data: Data(), for: .test())
        }
        await #expect {
            try await loader.store(picture, data: Data("no picture".utf8), for: .test())
        } throws: {
            if case ImageLoaderError.notAnImage = $0 { true } else { false }
        }
        await #expect {
            try await loader.store(picture, data: png.prefix(20), for: .test())
        } throws: {
            if case ImageLoaderError.corruptImage(.png, _) = $0 { true } else { false }
        }
        await #expect(
            throws: ImageLoaderError.unsupportedConfiguration("only what a web server would send is looked for on disk")
        ) {
            try await loader.store(picture, data: png, for: ImageRequest(data: png, id: "x"), in: .all)
        }
        #expect(try await kept(loader, .test()) == [40, 40])
        // By itself it goes where it is looked for.
        let mine = ImageRequest(data: png, id: "x")
        try await loader.store(picture, data: png, for: mine)
        #expect(loader.cachedImage(for: mine)?.bitmap === picture.bitmap)
    }

    // MARK: Meanwhile

    /// A loader whose decodes wait; what is stored as bytes is decoded first.
    private func gatedLoader(_ width: Int = 2) -> (ImageLoader, GatedDecoder) {
        var configuration = fixture.configuration
        let decoder = GatedDecoder()
        configuration.decode.decoders = ImageDecoders([decoder])
        configuration.decode.maximumConcurrentDecodes = width
        return (fixture.makeLoader(configuration), decoder)
    }

    @Test(arguments: ["key", "all", "prefix"])
    func removal_winsOverEarlierStore(kind: String) async throws {
        let (loader, decoder) = gatedLoader()
        let bytes = try Pictures.png(5, 4)
        let storing = Task { try await loader.store(bytes, for: .test()) }
        await decoder.gate.arrivals(1)
        switch kind {
        case "key": await loader.remove(try .test())
        case "all": await loader.removeAll()
        default: try await loader.remove(.prefix("http://host.test/"))
        }
        decoder.gate.open()
        try await storing.value
        #expect(try await kept(loader, .test()) == [nil, nil])
        // One that begins afterwards is kept.
        try await loader.store(bytes, for: .test())
        #expect(try await kept(loader, .test()) == [5, 5])
    }

    @Test func laterStore_wins() async throws {
        let (loader, decoder) = gatedLoader()
        let (early, late) = (try Pictures.png(5, 4), try Pictures.png(6, 4))
        let first = Task { try await loader.store(early, for: .test()) }
        await decoder.gate.arrivals(1)
        let later = ThreadGate()
        decoder.setGate(later)
        let second = Task { try await loader.store(late, for: .test()) }
        await later.arrivals(1)
        decoder.gate.open()
        try await first.value
        #expect(try await kept(loader, .test()) == [nil, nil])
        later.open()
        try await second.value
        #expect(try await kept(loader, .test()) == [6, 6])
    }

    @Test func loadDuringStore_doesNotUndoIt() async throws {
        let transport = ScriptedDataLoader()
        var configuration = fixture.configuration
        let decoder = GatedDecoder()
        configuration.dataLoader = transport
        configuration.decode.decoders = ImageDecoders([decoder])
        configuration.decode.maximumConcurrentDecodes = 2
        let loader = fixture.makeLoader(configuration)
        let bytes = try Pictures.png(5, 4)
        let storing = Task { try await loader.store(bytes, for: .test()) }
        await decoder.gate.arrivals(1)
        let loading = Task { try await loader.image(for: ImageRequest.test()) }
        let call = try await transport.nextCall()
        decoder.gate.open()
        try await storing.value
        call.respond()
        call.send(try Pictures.png(40, 30))
        call.finish()
        #expect(try await loading.value.size.width == 40)
        #expect(try await kept(loader, .test()) == [5, 5])
    }
}
