import AlcedoTestSupport
import Foundation
import Testing

@testable import Alcedo
@testable import TestFixtures

/// What was put in the place of a store's own files while it is open: nothing is followed, and the store goes on.
@Suite(.timeLimit(.minutes(1))) struct DiskHealingTests {
    private let temporary: TemporaryDirectory
    private let files = FaultySystemCalls()
    private let failures = Recorder<CacheFailure>()
    private let body = Data("some bytes".utf8)
    private let block = 4096

    init() throws { temporary = try TemporaryDirectory() }

    private func makeStore(_ name: String = "cache", byteLimit: Int = 1 << 20) -> DiskStore {
        DiskStore(directory: temporary.file(name), byteLimit: byteLimit, files: files) { [failures] in
            failures.record($0)
        }
    }

    private func key(_ number: Int) -> StoredKey { StoredKey("http://h/\(number)") }

    private func store(_ numbers: Range<Int>, in store: DiskStore) async {
        for number in numbers { await store.store(body, for: key(number), begun: store.ticket()) }
        await store.flush()
    }

    private func names(_ directory: String = "cache/entries") throws -> Set<String> {
        try Set(temporary.names(in: directory))
    }

    private func names(of numbers: Range<Int>) -> Set<String> { Set(numbers.map { key($0).name.text }) }

    private func path(_ number: Int) -> String { temporary.file("cache/entries/" + key(number).name.text) }

    private func move(_ path: String, to newPath: String) {
        #expect(rename(temporary.file(path), temporary.file(newPath)) == 0)
    }

    private func makeDirectory(_ path: String) { #expect(mkdir(path, 0o700) == 0) }

    private func kind(_ path: String) -> mode_t? {
        var status = stat()
        return lstat(temporary.file(path), &status) == 0 ? status.st_mode & S_IFMT : nil
    }

    // MARK: Another directory

    @Test func emptyReplacementDirectory_isAdopted() async throws {
        let disk = makeStore()
        await store(0..<2, in: disk)
        await disk.settle()
        move("cache", to: "moved")
        makeDirectory(temporary.file("cache"))
        let index = try Data(contentsOf: temporary.url.appendingPathComponent("moved/index"))
        await store(2..<3, in: disk)
        await disk.settle()
        #expect(try names() == names(of: 2..<3))
        #expect(try Data(contentsOf: temporary.url.appendingPathComponent("moved/index")) == index)
        for disk in [disk, makeStore()] {
            #expect(await disk.statistics.entryCount == 1)
            #expect(await disk.body(for: key(2)) == body)
            #expect(await disk.body(for: key(0)) == nil)
        }
        #expect(failures.values.isEmpty, "\(failures.values)")
    }

    @Test func fullReplacementDirectory_keepsLimit() async throws {
        let other = makeStore("other")
        await store(10..<13, in: other)
        await other.settle()
        let disk = makeStore(byteLimit: 4 * block)
        await store(0..<4, in: disk)
        await disk.settle()
        move("cache", to: "moved")
        move("other", to: "cache")
        // As the upkeep does, once a second.
        await disk.caughtUp()
        await disk.settle()
        #expect(await disk.statistics.entryCount == 3)
        #expect(await disk.body(for: key(10)) == body)
        await store(20..<22, in: disk)
        await disk.settle()
        #expect(try names().count == 4)
        #expect(try names("moved/entries") == names(of: 0..<4))
        #expect(await disk.statistics.entryCount == 4)
        #expect(failures.values.isEmpty, "\(failures.values)")
    }

    // MARK: Links and directories

    @Test(arguments: ["entries", "temporary", "discarded"])
    func linkReplacingDirectory_isNotFollowed_whileOpen(name: String) async throws {
        let disk = makeStore()
        await store(0..<1, in: disk)
        await disk.settle()
        move("cache/" + name, to: "moved")
        makeDirectory(temporary.file("elsewhere"))
        let stranger = key(7).name.text
        #expect(FileManager.default.createFile(atPath: temporary.file("elsewhere/") + stranger, contents: body))
        #expect(symlink(temporary.file("elsewhere"), temporary.file("cache/" + name)) == 0)
        let gate = ThreadGate()
        files.hold(.writev, on: "/temporary/", at: gate)
        await disk.store(body, for: key(1), begun: disk.ticket())
        await gate.arrivals(1)
        #expect(try names("elsewhere") == [stranger])
        gate.open()
        await disk.settle()
        #expect(try names("elsewhere") == [stranger])
        await disk.removeAll()
        await disk.settle()
        #expect(try names("elsewhere") == [stranger])
        await store(2..<3, in: disk)
        await disk.settle()
        #expect(await disk.body(for: key(2)) == body, "\(failures.values)")
        #expect(kind("cache/" + name) == S_IFDIR)
        #expect(await makeStore().statistics.entryCount == 1)
        #expect(try names("elsewhere") == [stranger])
    }

    /// In one step, because a store that is closing may write the file again.
    private func replace(_ name: String, byLinkTo target: String) {
        #expect(symlink(target, temporary.file("link")) == 0)
        #expect(rename(temporary.file("link"), temporary.file(name)) == 0)
    }

    @Test(arguments: ["lock", "index"], ["link", "dangling link", "directory"])
    func irregularFile_isReplaced(name: String, kind: String) async throws {
        let target = temporary.url.appendingPathComponent("elsewhere")
        for isOpen in [true, false] {
            let disk = makeStore()
            if isOpen {
                await store(0..<1, in: disk)
                await disk.settle()
            }
            switch kind {
            case "link":
                try Data("not ours".utf8).write(to: target)
                replace("cache/" + name, byLinkTo: target.path)
            case "dangling link": replace("cache/" + name, byLinkTo: "nowhere")
            default:
                try FileManager.default.removeItem(atPath: temporary.file("cache/" + name))
                makeDirectory(temporary.file("cache/" + name))
                makeDirectory(temporary.file("cache/\(name)/inner"))
            }
            await store(1..<2, in: disk)
            await disk.settle()
            #expect(self.kind("cache/" + name) == S_IFREG, "\(failures.values)")
            for disk in [disk, makeStore()] {
                #expect(await disk.statistics.entryCount == 2)
                for number in 0..<2 { #expect(await disk.body(for: key(number)) == body) }
                await disk.settle()
            }
            if kind == "link" { #expect(try Data(contentsOf: target) == Data("not ours".utf8)) }
        }
        #expect(try !temporary.names().contains("nowhere"))
    }

    @Test(arguments: ["link", "directory", "pipe"])
    func irregularEntryFile_isAMiss_reportedOnce(kind: String) async throws {
        let disk = makeStore()
        await store(0..<2, in: disk)
        await disk.settle()
        for number in 0..<2 {
            move("cache/entries/" + key(number).name.text, to: "moved \(number)")
            switch kind {
            case "link": #expect(symlink(temporary.file("moved \(number)"), path(number)) == 0)
            case "directory":
                makeDirectory(path(number))
                makeDirectory(path(number) + "/inner")
            default: #expect(mkfifo(path(number), 0o600) == 0)
            }
        }
        for _ in 0..<2 { #expect(await disk.body(for: key(0)) == nil) }
        await disk.settle()
        #expect(failures.values.map(\.operation) == [.read], "\(failures.values)")
        #expect(await disk.statistics.damaged == 1)
        // One is written over, or removed, as if it were a file.
        await store(1..<2, in: disk)
        #expect(await disk.body(for: key(1)) == body, "\(failures.values)")
        #expect(try names() == names(of: 1..<2))
        #expect(failures.values.count == 1, "\(failures.values)")
        #expect(try Set(temporary.names()) == ["cache", "moved 0", "moved 1"])
    }

    @Test func directoryAtEntrysName_isRemovedWithIt() async throws {
        let disk = makeStore()
        await store(0..<1, in: disk)
        try FileManager.default.removeItem(atPath: path(0))
        makeDirectory(path(0))
        makeDirectory(path(0) + "/inner")
        await disk.remove(key(0))
        #expect(try names().isEmpty)
        #expect(await disk.statistics.entryCount == 0)
        #expect(failures.values.isEmpty, "\(failures.values)")
    }

    @Test func movedEntries_areNotCounted() async throws {
        let disk = makeStore(byteLimit: 4 * block)
        await store(0..<4, in: disk)
        await disk.settle()
        move("cache/entries", to: "moved")
        makeDirectory(temporary.file("cache/entries"))
        await disk.caughtUp()
        await disk.settle()
        #expect(await disk.statistics.entryCount == 0)
        await store(4..<6, in: disk)
        #expect(try names() == names(of: 4..<6))
        #expect(failures.values.isEmpty, "\(failures.values)")
    }

    @Test func replacedDamagedFile_isNotMovedAway() async throws {
        let writer = makeStore()
        await store(0..<2, in: writer)
        let calls = FaultySystemCalls()
        let reader = DiskStore(directory: temporary.file("cache"), byteLimit: 1 << 20, files: calls)
        await reader.settle()
        try Data("damaged".utf8).write(to: URL(fileURLWithPath: path(0)))
        let gate = ThreadGate()
        calls.hold(.read, on: "/entries/", at: gate, after: true)
        async let found = reader.body(for: key(0))
        await gate.arrivals(1)
        await store(0..<1, in: writer)
        gate.open()
        #expect(await found == nil)
        await reader.settle()
        for disk in [reader, writer, makeStore()] {
            #expect(await disk.body(for: key(0)) == body)
            #expect(await disk.statistics.entryCount == 2)
        }
    }

    // MARK: The index file

    @Test(arguments: [false, true])
    func garbageInPlaceOfIndex_isNotReadWhole(hasHeader: Bool) async throws {
        await store(0..<2, in: makeStore())
        let index = temporary.file("cache/index")
        let header = IndexLog.header(run: SystemRun.current.identity())
        #expect(FileManager.default.createFile(atPath: index, contents: hasHeader ? header : Data()))
        #expect(truncate(index, 256 << 20) == 0)
        let files = FaultySystemCalls()
        let disk = DiskStore(directory: temporary.file("cache"), byteLimit: 1 << 20, files: files)
        await disk.settle()
        #expect(await disk.statistics.entryCount == 2)
        #expect(files.largestRead(of: "/cache/index") <= 1 << 20)
        #expect(files.count(of: .pread, on: "/cache/index") <= 3)
    }

    @Test func longIndex_isReadInParts_andLosesNothing() async throws {
        let disk = makeStore(byteLimit: .max)
        await disk.settle()
        let records = (0..<60_000).map { number in
            let tags = (0..<UInt64(number % 5)).map { $0 + 1 }
            return IndexRecord.entry(key(number).name, IndexedEntry(units: 8, lastUse: 1, tags: tags))
        }
        let bytes = IndexLog.header(run: SystemRun.current.identity()) + IndexLog.bytes(of: records)
        try bytes.write(to: temporary.url.appendingPathComponent("cache/index"))
        #expect(bytes.count > 5 << 19)
        for disk in [disk, makeStore(byteLimit: .max)] {
            await disk.caughtUp()
            #expect(await disk.statistics.entryCount == 60_000)
        }
        #expect(failures.values.isEmpty, "\(failures.values)")
    }
}
