import Alcedo
import AlcedoTestSupport
import Foundation
import Synchronization
import Testing

/// A directory that is made as the listing says is one that another program can bring along.
@Suite(.timeLimit(.minutes(1))) struct DiskBundleListingTests {
    @Test func theEntriesAlone_readOnlyAndElsewhere_areFound_andStayAsTheyAre() async throws {
        let temporary = try TemporaryDirectory()
        let (made, brought) = (temporary.url.appending(path: "made"), temporary.url.appending(path: "brought"))
        let urls = try (0..<3).map { try #require(URL(string: "https://example.org/\($0).png")) }
        let pictures = try [urls[0]: Pictures.png(30, 20), urls[1]: Pictures.jpeg(40, 30)]
        try await Disk.makeBundle(made, of: pictures)
        await keep(urls[2], until: 2_000, in: made)
        try FileManager.default.createDirectory(at: brought, withIntermediateDirectories: true)
        try FileManager.default.copyItem(at: made.appending(path: "entries"), to: brought.appending(path: "entries"))
        try setModes(directory: 0o555, file: 0o444, in: brought)
        defer { #expect(throws: Never.self) { try setModes(directory: 0o755, file: 0o644, in: brought) } }
        let before = try state(of: brought)

        var configuration = ImageLoader.Configuration()
        configuration.disk = .init(directory: temporary.url.appending(path: "own"))
        configuration.disk?.timeToLive = .zero
        configuration.dataLoader = ScriptedDataLoader { _ in .status(404) }
        let failures = Failures()
        configuration.onEvent {
            if case .cacheFailed(let failure) = $0.kind { failures.values.withLock { $0.append(failure) } }
        }
        Disk.useBundle(brought, in: &configuration)
        let loader = ImageLoader(configuration)
        for (url, bytes) in pictures {
            let request = ImageRequest(url: url)
            #expect(await loader.contains(request, in: .disk))
            #expect(try await loader.response(for: request).source == .disk)
            #expect(try await loader.data(for: request) == bytes)
            await loader.remove(request)
            #expect(try await loader.response(for: request).source == .disk)
        }
        #expect(await loader.diskCache?.entries().isEmpty == true)
        var small = ImageRequest(url: urls[1])
        small.targetSize = PixelSize(width: 8, height: 8)
        #expect(try await loader.image(for: small).size == PixelSize(width: 8, height: 6))
        await #expect(throws: ImageLoaderError.badStatus(404)) { try await loader.image(for: urls[2]) }
        configuration.download.headers["Accept"] = "image/png"
        await #expect(throws: ImageLoaderError.badStatus(404)) {
            try await ImageLoader(configuration).image(for: urls[0])
        }
        await loader.removeAll()
        await loader.flush()
        #expect(try await loader.response(for: ImageRequest(url: urls[0])).source == .disk)
        #expect(try state(of: brought) == before)
        #expect(failures.values.withLock { $0 } == [])
    }

    /// Stores an entry, long ago.
    private func keep(_ url: URL, until end: Int64, in directory: URL) async {
        let store = DiskStore(valid: DiskStore.Settings.bare(directory.path), time: TimeSource(ManualClock()) { 1_000 })
        let key = StoredKey(url.absoluteString)
        await store.replace(Data("bytes".utf8), EntryMetadata(source: key.source), for: key, expires: end)
        await store.flush()
    }

    private final class Failures: Sendable {
        let values = Mutex<[CacheFailure]>([])
    }

    /// Names, lengths and the moments of the last change.
    private func state(of directory: URL) throws -> [String] {
        try FileManager.default.subpathsOfDirectory(atPath: directory.path).sorted().map { name in
            let told = try FileManager.default.attributesOfItem(atPath: directory.path + "/" + name)
            let values = [FileAttributeKey.size, .posixPermissions, .modificationDate].map { "\(told[$0] ?? "-")" }
            return "\(name) \(values)"
        }
    }

    private func setModes(directory: mode_t, file: mode_t, in folder: URL) throws {
        let entries = folder.path + "/entries"
        for name in try FileManager.default.contentsOfDirectory(atPath: entries) {
            #expect(chmod(entries + "/" + name, file) == 0)
        }
        #expect(chmod(entries, directory) == 0)
        #expect(chmod(folder.path, directory) == 0)
    }
}
