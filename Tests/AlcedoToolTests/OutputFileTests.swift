import AlcedoTestSupport
import Foundation
import Testing

@testable import AlcedoTool

@Suite(.timeLimit(.minutes(1))) struct OutputFileTests {
    private let temporary: TemporaryDirectory
    private let console = Console(capturing: ())

    init() throws { temporary = try TemporaryDirectory() }

    private func line(_ file: OutputFile, _ code: Int32) -> String {
        "\(file.path): \(OutputFolder.Failure(code: code).reason)\n"
    }

    private func text(_ name: String) -> String? {
        FileManager.default.contents(atPath: temporary.file(name)).map { String(decoding: $0, as: UTF8.self) }
    }

    /// The check before anything is loaded agrees with the write that follows.
    @Test(arguments: ["target", "no/target", "other"]) func linkWithoutForce_isAnError(_ target: String) throws {
        try Data("mine".utf8).write(to: temporary.url.appending(path: "other"))
        let file = OutputFile(path: temporary.file("link"))
        #expect(symlink(target, file.path) == 0)
        #expect(!file.mayBeWritten(console) && console.errors == line(file, EEXIST))
        #expect(!file.write(Data("one".utf8), on: console) && console.errors == line(file, EEXIST) + line(file, EEXIST))
        #expect(try temporary.names() == ["link", "other"] && text("other") == "mine")
    }

    @Test func forcedLink_isAnError_ifItsTargetCannotBeWritten() throws {
        try Data().write(to: temporary.url.appending(path: "file"))
        let targets = [
            ("no/target", ENOENT), (temporary.file("no/target"), ENOENT), ("file/target", ENOTDIR), (".", EISDIR),
            ("self", ELOOP),
        ]
        for (target, code) in targets {
            let own = code == ELOOP ? "self" : "link\(target.utf8.count)"
            let file = OutputFile(path: temporary.file(own), overwrites: true)
            #expect(symlink(target, file.path) == 0)
            let errors = console.errors
            #expect(!file.mayBeWritten(console) && console.errors == errors + line(file, code), "\(target)")
        }
    }

    @Test func forcedLinks_mayLeadToNothing_throughOthers() throws {
        let file = OutputFile(path: temporary.file("one"), overwrites: true)
        try FileManager.default.createDirectory(atPath: temporary.file("sub"), withIntermediateDirectories: false)
        #expect(symlink("sub/two", file.path) == 0 && symlink("../three", temporary.file("sub/two")) == 0)
        #expect(file.mayBeWritten(console) && text("three") == nil)
        #expect(file.write(Data("new".utf8), on: console) && text("three") == "new", "\(console.errors)")
        #expect(file.mayBeWritten(console) && console.errors.isEmpty)
    }

    @Test(.enabled(if: geteuid() != 0, "root can write everywhere"))
    func fileInAnUnwritableDirectory_isWrittenInPlace_ifForced() throws {
        try FileManager.default.createDirectory(atPath: temporary.file("sub"), withIntermediateDirectories: false)
        let file = OutputFile(path: temporary.file("sub/a"), overwrites: true)
        try Data("old one".utf8).write(to: URL(fileURLWithPath: file.path))
        #expect(chmod(temporary.file("sub"), 0o555) == 0)
        defer { chmod(temporary.file("sub"), 0o755) }
        #expect(file.mayBeWritten(console) && file.write(Data("new".utf8), on: console), "\(console.errors)")
        #expect(text("sub/a") == "new")
        #expect(chmod(file.path, 0o444) == 0)
        let other = OutputFile(path: temporary.file("sub/b"), overwrites: true)
        let link = OutputFile(path: temporary.file("link"), overwrites: true)
        #expect(symlink("sub/b", link.path) == 0)
        for file in [file, other, link] { #expect(!file.mayBeWritten(console)) }
        #expect(console.errors == [file, other, link].map { line($0, EACCES) }.joined())
    }
}
