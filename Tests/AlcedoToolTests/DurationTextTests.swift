import Testing

@testable import AlcedoTool

@Suite struct DurationTextTests {
    @Test(
        arguments: [
            (0, "0 s"), (1, "1 s"), (59, "59 s"), (60, "1 min"), (61, "1 min 1 s"), (3_599, "59 min 59 s"),
            (3_600, "1 h"), (3_630, "1 h"), (11_520, "3 h 12 min"), (86_399, "23 h 59 min"), (86_400, "1 d"),
            (86_460, "1 d"), (187_200, "2 d 4 h"), (31_536_000, "365 d"),
        ] as [(Int64, String)])
    func text_hasTheTwoLargestUnits(_ seconds: Int64, _ text: String) {
        #expect(DurationText.of(seconds) == text)
    }
}
