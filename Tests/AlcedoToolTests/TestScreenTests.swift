import Testing

/// The screen of the tests.
@Suite struct TestScreenTests {
    @Test func text_isWrittenOver_andErased() {
        var screen = TestScreen(columns: 10)
        screen.write("abc\r\ndef\r\u{1B}[1Ax\r\n")
        #expect(screen.lines == ["xbc", "def"])
        #expect(screen.cursor == [1, 0])
        screen.write("\u{1B}[J")
        #expect(screen.lines == ["xbc"])
        #expect(screen.unknown.isEmpty)
    }

    @Test func longText_wraps_unlessToldNotTo() {
        var screen = TestScreen(columns: 3)
        screen.write("abcdefg\rX\u{1B}[1AY\u{1B}[?7l2345\u{1B}[?7h")
        #expect(screen.lines == ["abcdY5X"])
    }

    @Test func unknownSequences_areNoted() {
        var screen = TestScreen()
        screen.write("\u{1B}[2K\u{1B}[31mé\u{7}")
        #expect(screen.unknown == ["2K", "31m", "[7]"])
        #expect(screen.lines == ["é"])
        #expect(screen.hasControls)
    }

    /// Where the cursor is, and what is below it, when the width changes.
    @Test func newWidth_wrapsOrCuts() {
        for kind in TestScreen.Kind.allCases {
            var screen = TestScreen(kind, columns: 6)
            screen.write("result\r\n12345\r\n12345\u{1B}[1A\r")
            screen.resize(columns: 3)
            screen.write("\u{1B}[1Aup")
            #expect(screen.lines == (kind == .wrapping ? ["resupt", "12345", "12345"] : ["ups", "123", "123"]))
        }
    }
}
