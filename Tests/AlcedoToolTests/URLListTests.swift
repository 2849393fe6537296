import Alcedo
import AlcedoTestSupport
import Foundation
import Testing

@testable import AlcedoTool

@Suite(.timeLimit(.minutes(1))) struct URLListTests {
    private func urls(_ text: String) -> [String] {
        URLList(Data(text.utf8)).requests.map { $0.url?.absoluteString ?? "" }
    }

    @Test func lines_areURLs_withoutCommentsAndBlankLines() {
        let text = "\u{FEFF}http://h/a\n\n  # comment\n#http://h/no\r\n\thttps://h/b#c \r\n \rhttp://h/d"
        #expect(urls(text) == ["http://h/a", "https://h/b#c", "http://h/d"])
        #expect(URLList(Data(text.utf8)).problems.isEmpty)
        #expect(urls("") == [])
        #expect(urls("# only this") == [])
    }

    @Test func repeatedURL_countsOnce() {
        #expect(urls("http://h/a\nhttp://h/b\nhttp://h/a\n") == ["http://h/a", "http://h/b"])
    }

    /// As browsers show them.
    @Test func charactersBeyondASCII_areEncoded() {
        #expect(urls("http://h/é/日本.png?q=ü") == ["http://h/%C3%A9/%E6%97%A5%E6%9C%AC.png?q=%C3%BC"])
        #expect(urls("http://h/é%20a") == ["http://h/%C3%A9%20a"])
        #expect(urls("http://bücher.example/ä") == ["http://xn--bcher-kva.example/%C3%A4"])
    }

    @Test(arguments: [
        "foo", "pic.png", "ftp://h/a", "file:///a.png", "data:,x", "http://", "http://a b/", "http://[", "\0",
    ])
    func otherLines_areProblems(_ line: String) {
        let list = URLList(Data("http://h/a\n\(line)\n".utf8))
        #expect(list.requests.count == 1)
        #expect(list.problems.map(\.text) == [line])
    }

    @Test func file_isReadToItsEnd() async throws {
        let temporary = try TemporaryDirectory()
        let text = Data(String(repeating: "http://h/a\n", count: 100_000).utf8)
        try text.write(to: temporary.url.appendingPathComponent("list"))
        #expect(try await URLList.read(temporary.file("list")) == text)
        await #expect(throws: POSIXError(.ENOENT)) { try await URLList.read(temporary.file("missing")) }
        await #expect(throws: POSIXError(.EISDIR)) { try await URLList.read(temporary.path) }
    }

    /// Somebody may never write to a pipe.
    @Test func reader_isCancelledAtOnce() async throws {
        let temporary = try TemporaryDirectory()
        try #require(mkfifo(temporary.file("pipe"), 0o600) == 0)
        // Open at both ends, so that reading neither fails nor ends.
        let pipe = open(temporary.file("pipe"), O_RDWR | O_CLOEXEC)
        defer { close(pipe) }
        let reading = Task { try await URLList.read(temporary.file("pipe")) }
        reading.cancel()
        #expect(try await reading.value.isEmpty)
    }
}
