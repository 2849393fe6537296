import Alcedo
import AlcedoTestSupport
import Foundation

/// A separate directory for a test's disk stores, whose system calls can be made to fail.
struct DiskFixture: Sendable {
    let temporary: TemporaryDirectory
    let files = FaultySystemCalls()
    let failures = Recorder<CacheFailure>()
    let key = StoredKey("http://h/a")
    let body = Data("some bytes".utf8)

    init(isInMemory: Bool = false) throws { temporary = try TemporaryDirectory(isInMemory: isInMemory) }

    /// The stores' directory.
    var path: String { temporary.file("cache") }

    var index: String { temporary.file("cache/index") }

    func makeStore(byteLimit: Int = 1 << 20) -> DiskStore {
        DiskStore(directory: path, byteLimit: byteLimit, files: files) { [failures] in failures.record($0) }
    }

    func key(_ number: Int) -> StoredKey { StoredKey("http://h/\(number)") }

    /// Stores ``body`` and waits until it is on disk.
    func store(_ key: StoredKey, in store: DiskStore, tags: Set<String> = []) async {
        var metadata = EntryMetadata(source: key.source)
        metadata.tags = tags
        await store.store(body, metadata, for: key, begun: store.ticket())
        await store.flush()
    }

    func removeIndex() throws { try FileManager.default.removeItem(atPath: index) }

    func entryNames() throws -> [String] { try temporary.names(in: "cache/entries") }

    /// The file of an entry.
    func file(_ key: StoredKey) -> String { temporary.file("cache/entries/" + key.name.text) }
}

/// A suite in which each test has its own ``DiskFixture``.
protocol DiskSuite {
    var cache: DiskFixture { get }
}

extension DiskSuite {
    var temporary: TemporaryDirectory { cache.temporary }
    var files: FaultySystemCalls { cache.files }
    var failures: Recorder<CacheFailure> { cache.failures }
    var key: StoredKey { cache.key }
    var body: Data { cache.body }

    func makeStore(byteLimit: Int = 1 << 20) -> DiskStore { cache.makeStore(byteLimit: byteLimit) }

    func key(_ number: Int) -> StoredKey { cache.key(number) }

    func store(_ key: StoredKey, in store: DiskStore, tags: Set<String> = []) async {
        await cache.store(key, in: store, tags: tags)
    }
}
