import AlcedoTestSupport

#if os(Linux) && JPEG && PNG
import Foundation
import Testing

import Alcedo
@testable import TestFixtures

/// Damaged images that are shown nevertheless, and stored nowhere.
@Suite(.timeLimit(.minutes(1))) struct DamagedImageLoadTests {
    private let fixture: LoaderFixture
    private let whole: Data
    private let cut: Data

    init() throws {
        let whole = try Pictures.jpeg(64, 96)
        let cut = Data(whole.prefix(whole.count * 2 / 3))
        (self.whole, self.cut) = (whole, cut)
        fixture = try LoaderFixture(
            ScriptedDataLoader { _ in .bytes(cut, headers: ["Cache-Control": "max-age=60"]) })
    }

    private func loader(
        _ contents: DiskContents = .both, _ damaged: DecodeRequest.Damaged = .showWhatIsThere
    ) -> ImageLoader {
        var configuration = fixture.configuration
        configuration.decode.damaged = damaged
        configuration.disk?.contents = contents
        return ImageLoader(configuration, calls: fixture.calls)
    }

    @Test func damagedImage_isAnErrorByDefault() async throws {
        #expect(await failure { try await loader(.both, .refuse).image(for: .test()) } == .corruptImage)
    }

    @Test(arguments: [DiskContents.originals, .processed, .both], [false, true])
    func incompleteImage_isStoredNowhere(_ contents: DiskContents, _ isProcessed: Bool) async throws {
        let loader = loader(contents)
        let runs = CountingProcessor.Runs()
        let request = try ImageRequest.test {
            if isProcessed { $0.processors = [CountingProcessor(1, runs), CountingProcessor(2, runs)] }
        }
        for count in 1...2 {
            let response = try await loader.response(for: request)
            #expect(!response.image.isComplete && response.source == .network)
            #expect(response.image.size == PixelSize(width: 64, height: 96))
            await loader.flush()
            #expect(fixture.transport.callCount == count)
            #expect(loader.cachedImage(for: request) == nil)
            #expect(await loader.diskEntry(for: request) == nil)
            #expect(await !loader.contains(request))
            #expect(await loader.diskCache?.entries().isEmpty == true)
        }
        #expect(fixture.cacheFailures.isEmpty)
    }

    /// Bytes are stored as they are; what is shown of them isn't.
    @Test(arguments: [false, true])
    func partOfStoredBytes_isNotStored(_ isProcessed: Bool) async throws {
        let loader = loader()
        let request = try ImageRequest.test {
            if isProcessed { $0.processors = [CountingProcessor(1, CountingProcessor.Runs())] }
        }
        #expect(try await loader.data(for: request) == cut)
        await loader.flush()
        for _ in 0..<2 {
            let response = try await loader.response(for: request)
            #expect(!response.image.isComplete && response.source == .disk)
            await loader.flush()
            #expect(loader.cachedImage(for: request) == nil)
            #expect(await loader.diskCache?.entries().count == 1)
        }
        #expect(fixture.transport.callCount == 1)
        // A loader that refuses it doesn't find it, and has the same bytes.
        #expect(await failure { try await self.loader(.both, .refuse).image(for: request) } == .corruptImage)
    }

    @Test func localFile_isShownInPart_andNotStored() async throws {
        let request = ImageRequest(data: cut, id: "part")
        let loader = loader()
        #expect(try await loader.image(for: request).isComplete == false)
        #expect(loader.cachedImage(for: request) == nil)
    }

    @Test func wholeImage_isStoredAsEver() async throws {
        let loader = loader()
        try await loader.store(whole, for: .test())
        #expect(try await loader.image(for: .test()).isComplete)
        #expect(fixture.transport.callCount == 0)
    }

    @Test func incompleteImage_cannotBeStoredByHand() async throws {
        let loader = loader()
        let part = try await loader.image(for: .test())
        let error = ImageLoaderError.unsupportedConfiguration("an incomplete image can't be stored")
        for tiers in [CacheTiers.memory, .disk] {
            await #expect(throws: error) { try await loader.store(part, for: .test(), in: tiers) }
            await #expect(throws: error) { try await loader.store(part, data: cut, for: .test(), in: tiers) }
            await #expect(throws: error) { try await loader.store(cut, for: .test(), in: tiers) }
        }
        #expect(loader.cachedImage(for: try .test()) == nil)
        #expect(await loader.diskCache?.entries().isEmpty == true)
    }

    @Test func loadersOfBothSettings_haveKeysOfTheirOwn() throws {
        let request = try ImageRequest.test()
        #expect(loader().key(for: request) != loader(.both, .refuse).key(for: request))
    }
}
#endif
