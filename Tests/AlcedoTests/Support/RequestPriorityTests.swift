import Testing

@testable import Alcedo

@Suite struct RequestPriorityTests {
    @Test func priorities_areOrderedByUrgency() {
        #expect(RequestPriority.allCases.shuffled().sorted() == [.veryLow, .low, .normal, .high, .veryHigh])
    }

    @Test func theTwoLowest_areForTheBackground() {
        #expect(RequestPriority.allCases.filter(\.isBackground) == [.veryLow, .low])
    }
}
