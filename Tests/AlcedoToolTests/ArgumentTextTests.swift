import Alcedo
import AlcedoTestSupport
import Foundation
import Testing

@testable import AlcedoTool

/// Names of files are bytes, and may be no UTF-8.
@Suite(.timeLimit(.minutes(1))) struct ArgumentTextTests {
    @Test(arguments: [
        [], Array("a b.png".utf8), Array("Фото 犬.png".utf8), [0xE9], Array("caf".utf8) + [0xE9, 0xC3, 0xA9, 0xFF],
        [0xC3], [0xE2, 0x82], [0xF0, 0x9F, 0x98], [0xC0, 0x80], [0xED, 0xA0, 0x80], [0x80, 0xBF],
        // A character that stands for a byte is bytes itself.
        Array("a\u{10FEE9}b".utf8), [0xE9] + Array("\u{10FEE9}".utf8),
    ])
    func bytes_areFoundAgain(bytes: [UInt8]) {
        #expect(ArgumentText.bytes(of: ArgumentText.text(bytes)) == bytes)
    }

    @Test func anyBytes_areFoundAgain() {
        var random = SeededRandom(seed: 11)
        let bytes: [UInt8] = [0x41, 0xC3, 0xA9, 0xF4, 0x8F, 0xBA, 0xA9, 0xE2, 0x82, 0xAC, 0xFF]
        for _ in 0..<2_000 {
            let count = Int.random(in: 0..<12, using: &random)
            let name = (0..<count).compactMap { _ in bytes.randomElement(using: &random) }
            #expect(ArgumentText.bytes(of: ArgumentText.text(name)) == name)
        }
    }

    @Test func utf8_staysText() {
        for text in ["", "a b.png", "Фото 犬.png", "e\u{301}"] {
            #expect(Array(ArgumentText.text(Array(text.utf8)).utf8) == Array(text.utf8))
            #expect(ArgumentText.shown(text) == text)
        }
        #expect(ArgumentText.shown(ArgumentText.text(Array("caf".utf8) + [0xE9, 0x21])) == "caf\u{FFFD}!")
    }

    @Test func text_isAPathOrAPartOfAURL() {
        let text = ArgumentText.text(Array("é%".utf8) + [0xE9, 0xC3, 0x0F])
        #expect(ArgumentText.path(text).map { UInt8(bitPattern: $0) } == Array("é%".utf8) + [0xE9, 0xC3, 0x0F, 0])
        #expect(ArgumentText.percentEncoded(text) == "é%%E9%C3\u{F}")
    }

    @Test func program_hasItsArguments() {
        #expect(ArgumentText.ofProgram == CommandLine.arguments)
    }

    @Test func fileWhoseNameIsNotUTF8_isLoaded() async throws {
        let fixture = try LoadFixture.ofPictures()
        let name = Array("caf".utf8) + [0xE9] + Array(" #%.png".utf8)
        let path = Array((fixture.temporary.path + "/").utf8) + name
        let picture = try Pictures.png(5, 4)
        let file = fopen(path.map { CChar(bitPattern: $0) } + [0], "w")
        picture.withUnsafeBytes { _ = fwrite($0.baseAddress, 1, $0.count, file) }
        fclose(file)
        #expect(try await fixture.load(ArgumentText.text(path)) == 0)
        let shown = "\(fixture.temporary.path)/caf\u{FFFD} #%.png"
        #expect(fixture.outputLines.first?.hasPrefix("\(shown): png, 5 × 4, ") == true)
        #expect(try await fixture.load(ArgumentText.text(path + [0xE9])) == 1)
        #expect(fixture.errorLines.first?.hasPrefix("\(shown)\u{FFFD}: ") == true)
    }
}

#if os(Linux)
extension ArgumentTextTests {
    /// In a folder whose name isn't UTF-8 either. The shell gives it the bytes.
    @Test func program_isGivenTheBytes() async throws {
        let temporary = try TemporaryDirectory()
        try Pictures.png(5, 4).write(to: temporary.url.appending(path: "a.png"))
        let script = #"d=$(printf 'd\351'); mkdir "$d" && cp a.png "$d/$d.png" && cd "$d" && exec "$0" load *.png"#
        let tool = try ToolProcess([], screen: TestScreen.pipe, isTerminal: false, in: temporary, script: script)
        #expect(try await tool.untilExit() == 0)
        #expect(tool.screen.lines.first?.hasPrefix("d\u{FFFD}.png: png, 5 × 4, local in ") == true)
    }
}
#endif
