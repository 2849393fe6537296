import AlcedoTestSupport
import Foundation
import Testing

@testable import Alcedo

@Suite(.timeLimit(.minutes(1))) struct PosixFileSystemTests {
    private let temporary: TemporaryDirectory
    private let files = PosixFileSystem()

    init() throws { temporary = try TemporaryDirectory() }

    private func path(_ name: String) -> String { temporary.path + "/" + name }

    @Test func partsAreWrittenInOrder_andReadBack() throws {
        try files.create(path("a"), [Data("one".utf8), Data(), Data("two".utf8)])
        #expect(try files.read(path("a"), byteLimit: 6) == Data("onetwo".utf8))
        let mode = try FileManager.default.attributesOfItem(atPath: path("a"))[.posixPermissions] as? Int
        #expect(mode == 0o600)
    }

    @Test func aFileThatIsThere_isNotOverwritten() throws {
        try files.create(path("a"), [Data("one".utf8)])
        #expect(throws: FileError.self) { try files.create(path("a"), [Data("two".utf8)]) }
        #expect(try files.read(path("a"), byteLimit: 10) == Data("one".utf8))
    }

    @Test func aFileLargerThanTheLimit_isNotRead() throws {
        try files.create(path("a"), [Data(count: 11)])
        let error = #expect(throws: FileError.self) { try files.read(path("a"), byteLimit: 10) }
        #expect(error?.code == EFBIG)
    }

    @Test func whatIsNoRegularFile_isRefused_withoutWaiting() throws {
        #expect(mkfifo(path("pipe"), 0o600) == 0)
        #expect(throws: FileError.self) { try files.read(path("pipe"), byteLimit: 10) }
        #expect(throws: FileError.self) { try files.read(temporary.path, byteLimit: 10) }
        #expect(throws: FileError.self) { try files.read("/dev/zero", byteLimit: 10) }
    }

    @Test func symbolicLinks_areFollowedOnlyWhenAsked() throws {
        try files.create(path("a"), [Data("one".utf8)])
        try FileManager.default.createSymbolicLink(atPath: path("link"), withDestinationPath: path("a"))
        #expect(throws: FileError.self) { try files.read(path("link"), byteLimit: 10) }
        #expect(try PosixFileSystem(followsLinks: true).read(path("link"), byteLimit: 10) == Data("one".utf8))
    }

    @Test func directories_areMadeWithThoseAbove_forTheirOwnerOnly() throws {
        try files.createDirectory(path("x/y/z"))
        try files.createDirectory(path("x/y/z"))
        let mode = try FileManager.default.attributesOfItem(atPath: path("x/y/z"))[.posixPermissions] as? Int
        #expect(mode == 0o700)
        #expect(try files.list(path("x/y/z")) == [])
    }

    @Test func aDirectoryBelowAFile_isAnError() throws {
        try files.create(path("a"), [])
        let error = #expect(throws: FileError.self) { try files.createDirectory(path("a/b/c")) }
        #expect(error?.code == ENOTDIR)
    }

    @Test func aMissingFile_isToldApart() throws {
        let error = #expect(throws: FileError.self) { try files.read(path("none"), byteLimit: 1) }
        #expect(error?.isNotFound == true)
        #expect(error?.reason == "No such file or directory")
    }

    @Test func listing_givesRegularFilesOnly() throws {
        try files.create(path("a"), [Data(count: 5)])
        try files.createDirectory(path("d"))
        let listed = try files.list(temporary.path)
        #expect(listed.map(\.name) == ["a"])
        #expect(listed.map(\.length) == [5])
        #expect((listed.first?.modified ?? 0) > 1_700_000_000)
    }
}
