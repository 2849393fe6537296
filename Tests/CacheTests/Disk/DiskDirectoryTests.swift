import Alcedo
import AlcedoTestSupport
import Foundation
import Testing

@testable import TestFixtures

/// What else than a cache may be found where a cache's files should be.
@Suite(.timeLimit(.minutes(1))) struct DiskDirectoryTests: DiskSuite {
    let cache: DiskFixture

    init() throws { cache = try DiskFixture() }

    private func link(_ path: String, to target: String) {
        #expect(symlink(temporary.file(target), temporary.file(path)) == 0)
    }

    @Test(arguments: ["entries", "temporary", "discarded"])
    func linkInPlaceOfDirectory_isNotFollowed(name: String) async throws {
        let stranger = temporary.file("elsewhere/") + StoredKey("http://h/stranger").name.text
        for path in ["cache", "elsewhere"] {
            try FileManager.default.createDirectory(atPath: temporary.file(path), withIntermediateDirectories: true)
        }
        #expect(FileManager.default.createFile(atPath: stranger, contents: Data("not ours".utf8)))
        link("cache/" + name, to: "elsewhere")
        let disk = makeStore()
        await store(key, in: disk)
        #expect(await disk.body(for: key) == body, "\(failures.values)")
        _ = await disk.remove(.all)
        await disk.settle()
        #expect(try temporary.names(in: "elsewhere") == [StoredKey("http://h/stranger").name.text])
    }

    @Test(arguments: ["entries", "temporary", "discarded"])
    func fileInPlaceOfDirectory_isReplaced(name: String) async throws {
        try FileManager.default.createDirectory(atPath: temporary.file("cache"), withIntermediateDirectories: true)
        #expect(FileManager.default.createFile(atPath: temporary.file("cache/" + name), contents: body))
        let disk = makeStore()
        await store(key, in: disk)
        #expect(await makeStore().body(for: key) == body, "\(failures.values)")
        #expect(try temporary.names(in: "cache/entries").count == 1)
    }

    @Test(arguments: ["link", "directory", "pipe", "empty", "rubbish", "other version"])
    func invalidIndexFile_isReplaced(kind: String) async throws {
        await store(key, in: makeStore())
        let path = temporary.file("cache/index")
        let old = try Data(contentsOf: URL(fileURLWithPath: path))
        try FileManager.default.removeItem(atPath: path)
        switch kind {
        case "link": link("cache/index", to: "elsewhere")
        case "directory": #expect(mkdir(path, 0o700) == 0)
        case "pipe": #expect(mkfifo(path, 0o600) == 0)
        case "empty": #expect(FileManager.default.createFile(atPath: path, contents: Data()))
        case "rubbish":
            #expect(FileManager.default.createFile(atPath: path, contents: Data(repeating: 7, count: 1 << 20)))
        default:
            var other = old
            other[7] ^= 1
            #expect(FileManager.default.createFile(atPath: path, contents: other))
        }
        let disk = makeStore()
        #expect(await disk.body(for: key) == body)
        await store(StoredKey("http://h/b"), in: disk)
        await disk.settle()
        let fresh = makeStore()
        #expect(await fresh.statistics.entryCount == 2, "\(failures.values)")
        #expect(try temporary.names(in: "cache/entries").count == 2)
        #expect(try temporary.names() == ["cache"])
    }

    @Test(arguments: ["link", "pipe"])
    func invalidEntryFile_isAMiss_andReplaced(kind: String) async throws {
        let disk = makeStore()
        await store(key, in: disk)
        let path = temporary.file("cache/entries/" + key.name.text)
        try FileManager.default.moveItem(atPath: path, toPath: temporary.file("moved"))
        if kind == "link" {
            link("cache/entries/" + key.name.text, to: "moved")
        } else {
            #expect(mkfifo(path, 0o600) == 0)
        }
        for disk in [disk, makeStore()] { #expect(await disk.body(for: key) == nil) }
        await store(key, in: disk)
        #expect(await disk.body(for: key) == body, "\(failures.values)")
        await disk.remove(key)
        #expect(try temporary.names(in: "cache/entries").isEmpty, "\(failures.values)")
    }

    @Test func deletedLockFile_doesNotBlock() async throws {
        let (first, second) = (makeStore(), makeStore())
        await store(key, in: first)
        #expect(await second.body(for: key) == body)
        try FileManager.default.removeItem(atPath: temporary.file("cache/lock"))
        await store(StoredKey("http://h/b"), in: second)
        await store(StoredKey("http://h/c"), in: first)
        #expect(await first.statistics.entryCount == 3)
        #expect(failures.values.isEmpty)
    }

    @Test func unusualKeysTagsAndBodies_areStoredOrReported() async throws {
        let long = String(repeating: "x", count: 100_000)
        let disk = makeStore()
        let keys = [StoredKey("http://h/a\n\0b"), StoredKey("http://h/" + String(repeating: "y", count: 60_000))]
        for key in keys { await store(key, in: disk) }
        await disk.store(Data(), for: key, begun: disk.ticket())
        var metadata = EntryMetadata(source: "http://h/tagged")
        metadata.tags = [long]
        await disk.store(body, metadata, for: StoredKey("http://h/tagged"), begun: disk.ticket())
        await disk.store(body, for: StoredKey("http://h/" + long), begun: disk.ticket())
        await disk.flush()
        #expect(failures.values.map(\.operation) == [.write])
        try cache.removeIndex()
        let fresh = makeStore()
        for key in keys { #expect(await fresh.body(for: key) == body) }
        #expect(await fresh.body(for: key) == Data())
        #expect(await fresh.verify().wholeCount == 4)
        #expect(await fresh.remove(.tag(long)).count == 1)
    }
}
