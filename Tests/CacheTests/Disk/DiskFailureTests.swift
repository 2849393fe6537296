import AlcedoTestSupport
import Foundation
import Testing

@testable import Alcedo
@testable import TestFixtures

/// What fails is reported, costs as little as it can, and leaves files and index in agreement.
@Suite(.timeLimit(.minutes(1))) struct DiskFailureTests: DiskSuite {
    let cache: DiskFixture
    private let block = 4096

    init() throws { cache = try DiskFixture() }

    private func store(_ body: Data, _ number: Int, in store: DiskStore) async {
        await store.store(body, for: key(number), begun: store.ticket())
    }

    private func names() throws -> [String] { try temporary.names(in: "cache/entries") }

    private func url(_ number: Int) -> URL {
        temporary.url.appendingPathComponent("cache/entries/" + key(number).name.text)
    }

    private func put(_ names: [String], in directory: String) throws {
        let directory = temporary.url.appendingPathComponent("cache/" + directory)
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        for name in names { try body.write(to: directory.appendingPathComponent(name)) }
    }

    /// Calls that the opening makes, and may make alone.
    private static let ofOpening: Set<SystemCall> = [
        .mkdir, .opendir, .readdir, .fstatat, .statvfs, .pread,
    ]
    /// Calls that this does not need, or whose failure changes nothing.
    private static let harmless: Set<SystemCall> = [
        .close, .closedir, .ftruncate, .link, .rmdir, .synchronize, .openWarmDirectory, .openWarm, .fstatWarm,
        .readWarm, .closeWarm,
    ]

    @Test(arguments: SystemCall.allCases)
    func failedCall_isMissAndEvent(call: SystemCall) async throws {
        // One that no fault reaches, whatever it still does.
        let first = DiskStore(directory: temporary.file("cache"), byteLimit: 1 << 20)
        await store(body, 0, in: first)
        await first.settle()
        // The directory itself has to be read.
        try cache.removeIndex()
        let second = makeStore(byteLimit: 2 * block)
        // Opened, where it is not the opening that fails.
        if !Self.ofOpening.contains(call) { await second.settle() }
        files.fail(call, with: EIO)
        await store(body, 1, in: second)
        await second.flush()
        _ = await second.body(for: key(0))
        _ = await second.body(for: key(1))
        await second.remove(key(1))
        #expect(await second.body(for: key(1)) == nil)
        // An opening under way is done with: it would take a later store along.
        await second.settle()
        #expect(failures.values.isEmpty == Self.harmless.contains(call), "\(failures.values)")
        #expect(failures.values.allSatisfy { $0.reason.contains("Input/output error") })
        files.fail(call, with: nil)
        #expect(await second.body(for: key(0)) == body)
        await store(body, 1, in: second)
        await second.flush()
        #expect(await second.body(for: key(0)) == body)
        #expect(await second.body(for: key(1)) == body)
        await store(body, 2, in: second)
        await second.flush()
        #expect(try names().count == 2)
        #expect(try temporary.names(in: "cache/temporary").isEmpty || call == .unlink)
    }

    // MARK: Writes

    @Test func failedWrite_leavesNoFile_noEntry_andItsRoom() async throws {
        let disk = makeStore(byteLimit: 2 * block)
        await store(body, 0, in: disk)
        await disk.flush()
        files.fail(.rename, on: "/entries/", with: EIO)
        await store(body, 1, in: disk)
        await disk.flush()
        #expect(failures.values.map(\.operation) == [.write])
        #expect(try names().count == 1)
        let reads = files.count(of: .read)
        #expect(await disk.body(for: key(1)) == nil)
        #expect(files.count(of: .read) == reads, "it is known to be absent")
        files.fail(.rename, on: "/entries/", with: nil)
        await store(body, 2, in: disk)
        await disk.flush()
        #expect(await disk.body(for: key(0)) == body)
    }

    @Test func failedRewrite_removesOldFile() async throws {
        let disk = makeStore(byteLimit: 2 * block)
        await store(body, 0, in: disk)
        await disk.flush()
        files.fail(.writev, on: "/temporary/", with: ENOSPC)
        await store(body, 0, in: disk)
        await disk.flush()
        #expect(try names().isEmpty)
        files.fail(.writev, on: "/temporary/", with: nil)
        for number in 1...2 { await store(body, number, in: disk) }
        await disk.flush()
        #expect(try names().count == 2)
    }

    @Test func leftoverOfFailedWrite_isReported() async {
        let disk = makeStore()
        await disk.settle()
        files.fail(.rename, on: "/entries/", with: EIO)
        files.fail(.unlink, with: EACCES)
        await store(body, 0, in: disk)
        await disk.flush()
        // The file of that name, and the write with its temporary file.
        #expect(failures.values.map(\.operation) == [.remove, .write])
        #expect(failures.values.last?.path.contains("/temporary/") == true)
        #expect(failures.values.last?.reason.contains("stays: Permission denied") == true)
    }

    @Test func withoutRoom_nothingIsWritten() async throws {
        let disk = makeStore(byteLimit: 2 * block)
        for number in 0...1 { await store(body, number, in: disk) }
        await disk.flush()
        files.fail(.unlink, on: "/entries/", with: EACCES)
        for number in 2...4 { await store(body, number, in: disk) }
        await disk.flush()
        #expect(Set(failures.values.map(\.operation)) == [.remove, .write])
        #expect(try names().count == 2)
        for number in 2...4 { #expect(await disk.body(for: key(number)) == nil) }
        files.fail(.unlink, on: "/entries/", with: nil)
        for number in 5...6 { await store(body, number, in: disk) }
        await disk.flush()
        #expect(try Set(names()) == [key(5).name.text, key(6).name.text])
    }

    @Test func olderWrite_leavesNewerBodyStaged() async {
        let disk = makeStore()
        await disk.settle()
        let (first, second) = (ThreadGate(), ThreadGate())
        files.hold(.writev, on: "/temporary/", at: first)
        files.fail(.writev, on: "/temporary/", with: EIO)
        await store(Data("old".utf8), 0, in: disk)
        await first.arrivals(1)
        files.fail(.writev, on: "/temporary/", with: nil)
        files.hold(.writev, on: "/temporary/", at: second)
        await store(body, 0, in: disk)
        first.open()
        await failures.wait { !$0.isEmpty }
        // The second write has not been made: only memory can answer.
        #expect(await disk.body(for: key(0)) == body)
        second.open()
        await disk.flush()
        #expect(await disk.body(for: key(0)) == body)
    }

    // MARK: Removals

    /// Another store could find what stays.
    @Test(arguments: [SystemCall.flock, .open, .lstat, .writev])
    func removedFile_isGone_evenWithoutTheIndex(call: SystemCall) async throws {
        let disk = makeStore()
        await store(body, 0, in: disk)
        await disk.flush()
        files.fail(call, with: EIO)
        await disk.remove(key(0))
        #expect(try names().isEmpty)
        files.fail(call, with: nil)
        #expect(await makeStore().body(for: key(0)) == nil)
    }

    /// The index file lists it still when it is read anew.
    @Test func fileThatCannotBeRemoved_isNotFound_whenTheIndexIsReadAnew() async throws {
        let disk = makeStore()
        await store(body, 0, in: disk)
        await disk.flush()
        files.fail(.unlink, on: "/entries/", with: EACCES)
        try cache.removeIndex()
        await disk.remove(key(0))
        #expect(await disk.body(for: key(0)) == nil)
        let gate = ThreadGate()
        files.hold(.flock, at: gate)
        async let removal: Void = disk.remove(key(0))
        await gate.arrivals(1)
        try cache.removeIndex()
        await store(body, 1, in: disk)
        gate.open()
        await removal
        #expect(await disk.body(for: key(0)) == nil)
        await disk.flush()
        #expect(await disk.body(for: key(0)) == nil)
        #expect(await disk.body(for: key(1)) == body)
    }

    @Test func replacedFileThatCannotBeRemoved_isCounted() async throws {
        let disk = makeStore()
        await store(body, 0, in: disk)
        await disk.flush()
        files.fail(.rename, on: "/entries/", with: EIO)
        files.fail(.unlink, on: "/entries/", with: EACCES)
        await store(body, 0, in: disk)
        await disk.flush()
        #expect(await disk.body(for: key(0)) == nil)
        #expect(await disk.statistics.byteCount == block)
    }

    // MARK: Reads

    @Test func failedRead_leavesEntryCounted() async throws {
        let disk = makeStore(byteLimit: 2 * block)
        for number in 0...1 { await store(body, number, in: disk) }
        await disk.flush()
        files.fail(.read, with: EMFILE)
        for number in 0...1 { #expect(await disk.body(for: key(number)) == nil) }
        files.fail(.read, with: nil)
        #expect(await disk.body(for: key(1)) == body)
        for number in 2...3 { await store(body, number, in: disk) }
        await disk.flush()
        #expect(try names().count == 2)
    }

    @Test func vanishedFile_isNotCounted() async throws {
        let disk = makeStore(byteLimit: 2 * block)
        for number in 0...1 { await store(body, number, in: disk) }
        await disk.flush()
        try FileManager.default.removeItem(at: url(1))
        #expect(await disk.body(for: key(1)) == nil)
        await store(body, 2, in: disk)
        await disk.flush()
        #expect(await disk.body(for: key(0)) == body)
        #expect(failures.values.isEmpty)
    }

    @Test func entryOfAnotherFormat_isMissed_andRemoved() async throws {
        let disk = makeStore()
        await store(body, 0, in: disk)
        await disk.flush()
        let tail = try #require(EntryFile.tail(of: body, key: key(0), metadata: Data([1])))
        try (body + tail).write(to: url(0))
        #expect(await disk.entry(for: key(0)) == nil)
        await disk.flush()
        #expect(try names().isEmpty)
        #expect(failures.values.map(\.operation) == [.read])
    }

    @Test func damagedRead_leavesNewerEntry() async throws {
        let disk = makeStore()
        await store(Data("old".utf8), 0, in: disk)
        await disk.flush()
        try Data("damaged".utf8).write(to: url(0))
        let gate = ThreadGate()
        files.hold(.read, at: gate, after: true)
        async let read = disk.body(for: key(0))
        await gate.arrivals(1)
        await store(body, 0, in: disk)
        await disk.flush()
        gate.open()
        #expect(await read == nil)
        await disk.flush()
        #expect(await disk.body(for: key(0)) == body)
        #expect(failures.values.map(\.operation) == [.read])
    }

    // MARK: Opening

    @Test func leftoversOfEarlierProcess_areRemoved() async throws {
        try put(["1-1", "1-2"], in: "temporary")
        try put(["1-3"], in: "discarded")
        try put(["entry"], in: "discarded/1-4")
        try put(["unrelated"], in: "entries")
        let disk = makeStore()
        await disk.settle()
        #expect(try temporary.names(in: "cache/temporary").isEmpty)
        #expect(try temporary.names(in: "cache/discarded").isEmpty)
        #expect(try names() == ["unrelated"])
        #expect(failures.values.isEmpty)
    }

    @Test func fileBeingWrittenByAnotherStore_isNotRemoved() async throws {
        let disk = makeStore()
        await disk.settle()
        let gate = ThreadGate()
        files.hold(.writev, on: "/temporary/", at: gate)
        await store(body, 0, in: disk)
        await gate.arrivals(1)
        let other = DiskStore(directory: temporary.path + "/cache", byteLimit: 1 << 20)
        await other.settle()
        #expect(try temporary.names(in: "cache/temporary").count == 1)
        gate.open()
        await disk.flush()
        #expect(await disk.body(for: key(0)) == body)
        #expect(failures.values.isEmpty)
    }

    @Test func unremovableTemporaryFile_isReported() async throws {
        let first = makeStore()
        for number in 0...2 { await store(body, number, in: first) }
        await first.settle()
        try put(["1-1", "1-2"], in: "temporary")
        files.fail(.unlink, on: "/temporary/", with: EACCES)
        let disk = makeStore(byteLimit: 3 * block)
        await disk.settle()
        #expect(failures.values.map(\.operation) == [.remove, .remove])
        #expect(await disk.body(for: key(0)) == body)
        await store(body, 3, in: disk)
        await disk.flush()
        #expect(try names().count == 3)
        files.fail(.unlink, on: "/temporary/", with: nil)
        await makeStore().settle()
        #expect(try temporary.names(in: "cache/temporary").isEmpty)
    }

    @Test(arguments: [SystemCall.mkdir, .statvfs, .flock, .opendir, .readdir])
    func failedOpening_isRetried_andFilesAnswer(call: SystemCall) async throws {
        // One that no fault reaches, whatever it still does.
        let first = DiskStore(directory: temporary.file("cache"), byteLimit: 1 << 20)
        for number in 0...3 { await store(body, number, in: first) }
        await first.settle()
        try cache.removeIndex()
        let part = call == .opendir || call == .readdir ? "/entries" : nil
        files.fail(call, on: part, with: EIO)
        let disk = makeStore(byteLimit: 2 * block)
        for number in 0...3 {
            #expect(await disk.body(for: key(number)) == body)
            await disk.opened()
        }
        #expect(failures.values.map(\.operation) == [.open, .open, .open, .open], "once for each use")
        files.fail(call, on: part, with: nil)
        _ = await disk.body(for: key(0))
        await disk.flush()
        #expect(try names().count == 2, "the limit takes hold")
        await store(body, 4, in: disk)
        await disk.flush()
        #expect(await disk.body(for: key(4)) == body)
        #expect(try names().count == 2)
    }

    @Test func stores_end_whenDirectoryNeverOpens() async {
        files.fail(.mkdir, with: EROFS)
        let disk = makeStore()
        for number in 0...3 {
            await store(body, number, in: disk)
            await disk.flush()
            #expect(await disk.body(for: key(number)) == nil)
            await disk.flush()
        }
        #expect(failures.values.allSatisfy { $0.operation == .open })
    }

    @Test func fileLargerThanAnyLimit_isRemovedWhenDirectoryIsRead() async throws {
        try put([], in: "entries")
        for number in 0...2 {
            let file = open(url(number).path, O_WRONLY | O_CREAT, 0o600)
            defer { close(file) }
            // As large as this file system lets a sparse file be.
            var length = off_t.max
            while ftruncate(file, length) != 0, length > 1 << 30 { length /= 2 }
        }
        let disk = makeStore()
        await store(body, 3, in: disk)
        await disk.flush()
        #expect(try names() == [key(3).name.text])
        #expect(failures.values.isEmpty)
    }
}
