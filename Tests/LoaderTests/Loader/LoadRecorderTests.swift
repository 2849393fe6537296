import Alcedo
import Foundation
import Testing

@testable import TestFixtures

/// Events that are kept.
struct LoadRecorderTests {
    private func event(_ number: Int) -> LoadEvent {
        LoadEvent(kind: .progress(received: number, expected: nil))
    }

    private func numbers(_ recorder: LoadRecorder) -> [Int] {
        recorder.events.compactMap { if case .progress(let received, _) = $0.kind { received } else { nil } }
    }

    @Test func newestEvents_areKept_inOrder() {
        let recorder = LoadRecorder(capacity: 3)
        #expect(recorder.events.isEmpty && recorder.capacity == 3)
        for number in 1...8 {
            recorder.receive(event(number))
            #expect(numbers(recorder) == Array(max(1, number - 2)...number))
            #expect(recorder.droppedCount == max(0, number - 3))
        }
        recorder.removeAll()
        #expect(recorder.events.isEmpty && recorder.droppedCount == 0)
        recorder.receive(event(9))
        #expect(numbers(recorder) == [9])
    }

    @Test(arguments: [255, 256, 257, 1_000])
    func newestEvents_areKept_atAnyCapacity(_ capacity: Int) {
        let recorder = LoadRecorder(capacity: capacity)
        for number in 1...3_000 {
            recorder.receive(event(number))
            guard number % 128 < 2 else { continue }
            #expect(numbers(recorder) == Array(max(1, number - capacity + 1)...number))
            #expect(recorder.droppedCount == max(0, number - capacity))
        }
    }

    @Test func eventsOfManyThreads_areAllCounted() async {
        let recorder = LoadRecorder(capacity: 100)
        await withTaskGroup { group in
            for _ in 0..<8 { group.addTask { for number in 0..<1_000 { recorder.receive(event(number)) } } }
        }
        #expect(recorder.events.count == 100 && recorder.droppedCount == 7_900)
    }
}
