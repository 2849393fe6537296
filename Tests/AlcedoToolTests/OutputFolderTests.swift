import AlcedoTestSupport
import Foundation
import Testing

@testable import AlcedoTool

@Suite(.timeLimit(.minutes(1))) struct OutputFolderTests {
    private let temporary: TemporaryDirectory
    private let exists = OutputFolder.Failure(code: EEXIST)

    init() throws { temporary = try TemporaryDirectory() }

    private func folder(_ name: String = "out", overwrites: Bool = false) -> OutputFolder {
        OutputFolder(path: temporary.file(name), overwrites: overwrites)
    }

    private func text(_ name: String) -> String? {
        FileManager.default.contents(atPath: temporary.file(name)).map { String(decoding: $0, as: UTF8.self) }
    }

    @Test func file_isSavedInANewDirectory() throws {
        try folder("x/y/").save(Data("abc".utf8), as: "a.png")
        #expect(text("x/y/a.png") == "abc")
        #expect(try temporary.names(in: "x/y") == ["a.png"])
        #expect(folder("x/y/").path(of: "a.png") == temporary.file("x/y/a.png"))
        #expect(OutputFolder(path: "out").path(of: "a.png") == "out/a.png")
    }

    @Test func largeAndEmptyFiles_areSaved() throws {
        let large = Data(repeating: 7, count: 5 << 20)
        try folder().save(large, as: "large")
        try folder().save(Data(), as: "empty")
        #expect(FileManager.default.contents(atPath: temporary.file("out/large")) == large)
        #expect(text("out/empty") == "")
    }

    @Test func permissions_areTheUsersDefault() throws {
        let mask = umask(0)
        umask(mask)
        try folder().save(Data(), as: "a")
        var status = stat()
        #expect(lstat(temporary.file("out/a"), &status) == 0)
        #expect(status.st_mode & 0o777 == 0o666 & ~mask)
    }

    @Test(arguments: [0o600, 0o444, 0o666, 0o750] as [mode_t])
    func overwrittenFile_keepsItsPermissions(_ permissions: mode_t) throws {
        try folder().save(Data(), as: "a")
        #expect(chmod(temporary.file("out/a"), permissions) == 0)
        try folder(overwrites: true).save(Data("new".utf8), as: "a")
        var status = stat()
        #expect(lstat(temporary.file("out/a"), &status) == 0)
        #expect(status.st_mode & 0o7777 == permissions && text("out/a") == "new")
    }

    @Test func existingFile_isOverwrittenOnlyIfForced() throws {
        try folder().save(Data("old".utf8), as: "a")
        #expect(throws: exists) { try folder().save(Data("new".utf8), as: "a") }
        #expect(text("out/a") == "old")
        try folder(overwrites: true).save(Data("new".utf8), as: "a")
        #expect(text("out/a") == "new")
        #expect(try temporary.names(in: "out") == ["a"])
    }

    @Test func links_areNeverFollowed() throws {
        try folder().save(Data("old".utf8), as: "existing")
        let links = ["dangling": temporary.file("target"), "linked": temporary.file("out/existing")]
        for (name, target) in links {
            try FileManager.default.createSymbolicLink(
                atPath: temporary.file("out/\(name)"), withDestinationPath: target)
            #expect(throws: exists) { try folder().save(Data("new".utf8), as: name) }
            try folder(overwrites: true).save(Data("new".utf8), as: name)
            #expect(text("out/\(name)") == "new")
            // The link itself was replaced.
            var status = stat()
            #expect(lstat(temporary.file("out/\(name)"), &status) == 0 && status.st_mode & S_IFMT == S_IFREG)
        }
        #expect(text("target") == nil)
        #expect(text("out/existing") == "old")
    }

    /// Only one of them may claim the name, and its file is whole.
    @Test func concurrentSaves_haveOneWinner() async throws {
        let folder = folder()
        let winners = await withTaskGroup(of: String?.self) { group in
            for number in 0..<16 {
                group.addTask {
                    let text = String(repeating: "\(number) ", count: 10_000)
                    do throws(OutputFolder.Failure) {
                        try folder.save(Data(text.utf8), as: "a")
                        return text
                    } catch {
                        return nil
                    }
                }
            }
            return await group.reduce(into: [String]()) { if let text = $1 { $0.append(text) } }
        }
        #expect(winners.count == 1)
        #expect(text("out/a") == winners.first)
        #expect(try temporary.names(in: "out") == ["a"])
    }

    @Test func failures_sayWhy_andLeaveNothing() throws {
        try Data().write(to: temporary.url.appendingPathComponent("file"))
        for name in ["file", "file/x"] {
            #expect(throws: OutputFolder.Failure(code: ENOTDIR)) { try folder(name).save(Data(), as: "a") }
        }
        try FileManager.default.createDirectory(
            atPath: temporary.file("out/directory"), withIntermediateDirectories: true)
        #expect(throws: exists) { try folder().save(Data(), as: "directory") }
        #expect(throws: OutputFolder.Failure(code: EISDIR)) {
            try folder(overwrites: true).save(Data(), as: "directory")
        }
        #expect(throws: OutputFolder.Failure(code: ENAMETOOLONG)) {
            try folder().save(Data(), as: String(repeating: "x", count: 300))
        }
        #expect(try temporary.names(in: "out") == ["directory"])
    }
}
