import Alcedo
import AlcedoTestSupport
import Foundation
import Testing

@Suite(.timeLimit(.minutes(1))) struct FileSystemTests {
    private let temporary: TemporaryDirectory
    private let files = FileSystem()

    init() throws { temporary = try TemporaryDirectory() }

    private func path(_ name: String) -> String { temporary.path + "/" + name }

    @discardableResult
    private func create(_ name: String, _ parts: [Data], in files: FileSystem? = nil) throws -> FileStatus? {
        let files = files ?? self.files
        var written: FileStatus?
        _ = try files.publish(parts, by: path(name + ".new"), synchronizes: false) { (file) throws(FileError) in
            written = file.status
            try files.rename(file.path, to: path(name))
            return true
        }
        return written
    }

    private func mode(_ name: String) throws -> Int? {
        try FileManager.default.attributesOfItem(atPath: path(name))[.posixPermissions] as? Int
    }

    /// Does `body` where the faulty calls allow it.
    @discardableResult
    private func onAThread<Result: Sendable>(_ body: @escaping @Sendable () throws -> Result) async throws -> Result {
        try await WorkerThreads("test", count: 1).run { Swift.Result { try body() } }.get()
    }

    // MARK: Writing

    @Test func partsAreWrittenInOrder_andReadBack() throws {
        let status = try create("a", [Data("one".utf8), Data(), Data("two".utf8), Data("three".utf8)])
        #expect(status?.length == 11)
        #expect(try files.read(path("a"), byteLimit: 11) == Data("onetwothree".utf8))
        #expect(try mode("a") == 0o600)
        #expect(try temporary.names() == ["a"])
    }

    @Test func existingFile_isNotOverwritten() throws {
        try Data("one".utf8).write(to: temporary.url.appendingPathComponent("a.new"))
        #expect(throws: FileError.self) { try create("a", [Data("two".utf8)]) }
        #expect(try files.read(path("a.new"), byteLimit: 10) == Data("one".utf8))
        #expect(try temporary.names() == ["a.new"])
    }

    @Test func unpublishedFile_isRemoved() throws {
        let isPublished = try files.publish([Data("one".utf8)], by: path("new"), synchronizes: false) { _ in false }
        #expect(!isPublished)
        #expect(try temporary.names().isEmpty)
        #expect(throws: FileError.self) {
            try files.publish([Data("one".utf8)], by: path("new"), synchronizes: false) { _ throws(FileError) in
                throw FileError(call: "test", path: "", code: EIO)
            }
        }
        #expect(try temporary.names().isEmpty)
    }

    @Test func fileBeingWritten_isLocked_andLeftoverIsNot() throws {
        _ = try files.publish([Data("one".utf8)], by: path("new"), synchronizes: false) { (_) throws(FileError) in
            try files.removeUnlessLocked(path("new"))
            return true
        }
        #expect(try temporary.names() == ["new"])
        try files.removeUnlessLocked(path("new"))
        #expect(try temporary.names().isEmpty)
    }

    /// Somebody who opens the cache has locked the new file first, as one that may be abandoned.
    @Test func newFile_thatAnotherHasLocked_isMadeOnceMore() async throws {
        let calls = FaultySystemCalls()
        // open, flock.
        calls.failOnce(at: 2, with: EWOULDBLOCK)
        try await onAThread { try create("a", [Data("one".utf8)], in: FileSystem(calls)) }
        #expect(calls.count(of: .flock) == 2)
        #expect(try files.read(path("a"), byteLimit: 100) == Data("one".utf8))
        calls.fail(.flock, with: EWOULDBLOCK)
        let error = await #expect(throws: FileError.self) {
            try await onAThread { try create("b", [Data()], in: FileSystem(calls)) }
        }
        #expect(error?.code == EWOULDBLOCK)
        #expect(try temporary.names() == ["a"])
    }

    @Test(arguments: 1...3)
    func shortWrites_andSignals_loseNothing(part: Int) async throws {
        let calls = FaultySystemCalls()
        // open, flock, writev.
        calls.writeHalf(at: 3)
        calls.failOnce(at: part, with: EINTR)
        let parts = [Data("first".utf8), Data("the second".utf8)]
        try await onAThread { try create("a", parts, in: FileSystem(calls)) }
        #expect(try files.read(path("a"), byteLimit: 100) == Data("firstthe second".utf8))
    }

    @Test func appendedBytes_followEarlierOnes() throws {
        try create("a", [Data("one".utf8)])
        let status = try files.append(Data("two".utf8), to: path("a"), synchronizes: true)
        #expect(status.length == 6)
        #expect(try files.read(path("a"), byteLimit: 10) == Data("onetwo".utf8))
        let whole = try files.status(path("a"))
        #expect(whole.length == 6)
        #expect(try files.readEnd(path("a"), count: 4) == (Data("etwo".utf8), whole))
        #expect(try files.readEnd(path("a"), count: 100) == (Data("onetwo".utf8), whole))
        #expect(throws: FileError.self) { try files.append(Data(), to: path("none"), synchronizes: false) }
    }

    // MARK: Reading

    @Test func fileLargerThanLimit_isNotRead() throws {
        try create("a", [Data(count: 11)])
        let error = #expect(throws: FileError.self) { try files.read(path("a"), byteLimit: 10) }
        #expect(error?.code == EFBIG)
        #expect(error?.length == 11)
    }

    @Test func irregularFile_isRejected_withoutWaiting() throws {
        #expect(mkfifo(path("pipe"), 0o600) == 0)
        #expect(throws: FileError.self) { try files.read(path("pipe"), byteLimit: 10) }
        #expect(throws: FileError.self) { try files.readEnd(path("pipe"), count: 10) }
        #expect(throws: FileError.self) { try files.append(Data(), to: path("pipe"), synchronizes: false) }
        #expect(throws: FileError.self) { try files.read(temporary.path, byteLimit: 10) }
        #expect(throws: FileError.self) { try files.read("/dev/zero", byteLimit: 10) }
    }

    @Test func symbolicLinks_areFollowedOnlyWhenAsked() throws {
        try create("a", [Data("one".utf8)])
        try FileManager.default.createSymbolicLink(atPath: path("link"), withDestinationPath: path("a"))
        #expect(throws: FileError.self) { try files.read(path("link"), byteLimit: 10) }
        #expect(throws: FileError.self) { try files.append(Data("x".utf8), to: path("link"), synchronizes: false) }
        #expect(throws: FileError.self) { try files.openForAppending(path("link")) }
        #expect(throws: FileError.self) { try files.removeUnlessLocked(path("link")) }
        #expect(try FileSystem(followsLinks: true).read(path("link"), byteLimit: 10) == Data("one".utf8))
    }

    @Test func missingFile_isDistinguished() throws {
        let error = #expect(throws: FileError.self) { try files.read(path("none"), byteLimit: 1) }
        #expect(error?.isNotFound == true)
        #expect(error?.reason == "No such file or directory")
        #expect(!files.exists(path("none")))
    }

    @Test func unreadableFile_isAnError() async throws {
        try create("a", [Data(count: 5)])
        for call in [SystemCall.open, .fstat, .read] {
            let calls = FaultySystemCalls()
            calls.fail(call, with: EMFILE)
            let error = await #expect(throws: FileError.self) {
                try await onAThread { try FileSystem(calls).read(path("a"), byteLimit: 10) }
            }
            #expect(error?.code == EMFILE)
            #expect(error?.call == call.rawValue)
            #expect(try await onAThread { FileSystem(calls).exists(path("a")) })
        }
    }

    // MARK: Directories

    @Test func directories_areCreatedWithParents_forOwnerOnly() throws {
        try files.createDirectory(path("x/y/z"))
        try files.createDirectory(path("x/y/z"))
        #expect(try mode("x/y/z") == 0o700)
        #expect(try mode("x") == 0o700)
        #expect(try files.names(path("x/y/z")) == [])
    }

    @Test func directoryBelowFile_isError() throws {
        try create("a", [])
        let error = #expect(throws: FileError.self) { try files.createDirectory(path("a/b/c")) }
        #expect(error?.code == ENOTDIR)
    }

    @Test func listing_givesRegularFilesOnly() throws {
        try create("a", [Data(count: 5)])
        try files.createDirectory(path("d"))
        try FileManager.default.createSymbolicLink(atPath: path("link"), withDestinationPath: path("a"))
        var listed: [String: FileStatus] = [:]
        try files.list(temporary.path) { listed[String(cString: $0)] = $1 }
        #expect(listed.map(\.key) == ["a"])
        #expect(listed["a"]?.length == 5)
        #expect((listed["a"]?.modified ?? 0) > 1_700_000_000)
        #expect(try Set(files.names(temporary.path)) == ["a", "d", "link"])
    }

    @Test func allocatedSize_isInBlocks_andCoversLength() throws {
        let status = try create("a", [Data(repeating: 1, count: 5000)])
        #expect((status?.allocated ?? 0) >= 5000)
        let file = open(path("sparse"), O_WRONLY | O_CREAT, 0o600)
        #expect(ftruncate(file, 1 << 30) == 0)
        close(file)
        #expect(try files.status(path("sparse")).allocated >= 1 << 30)
    }

    @Test func treeRemoval_doesNotFollowLinks() throws {
        try create("kept", [Data("one".utf8)])
        try files.createDirectory(path("tree/x/y"))
        try create("tree/x/a", [Data(count: 5)])
        try FileManager.default.createSymbolicLink(atPath: path("tree/x/link"), withDestinationPath: temporary.path)
        try files.removeTree(path("tree"))
        try files.removeTree(path("tree"))
        #expect(try temporary.names() == ["kept"])
    }

    @Test func freeBytes_matchTheVolume() throws {
        #expect(try files.freeBytes(at: temporary.path) > 0)
        #expect(throws: FileError.self) { try files.freeBytes(at: path("none")) }
    }

    // MARK: Locks

    @Test func lock_belongsToOpenFile_notProcess() async throws {
        let (first, second) = (try files.openForAppending(path("lock")), try files.openForAppending(path("lock")))
        try files.lock(first, path("lock"))
        #expect(flock(second, LOCK_EX | LOCK_NB) == -1)
        try files.unlock(first, path("lock"))
        #expect(flock(second, LOCK_EX | LOCK_NB) == 0)
        // A file that is closed is locked no longer.
        files.close(second, path("lock"))
        try files.lock(first, path("lock"))
        files.close(first, path("lock"))
    }
}
