import Alcedo
import AlcedoTestSupport
import Foundation
import Testing

@testable import AlcedoTool

/// The names that servers give files, for `alcedo load --remote-names`.
@Suite(.timeLimit(.minutes(1))) struct RemoteNamesTests {
    @Test(
        arguments: [
            ("attachment; filename=a.png", "a.png"), (#"attachment; filename="a b.png""#, "a b.png"),
            (#"inline;FileName="a.png";size=5"#, "a.png"), (#"attachment; filename="a\"b;c.png""#, #"a"b;c.png"#),
            ("attachment; filename*=UTF-8''%e2%82%ac%20x.png", "€ x.png"),
            ("attachment; filename*=iso-8859-1'en'%A3.png", "£.png"),
            (#"attachment; filename="a.png"; filename*=UTF-8''b.png"#, "b.png"),
            (#"attachment; filename*=UTF-8''b.png; filename="a.png""#, "b.png"),
            (#"attachment; filename*=koi8-r''%A3; filename="a.png""#, "a.png"),
            (#"attachment; filename*=UTF-8''%A3; filename="a.png""#, "a.png"),
            (#"attachment; filename*=b.png; filename="a.png""#, "a.png"),
            ("attachment; filename=a.png; filename=b.png", "a.png"), ("attachment; filename=a b.png ; x=y", "a b.png"),
            ("attachment ; filename = a.png", "a.png"), (#"attachment; filename="a.png" b; x"#, "a.png"),
            (#"attachment; filename="a%20b.png""#, "a%20b.png"), (#"attachment; filename="é.png""#, "é.png"),
            ("attachment; x=\"filename=b.png\"; filename=a.png", "a.png"), (#"a; filename="a.png"#, "a.png"),
            (#"a; filename="/etc/passwd""#, "passwd"), (#"a; filename="C:\\dir\\a.png""#, "a.png"),
            (#"a; filename="../../a.png""#, "a.png"), ("a; filename*=UTF-8''..%2F..%5Ca.png", "a.png"),
            ("a; filename*=UTF-8''%2e%2e", nil), ("a; filename=..", nil), ("a; filename=", nil), ("a; filename", nil),
            (#"a; filename="""#, nil), (#"a; filename="/""#, nil), ("a;;;", nil), ("", nil), ("attachment", nil),
            ("filename=a.png", nil), ("a; filename*=UTF-8''", nil), (#"a; filename=" . ""#, nil),
        ] as [(String, String?)])
    func fileName_isRead(_ field: String, _ name: String?) {
        #expect(ContentDisposition.fileName(field) == name)
    }

    /// A server that answers each path with a picture and this field.
    private func fixture(_ fields: [String: String]) throws -> LoadFixture {
        let png = try Pictures.png()
        return try LoadFixture { request in
            let reply = LoopbackServer.Reply.bytes(png, contentType: "image/png")
            return fields[request.path].map { reply.header("Content-Disposition", $0) } ?? reply
        }
    }

    private func load(_ fixture: LoadFixture, _ paths: [String], _ options: String...) async throws -> Int32 {
        let arguments = paths.map(fixture.url) + ["-o", fixture.temporary.file("out"), "-j1"] + options
        return try await fixture.load(arguments)
    }

    @Test func names_areThoseOfTheServers_orElseOfTheURLs() async throws {
        let fixture = try fixture([
            "/1": "attachment; filename=one.png", "/2.png": #"inline; filename="Two words.jpg""#,
            "/4.png": "attachment; filename=4.png",
        ])
        #expect(try await load(fixture, ["/1", "/2.png", "/3.png", "/4.png"], "--remote-names") == 0)
        #expect(try fixture.temporary.names(in: "out") == ["3.png", "4.png", "Two words.jpg", "one.png"])
        #expect(fixture.outputLines.first?.hasSuffix(" → \(fixture.temporary.file("out"))/one.png") == true)
    }

    @Test func withoutTheOption_namesAreThoseOfTheURLs() async throws {
        let fixture = try fixture(["/1.png": "attachment; filename=one.png"])
        #expect(try await load(fixture, ["/1.png"]) == 0)
        #expect(try fixture.temporary.names(in: "out") == ["1.png"])
    }

    @Test func names_areTheSame_fromTheCache() async throws {
        let fixture = try fixture(["/1.png": "attachment; filename=one.png"])
        #expect(try await fixture.load("-q", fixture.url("/1.png")) == 0)
        #expect(try await load(fixture, ["/1.png"], "--remote-names", "--offline") == 0)
        #expect(try fixture.temporary.names(in: "out") == ["one.png"])
    }

    @Test func names_areUnique_andSafe() async throws {
        let fixture = try fixture([
            "/1": "a; filename=a.png", "/2": "a; filename=A.png", "/3": "a; filename=\"../../3.png\"",
            "/4": "a; filename*=UTF-8''%00%0A%1B%5B2J%E2%80%AE.png", "/5": "a; filename=.bashrc",
            "/6": "a; filename=-rf.png", "/7": "a; filename=con.png",
            "/8": "a; filename=" + String(repeating: "x", count: 600) + ".png",
        ])
        let paths = (1...8).map { "/\($0)" } + ["/a.png"]
        #expect(try await load(fixture, paths, "--remote-names") == 0, "\(fixture.errorLines)")
        let names = try fixture.temporary.names(in: "out")
        #expect(names.count == 9)
        #expect(try fixture.temporary.names() == ["cache", "out"])
        // The name of a URL is kept for it.
        let expected = ["3.png", "A-3.png", "_con.png", "_rf.png", "a-2.png", "a.png", "bashrc.png"]
        #expect(Set(names).isSuperset(of: expected), "\(names)")
        for name in names {
            #expect(name.utf8.count <= 255 && name.unicodeScalars.allSatisfy { !OneLine.isUnsafe($0) }, "\(name)")
        }
    }

    @Test func existingFile_isNotOverwritten() async throws {
        let fixture = try fixture(["/1": "attachment; filename=mine.png"])
        let out = fixture.temporary.file("out")
        try FileManager.default.createDirectory(atPath: out, withIntermediateDirectories: false)
        try Data("mine".utf8).write(to: URL(fileURLWithPath: out + "/mine.png"))
        #expect(try await load(fixture, ["/1"], "--remote-names") == 1)
        let reason = ErrorText.of(systemCode: EEXIST)
        #expect(fixture.errorLines == ["\(fixture.url("/1")): not saved: \(out)/mine.png: \(reason)"])
        #expect(FileManager.default.contents(atPath: out + "/mine.png") == Data("mine".utf8))
    }

    @Test func convertedFile_hasTheEndingOfItsFormat() async throws {
        let fixture = try fixture(["/1": "attachment; filename=one.png"])
        #expect(try await load(fixture, ["/1"], "--remote-names", "--format", "gif") == 0)
        #expect(try fixture.temporary.names(in: "out") == ["one.gif"])
    }
}
