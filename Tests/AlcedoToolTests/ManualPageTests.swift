import Foundation
import Testing

@testable import AlcedoTestSupport
@testable import AlcedoTool

@Suite(.timeLimit(.minutes(1))) struct ManualPageTests {
    private let page = ManualPage(root: CommandTable.alcedo).text

    @Test func manual_isComplete() async {
        let console = Console(capturing: ())
        #expect(await Main.run(["man"], on: console) == 0)
        #expect(console.output == page + "\n")
        func expect(_ text: String) { #expect(page.contains(ManualPage.plain(text)), "\(text)") }
        for command in CommandTable.alcedo.tree {
            if command.commands.isEmpty {
                #expect(page.contains(".SS \"alcedo \(ManualPage.plain(command.usage))\"\n"), "\(command.name)")
                command.details.forEach(expect)
            }
            for option in command.options {
                expect((option.short.map { "\($0), " } ?? "") + option.form)
                expect(option.help)
            }
            if command.commands.isEmpty || command == CommandTable.alcedo {
                for example in command.examples { expect(example.line) }
            }
            for variable in command.environment { expect(variable.title) }
        }
        for (code, meaning) in ManualPage.exitCodes { expect("\(code)\n\(meaning)") }
    }

    @Test func lines_areTextOrKnownMacros() {
        // A first line that begins with an apostrophe would name preprocessors.
        #expect(page.hasPrefix(#".\" "#))
        for line in page.split(separator: "\n").dropFirst() where line.hasPrefix(".") || line.hasPrefix("'") {
            #expect([".TH", ".SH", ".SS", ".TP", ".PP", ".B", ".I"].contains(line.prefix { $0 != " " }), "\(line)")
        }
        #expect(page.utf8.allSatisfy { $0 < 0x80 })
    }

    @Test(arguments: [
        ("--a-b", #"\-\-a\-b"#), (#"a\b"#, #"a\eb"#), (".x", #"\&.x"#), ("'x' \"y\"", #"\(aqx\(aq \(dqy\(dq"#),
        ("~/x^`", #"\(ti/x\(ha\(ga"#),
    ])
    func text_hasNoMeaning(_ text: String, _ escaped: String) {
        #expect(ManualPage.plain(text) == escaped)
    }

    @Test(.enabled(if: ServerProcess.find("groff") != nil)) func formatter_findsNoFault() async throws {
        let temporary = try TemporaryDirectory()
        try Data((page + "\n").utf8).write(to: temporary.url.appendingPathComponent("alcedo.1"))
        let groff = try #require(ServerProcess.find("groff"))
        let process = try LineProcess(
            ["/bin/sh", "-c", #""$0" -man -ww -z alcedo.1 2>&1"#, groff], in: temporary.path)
        var lines: [String] = []
        while let line = try await process.nextLine() { lines.append(line) }
        #expect(try await process.end() == 0)
        #expect(lines.isEmpty)
    }
}
