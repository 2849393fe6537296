import Testing

@testable import AlcedoTool

@Suite struct KeyParserTests {
    private func parse(_ text: String) -> [TerminalInput] {
        var parser = KeyParser()
        return parser.parse(text.utf8)
    }

    @Test(
        arguments: [
            ("a", .character("a")), ("+", .character("+")), (" ", .character(" ")), ("é", .character("é")),
            ("鳥", .character("鳥")), ("🐦", .character("🐦")), ("\r", .enter), ("\n", .enter), ("\u{1B}[A", .up),
            ("\u{1B}[B", .down), ("\u{1B}[C", .right), ("\u{1B}[D", .left), ("\u{1B}OA", .up), ("\u{1B}OD", .left),
            ("\u{1B}[1;5C", .right), ("\u{1B}[5~", .pageUp), ("\u{1B}[6~", .pageDown), ("\u{1B}[6;3~", .pageDown),
            ("\u{1B}[H", .home), ("\u{1B}[F", .end), ("\u{1B}[1~", .home), ("\u{1B}[4~", .end), ("\u{1B}OF", .end),
            ("\u{1B}OM", .enter),
        ] as [(String, Key)])
    func sequence_isAKey_howeverItIsSplit(_ text: String, _ key: Key) {
        #expect(parse(text) == [.key(key)])
        var parser = KeyParser()
        #expect(text.utf8.flatMap { parser.parse([$0]) } == [.key(key)])
        #expect(parser == KeyParser())
    }

    @Test func keys_mayArriveTogether() {
        let keys: [Key] = [.character("j"), .down, .character("q"), .pageUp, .enter]
        #expect(parse("j\u{1B}[Bq\u{1B}[5~\r") == keys.map { .key($0) })
    }

    @Test func escape_isAKey_ifNothingFollows() {
        var parser = KeyParser()
        #expect(parser.parse([0x1B]) == [])
        #expect(parser.flush() == [.key(.escape)])
        #expect(parser.flush() == [])
        #expect(parser.parse([0x1B, 0x1B]) == [.key(.escape)])
        #expect(parser.flush() == [.key(.escape)])
    }

    @Test func incompleteSequence_isDroppedAfterAMoment() {
        var parser = KeyParser()
        #expect(parser.parse("\u{1B}[1".utf8) == [])
        #expect(parser.flush() == [])
        #expect(parser.parse("q".utf8) == [.key(.character("q"))])
    }

    @Test func unusedSequences_areSkipped() {
        // A function key, a key with Alt, a tabulator, an invalid byte, a report of the mouse, and a title.
        #expect(
            parse("\u{1B}[15~\u{1B}x\t\u{1B}[<0;3;4M\u{1B}]0;title\u{7}\u{1B}]0;t\u{1B}\\q") == [.key(.character("q"))])
        var parser = KeyParser()
        #expect(parser.parse([0xFF, 0x80, 0xC3, 0x28, 0x71]) == [.key(.character("(")), .key(.character("q"))])
    }

    @Test func endlessSequence_isDropped() {
        var parser = KeyParser()
        for start in ["\u{1B}[", "\u{1B}_"] {
            #expect(parser.parse((start + String(repeating: "1", count: 300)).utf8) == [])
            #expect(parser.parse("q".utf8) == [.key(.character("q"))])
        }
    }

    @Test func answers_areKnown() {
        let text = "\u{1B}_Gi=31;OK\u{1B}\\\u{1B}[?62;c\u{1B}_Gi=7,p=1;ENOENT:no such image\u{1B}\\"
        let answers: [TerminalInput] = [
            .graphics(id: 31, isGood: true), .attributes, .graphics(id: 7, isGood: false),
        ]
        #expect(parse(text) == answers)
        var parser = KeyParser()
        #expect(text.utf8.flatMap { parser.parse([$0]) } == answers)
    }
}
