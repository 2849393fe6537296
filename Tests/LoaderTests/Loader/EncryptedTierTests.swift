#if canImport(Darwin) || os(Linux) && Encryption
import AlcedoTestSupport
import Foundation
import Synchronization
import Testing

@testable import Alcedo
@testable import TestFixtures

/// Loaders whose files are encrypted.
@Suite(.timeLimit(.minutes(1))) struct EncryptedTierTests {
    private let origin: ChangingOrigin
    private let temporary: TemporaryDirectory
    private let failures = Recorder<CacheFailure>()
    private let key = EncryptionKey()

    init() throws {
        (origin, temporary) = (try ChangingOrigin(), try TemporaryDirectory())
        origin.change { $0.headers["X-Note"] = "a note on the bird" }
    }

    private var time: TimeSource {
        TimeSource(ManualClock(), secondsSince1970: { [origin] in origin.state.withLock { $0.second } })
    }

    private func makeDisk() -> DiskStore {
        DiskStore(valid: .bare(temporary.file("cache")), time: time) { [failures] in failures.record($0) }
    }

    /// A tier over a new store in the same directory, as in a program that is started again.
    private func makeTier(
        _ keys: [EncryptionKey]? = nil, naming: EncryptionKey? = nil, over store: (any ImageStore)? = nil
    ) throws -> StoredTier {
        var settings = StoredTier.Settings()
        settings.contents = .both
        settings.deadline = nil
        let store = try EncryptedStore(
            wrapping: store ?? makeDisk(), keys: keys ?? [key], naming: naming ?? key)
        return try StoredTier(store, settings, time: time) { [failures] in failures.record($0) }
    }

    private func makeLoader(_ tier: StoredTier, _ transport: (any DataLoading)? = nil) -> ImageLoader {
        var configuration = ImageLoader.Configuration()
        configuration.dataLoader = transport ?? origin.transport
        configuration.timeOfDay = { [origin] in origin.state.withLock { $0.second } }
        configuration.download.retry = .none
        configuration.download.failureLifetimes = .none
        return ImageLoader(configuration, store: tier)
    }

    private func small(_ path: String = "a.png") throws -> ImageRequest {
        var request = try ImageRequest(url: .test(path))
        request.targetSize = PixelSize(width: 20, height: 20)
        request.tags = ["plumage of \(path)"]
        return request
    }

    // MARK: Loads

    @Test func entries_areFoundAgain_afterARestart() async throws {
        let first = makeLoader(try makeTier())
        let image = try await first.image(for: small())
        await first.flush()
        let second = makeLoader(try makeTier())
        let found = try await second.response(for: small())
        #expect(found.source == .disk && found.image.bitmap == image.bitmap)
        #expect(try await second.response(for: .test() as ImageRequest).source == .disk)
        #expect(origin.requestCount == 1 && failures.values.isEmpty)
    }

    @Test func staleEntries_areConfirmed_withoutStoringTheirBytesAgain() async throws {
        let first = makeLoader(try makeTier())
        _ = try await first.image(for: small())
        await first.flush()
        let before = try entryFiles()
        origin.pass(70)
        let second = makeLoader(try makeTier([EncryptionKey(), key]))
        #expect(try await second.response(for: small()).source != .network)
        await second.flush()
        #expect(origin.conditionalCount == 1 && origin.requestCount == 2)
        // The new metadata follows the old file.
        let after = try entryFiles()
        #expect(after.count == before.count && after.allSatisfy { file in before.contains { file.starts(with: $0) } })
        #expect(after != before && failures.values.isEmpty)
    }

    @Test func replacedImage_takesWithItWhatWasMadeFromTheOldOne() async throws {
        let first = makeLoader(try makeTier())
        _ = try await first.image(for: small())
        await first.flush()
        origin.change { $0.widths["/a.png"] = 44 }
        origin.pass(70)
        let second = makeLoader(try makeTier())
        #expect(try await second.image(for: .test() as ImageRequest).size.width == 44)
        await second.flush()
        #expect(try entryFiles().count == 1)
        #expect(try await makeLoader(try makeTier()).image(for: small()).originalSize.width == 44)
        #expect(failures.values.isEmpty)
    }

    @Test func cancelledLoad_storesNothing() async throws {
        let transport = ScriptedDataLoader()
        let loader = makeLoader(try makeTier(), transport)
        let load = Task { try await loader.image(for: small()) }
        let call = try await transport.nextCall()
        load.cancel()
        call.answer(try Pictures.png(40, 30))
        await #expect(throws: ImageLoaderError.cancelled) { try await load.value }
        await loader.flush()
        #expect(try entryFiles().isEmpty && failures.values.isEmpty)
    }

    @Test(arguments: 0..<5) func removal_reachesTheFiles(kind: Int) async throws {
        let loader = makeLoader(try makeTier())
        _ = try await loader.image(for: small())
        _ = try await loader.image(for: small("b.png"))
        await loader.flush()
        #expect(try entryFiles().count == 4)
        // Of an earlier run of the program.
        let tier = try makeTier([EncryptionKey(), key])
        let later = makeLoader(tier)
        switch kind {
        case 0: await later.remove(try small())
        case 1: try await later.remove(.url(.test()))
        case 2: try await later.remove(.prefix("http://host.test/a"))
        case 3: try await later.remove(.tag("plumage of a.png"))
        default: try await tier.remove { $0.key.source.hasSuffix("a.png") }
        }
        await later.flush()
        #expect(try entryFiles().count == 2)
        #expect(try await makeLoader(try makeTier()).response(for: small("b.png")).source == .disk)
        #expect(try await makeLoader(try makeTier()).response(for: small()).source == .network)
        #expect(failures.values.isEmpty)
    }

    @Test func anotherKey_isAMissAndAnEvent_andItsEntriesAreReplaced() async throws {
        let first = makeLoader(try makeTier())
        _ = try await first.image(for: small())
        await first.flush()
        let other = EncryptionKey()
        let second = makeLoader(try makeTier([other]))
        #expect(try await second.response(for: small()).source == .network)
        await second.flush()
        let seen = failures.takeAll()
        #expect(!seen.isEmpty && seen.allSatisfy { $0.operation == .read && $0.reason.contains("another key") })
        #expect(try entryFiles().count == 2)
        #expect(try await makeLoader(try makeTier([other])).response(for: small()).source == .disk)
        #expect(failures.values.isEmpty)
    }

    // MARK: Files on the disk

    @Test func nothingIsReadable_inTheDirectory() async throws {
        let tier = try makeTier()
        #expect(try await traces(of: tier) == [])
        #expect(try entryFiles().count == 2)
    }

    /// The search finds what an unencrypted cache stores.
    @Test func everything_isReadable_inTheDirectoryOfADiskCache() async throws {
        let found = try await traces(of: StoredTier(makeDisk()))
        #expect(found == ["bytes of the image", "URL", "tag", "header field", "entity tag", "name of the file"])
    }

    /// Loads an image, and confirms it. Returns what of it is readable in any file or file name of the directory.
    private func traces(of tier: StoredTier) async throws -> [String] {
        let loader = makeLoader(tier)
        let bytes = try await loader.data(for: small())
        _ = try await loader.image(for: small())
        await loader.flush()
        origin.pass(70)
        _ = try await loader.image(for: small())
        await loader.flush()
        let files = try files()
        #expect(files.count > 2)
        let everything = files.reduce(Data()) { $0 + Data($1.name.utf8) + $1.bytes }
        let searched: [(String, [Data])] = [
            ("bytes of the image", stride(from: 8, to: bytes.count - 16, by: 97).map { bytes[$0..<$0 + 16] }),
            ("URL", [Data("host.test".utf8), Data("a.png".utf8)]), ("tag", [Data("plumage".utf8)]),
            ("header field", [Data("X-Note".utf8), Data("a note on the bird".utf8), Data("max-age".utf8)]),
            ("entity tag", [Data("\"40\"".utf8)]),
            ("name of the file", [Data(StoredKey("http://host.test/a.png").digest.utf8)]),
        ]
        return searched.filter { $0.1.contains { everything.range(of: $0) != nil } }.map(\.0)
    }

    /// A loader receives large bodies for other stores into files, which aren't encrypted.
    @Test func bodies_areReceivedIntoMemory() async throws {
        let encrypted = makeLoader(try makeTier())
        #expect(encrypted.path.bodies.memoryLimit == .max)
        let plain = ImageLoader(store: try StoredTier(InMemoryStore()))
        #expect(plain.path.bodies === plain.path.downloads.bodies && plain.path.bodies.memoryLimit < .max)
    }

    private func files() throws -> [(name: String, bytes: Data)] {
        let root = temporary.url.appending(path: "cache")
        return try FileManager.default.subpathsOfDirectory(atPath: root.path).sorted().map { name in
            let file = root.appending(path: name)
            let isDirectory = try file.resourceValues(forKeys: [.isDirectoryKey]).isDirectory
            return isDirectory == true ? (name, Data()) : (name, try Data(contentsOf: file))
        }
    }

    private func entryFiles() throws -> [Data] {
        try files().filter { $0.name.hasPrefix("entries/") }.map(\.bytes)
    }
}
#endif
