import Alcedo
import Testing

@Suite struct RequestPriorityTests {
    @Test func priorities_areOrderedByUrgency() {
        #expect(RequestPriority.allCases.shuffled().sorted() == [.veryLow, .low, .normal, .high, .veryHigh])
    }

    @Test func twoLowest_areForBackground() {
        #expect(RequestPriority.allCases.filter(\.isBackground) == [.veryLow, .low])
    }
}
