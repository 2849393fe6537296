import AlcedoTestSupport
import Foundation
import Testing

@testable import Alcedo

/// What fails is reported, costs as little as it can, and leaves files and index in agreement.
@Suite(.timeLimit(.minutes(1))) struct DiskFailureTests {
    private let temporary: TemporaryDirectory
    private let files = FaultyFileSystem()
    private let failures = Recorder<CacheFailure>()
    private let body = Data("some bytes".utf8)
    private let block = 4096

    init() throws { temporary = try TemporaryDirectory() }

    private func makeStore(byteLimit: Int = 1 << 20) -> DiskStore {
        DiskStore(directory: temporary.path + "/cache", byteLimit: byteLimit, files: files) { [failures] in
            failures.record($0)
        }
    }

    private func key(_ number: Int) -> ResourceKey { ResourceKey(text: "http://h/\(number)") }

    private func store(_ body: Data, _ number: Int, in store: DiskStore) async {
        await store.store(body, for: key(number), begun: store.ticket())
    }

    private func names() throws -> [String] { try temporary.names(in: "cache") }

    private func url(_ number: Int) -> URL {
        temporary.url.appendingPathComponent("cache/" + EntryName(key(number)).text)
    }

    private func put(_ names: [String]) throws {
        let cache = temporary.url.appendingPathComponent("cache")
        try FileManager.default.createDirectory(at: cache, withIntermediateDirectories: true)
        for name in names { try body.write(to: cache.appendingPathComponent(name)) }
    }

    @Test(arguments: FaultyFileSystem.Operation.allCases)
    func anOperationThatFails_isAMissAndAnEvent_andPasses(operation: FaultyFileSystem.Operation) async throws {
        let first = makeStore()
        await store(body, 0, in: first)
        await first.flush()
        let second = makeStore(byteLimit: 2 * block)
        // Opened, where it is not the opening that fails.
        if operation != .createDirectory, operation != .list { _ = await second.body(for: key(0)) }
        await second.flush()
        files.fail(operation, with: EIO)
        await store(body, 1, in: second)
        await second.flush()
        _ = await second.body(for: key(1))
        await second.remove(key(1))
        // An opening under way is done with: it would take a later store along.
        await second.flush()
        #expect(!failures.values.isEmpty)
        #expect(failures.values.allSatisfy { $0.reason.contains("Input/output error") })
        files.fail(operation, with: nil)
        #expect(await second.body(for: key(0)) == body)
        await store(body, 1, in: second)
        await second.flush()
        #expect(await second.body(for: key(0)) == body)
        #expect(await second.body(for: key(1)) == body)
        await store(body, 2, in: second)
        await second.flush()
        #expect(try names().count == 2)
    }

    // MARK: Writes

    @Test func aFailedWrite_leavesNoFile_noEntry_andItsRoom() async throws {
        let disk = makeStore(byteLimit: 2 * block)
        await store(body, 0, in: disk)
        await disk.flush()
        files.fail(.rename, with: ENOSPC)
        await store(body, 1, in: disk)
        await disk.flush()
        #expect(failures.values.map(\.operation) == [.write])
        #expect(try names().count == 1)
        let reads = files.count(of: .read)
        #expect(await disk.body(for: key(1)) == nil)
        #expect(files.count(of: .read) == reads, "it is known to be absent")
        files.fail(.rename, with: nil)
        await store(body, 2, in: disk)
        await disk.flush()
        #expect(await disk.body(for: key(0)) == body)
    }

    @Test func aFailedRewrite_takesTheOldFileAlong() async throws {
        let disk = makeStore(byteLimit: 2 * block)
        await store(body, 0, in: disk)
        await disk.flush()
        files.fail(.create, with: ENOSPC)
        await store(body, 0, in: disk)
        await disk.flush()
        #expect(try names().isEmpty)
        files.fail(.create, with: nil)
        for number in 1...2 { await store(body, number, in: disk) }
        await disk.flush()
        #expect(try names().count == 2)
    }

    @Test func whatAFailedWriteCanNotRemove_isReported() async {
        let disk = makeStore()
        await disk.flush()
        files.fail(.rename, with: EIO)
        files.fail(.remove, with: EACCES)
        await store(body, 0, in: disk)
        await disk.flush()
        // The temporary file, the file of that name, and the write.
        #expect(failures.values.map(\.operation) == [.remove, .remove, .write])
        #expect(failures.values.first?.path.contains("/tmp-") == true)
    }

    @Test func withoutRoom_nothingIsWritten() async throws {
        let disk = makeStore(byteLimit: 2 * block)
        for number in 0...1 { await store(body, number, in: disk) }
        await disk.flush()
        files.fail(.remove, with: EACCES)
        for number in 2...4 { await store(body, number, in: disk) }
        await disk.flush()
        #expect(Set(failures.values.map(\.operation)) == [.remove])
        #expect(try names().count == 2)
        files.fail(.remove, with: nil)
        for number in 5...6 { await store(body, number, in: disk) }
        await disk.flush()
        #expect(try Set(names()) == [EntryName(key(5)).text, EntryName(key(6)).text])
    }

    @Test func anOlderWritesEnd_leavesTheNewerBodyStaged() async {
        let disk = makeStore()
        let (first, second) = (ThreadGate(), ThreadGate())
        files.hold(.create, at: first)
        files.fail(.create, with: EIO)
        await store(Data("old".utf8), 0, in: disk)
        await first.arrivals(1)
        files.fail(.create, with: nil)
        files.hold(.create, at: second)
        await store(body, 0, in: disk)
        first.open()
        await failures.wait { !$0.isEmpty }
        // The second write has not been made: only memory can answer.
        #expect(await disk.body(for: key(0)) == body)
        second.open()
        await disk.flush()
        #expect(await disk.body(for: key(0)) == body)
    }

    // MARK: Reads

    @Test func aReadThatFails_leavesTheEntryCounted() async throws {
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

    @Test func aFileThatVanished_isCountedNoLonger() async throws {
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

    @Test func aDamagedRead_leavesANewerEntry() async throws {
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

    @Test func whatAnEarlierProcessLeftHalfWritten_isTidiedAway() async throws {
        // No process has the largest number there is; this one's own number with another token is an earlier one's.
        try put(["tmp-4194305-abc-1", "tmp-\(getpid())-other-1", "tmp-1-abc-1", "unrelated"])
        let disk = makeStore()
        _ = await disk.body(for: key(0))
        await disk.flush()
        #expect(try names() == ["tmp-1-abc-1", "unrelated"])
    }

    @Test func whatAnotherStoreOfThisProcessIsWriting_isNotTidiedAway() async throws {
        let gate = ThreadGate()
        files.hold(.rename, at: gate)
        let disk = makeStore()
        await store(body, 0, in: disk)
        await gate.arrivals(1)
        let other = DiskStore(directory: temporary.path + "/cache", byteLimit: 1 << 20)
        _ = await other.body(for: key(1))
        await other.flush()
        gate.open()
        await disk.flush()
        #expect(await disk.body(for: key(0)) == body)
        #expect(failures.values.isEmpty)
    }

    @Test func aTemporaryFileThatStays_isReported_andTheRestIsListed() async throws {
        let first = makeStore()
        for number in 0...2 { await store(body, number, in: first) }
        await first.flush()
        try put(["tmp-4194305-abc-1", "tmp-4194305-abc-2"])
        files.fail(.remove, with: EACCES)
        let disk = makeStore(byteLimit: 3 * block)
        _ = await disk.body(for: key(0))
        await disk.flush()
        #expect(failures.values.map(\.operation) == [.remove, .remove])
        files.fail(.remove, with: nil)
        await store(body, 3, in: disk)
        await disk.flush()
        #expect(try names().filter { EntryName(fileName: $0) != nil }.count == 3)
    }

    @Test(arguments: [FaultyFileSystem.Operation.createDirectory, .list])
    func anOpeningThatFails_isTriedAgain_andMeanwhileTheFilesAnswer(operation: FaultyFileSystem.Operation) async throws
    {
        let first = makeStore()
        for number in 0...3 { await store(body, number, in: first) }
        await first.flush()
        files.fail(operation, with: EIO)
        let disk = makeStore(byteLimit: 2 * block)
        for number in 0...3 {
            #expect(await disk.body(for: key(number)) == body)
            await disk.flush()
        }
        #expect(failures.values.map(\.operation) == [.open, .open, .open, .open], "once for each use")
        files.fail(operation, with: nil)
        _ = await disk.body(for: key(0))
        await disk.flush()
        #expect(try names().count == 2, "the limit takes hold")
        await store(body, 4, in: disk)
        await disk.flush()
        #expect(await disk.body(for: key(4)) == body)
        #expect(try names().count == 2)
    }

    @Test func storesOfADirectoryThatNeverOpens_end() async {
        files.fail(.createDirectory, with: EROFS)
        let disk = makeStore()
        for number in 0...3 {
            await store(body, number, in: disk)
            await disk.flush()
            #expect(await disk.body(for: key(number)) == nil)
            await disk.flush()
        }
        #expect(failures.values.allSatisfy { $0.operation == .open })
    }

    @Test func aFileLargerThanAnyLimit_isRemovedWhenTheDirectoryIsRead() async throws {
        try put([])
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
        #expect(try names() == [EntryName(key(3)).text])
        #expect(failures.values.isEmpty)
    }
}
