import Testing

@testable import AlcedoTestSupport

@Suite(.timeLimit(.minutes(1)))
struct HandshakeTests {
    private struct Closed: Error, Equatable {}

    @Test func presentElement_isTakenAtOnce() async throws {
        let handshake = Handshake([1, 2])
        #expect(try await handshake.wait { $0.isEmpty ? nil : $0.removeFirst() } == 1)
        #expect(handshake.snapshot == [2])
    }

    @Test func waiter_resumes_whenItsConditionHolds() async throws {
        let handshake = Handshake(0)
        async let waited = handshake.wait { $0 >= 2 ? $0 : nil }
        handshake.update { $0 += 1 }
        handshake.update { $0 += 1 }
        #expect(try await waited == 2)
        #expect(handshake.waiterCount == 0)
    }

    @Test func manyWaiters_takeEachElementOnce() async throws {
        let handshake = Handshake([Int]())
        try await withThrowingTaskGroup(of: Int.self) { group in
            for _ in 0..<100 {
                group.addTask { try await handshake.wait { $0.isEmpty ? nil : $0.removeFirst() } }
            }
            for number in 0..<100 { handshake.update { $0.append(number) } }
            var taken: Set<Int> = []
            for try await number in group { #expect(taken.insert(number).inserted) }
            #expect(taken.count == 100)
        }
        #expect(handshake.snapshot.isEmpty)
        #expect(handshake.waiterCount == 0)
    }

    @Test func cancelledWaiter_throwsAndTakesNothing() async throws {
        let handshake = Handshake(false)
        let task = Task { try await handshake.wait { $0 ? true : nil } }
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(handshake.waiterCount == 0)
    }

    @Test func cancelledTask_takesNoElement() async throws {
        let handshake = Handshake([1])
        let gate = Handshake(false)
        let task = Task {
            // This wait ends when the cancellation arrives.
            do { try await gate.wait { $0 ? () : nil } } catch {}
            return try await handshake.wait { $0.isEmpty ? nil : $0.removeFirst() }
        }
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(handshake.snapshot == [1])
    }

    @Test func closing_endsWaitersWithoutAnElement() async throws {
        let handshake = Handshake([Int]())
        let task = Task { try await handshake.wait { $0.isEmpty ? nil : $0.removeFirst() } }
        handshake.close(throwing: Closed())
        await #expect(throws: Closed()) { try await task.value }
        await #expect(throws: Closed()) { try await handshake.wait { $0.first } }
        handshake.update { $0.append(7) }
        #expect(try await handshake.wait { $0.first } == 7)
    }
}
