import AlcedoTestSupport
import Testing

@testable import Alcedo
@testable import TestFixtures

/// What pauses, goes on and is dropped while received bytes wait.
@Suite struct BodyLedgerTests {
    private var ledger = BodyLedger<Int>(limit: 100)

    private mutating func receive(
        _ bytes: Int, by id: Int, _ priority: RequestPriority = .normal, canPause: Bool = true, at second: Int = 0
    ) -> Set<BodyLedger<Int>.Step> {
        Set(ledger.receive(bytes, by: id, priority, canPause: canPause, now: .seconds(second)))
    }

    private mutating func release(_ id: Int, at second: Int = 0) -> Set<BodyLedger<Int>.Step> {
        Set(ledger.release(id, now: .seconds(second)))
    }

    @Test mutating func transfers_goOn_belowTheLimit() {
        check(receive(50, by: 1), [])
        check(receive(49, by: 2), [])
        #expect(ledger.byteCount == 99 && !ledger.isFull && ledger.nextTick == nil)
    }

    @Test mutating func othersThanTheFirst_pause_atTheLimit() {
        check(receive(40, by: 1), [])
        check(receive(40, by: 2), [])
        check(receive(20, by: 3), [.pause(3)])
        // The most urgent one goes on, whatever it receives.
        check(receive(500, by: 1), [])
        check(receive(1, by: 2), [.pause(2)])
        // A paused one may still have had something under way.
        check(receive(1, by: 2), [])
    }

    @Test mutating func next_goesOn_whenTheFirstIsWhole() {
        _ = receive(60, by: 1)
        check(receive(40, by: 2), [.pause(2)])
        check(receive(10, by: 3), [.pause(3)])
        // Decoding it makes room, so until then nobody needs to exceed the limit.
        check(Set(ledger.complete(1, now: .zero)), [])
        check(release(1), [.resume(2), .resume(3)])
        #expect(ledger.byteCount == 50)
    }

    @Test mutating func next_goesOn_ifTheFirstIsNotDecodedForTenSeconds() {
        _ = receive(100, by: 1)
        check(receive(40, by: 2), [.pause(2)])
        check(receive(40, by: 3), [.pause(3)])
        _ = ledger.complete(1, now: .zero)
        check(Set(ledger.tick(now: .seconds(9))), [])
        check(Set(ledger.tick(now: .seconds(10))), [.resume(2)])
        check(receive(40, by: 2, at: 11), [])
        // One after the other.
        check(Set(ledger.complete(2, now: .seconds(12))), [.resume(3)])
        check(release(1, at: 13), [])
        check(receive(1, by: 3, at: 13), [.pause(3)])
        check(release(2, at: 14), [.resume(3)])
    }

    @Test mutating func moreUrgentTransfer_takesTheLead() {
        _ = receive(100, by: 1)
        check(receive(10, by: 2, .high), [])
        check(receive(10, by: 1), [.pause(1)])
        check(receive(10, by: 2, .high), [])
        check(Set(ledger.setPriority(.veryHigh, of: 1, now: .zero)), [.resume(1)])
        check(receive(10, by: 2, .high), [.pause(2)])
        check(Set(ledger.setPriority(.normal, of: 3, now: .zero)), [])
    }

    @Test mutating func transferThatCannotPause_isNotAskedTo() {
        _ = receive(100, by: 1)
        check(receive(50, by: 2, canPause: false), [])
        check(receive(50, by: 2, canPause: false), [])
    }

    @Test mutating func pausedTransfers_waitForSomeRoom() {
        _ = receive(10, by: 1)
        _ = receive(88, by: 2)
        check(receive(5, by: 3), [.pause(3)])
        // 93 bytes are below the limit, but not by far.
        check(release(1), [])
        check(release(2), [.resume(3)])
    }

    // MARK: Dropping

    @Test mutating func silentFirst_isDropped_afterTenSecondsInWhichOthersWait() {
        _ = receive(50, by: 1, at: 0)
        check(receive(50, by: 2, at: 100), [.pause(2)])
        #expect(ledger.nextTick == .seconds(110))
        check(Set(ledger.tick(now: .seconds(109))), [])
        _ = receive(1, by: 1, at: 109)
        check(Set(ledger.tick(now: .seconds(110))), [.drop(1), .resume(2)])
        // It isn't asked for anything any more, and its bytes count until they are gone.
        check(receive(1, by: 1, at: 111), [])
        #expect(ledger.byteCount == 102)
        check(release(1, at: 112), [])
        #expect(ledger.byteCount == 50 && ledger.nextTick == nil)
    }

    @Test mutating func firstThatReceives_isNotDropped() {
        _ = receive(50, by: 1)
        _ = receive(50, by: 2)
        for second in [10, 20, 30] {
            _ = receive(2, by: 1, at: second - 5)
            check(Set(ledger.tick(now: .seconds(second))), [])
            #expect(ledger.nextTick == .seconds(second + 10))
        }
        check(Set(ledger.tick(now: .seconds(40))), [.drop(1), .resume(2)])
    }

    @Test mutating func first_isNotToBlame_forBodiesThatWaitForADecoder() {
        _ = ledger.add(100, to: 9, now: .zero)
        check(receive(1, by: 1), [.pause(1)])
        check(receive(1, by: 2), [.pause(2)])
        check(Set(ledger.tick(now: .seconds(10))), [.resume(1)])
        check(release(9, at: 50), [.resume(2)])
    }

    // MARK: Reads and starts

    @Test mutating func reads_waitForRoom_andForOneAnother() {
        for id in 0..<16 { check(Set(ledger.requestRead(id, isShort: true, now: .zero)), [.admit(id)]) }
        check(Set(ledger.requestRead(16, isShort: true, now: .zero)), [])
        #expect(!ledger.hasRoomForRead && ledger.waitingReads == 1)
        check(Set(ledger.add(100, to: 0, now: .zero)), [])
        check(Set(ledger.requestRead(17, isShort: false, now: .zero)), [])
        check(release(0), [.admit(16), .admit(17)])
        // One that leaves.
        _ = ledger.add(100, to: 1, now: .zero)
        _ = ledger.requestRead(18, isShort: true, now: .zero)
        check(release(18), [])
        #expect(ledger.waitingReads == 0)
    }

    @Test mutating func downloads_start_whenThereIsRoom_orIfTheyAreMoreUrgent() {
        #expect(ledger.mayStart(.veryLow))
        _ = receive(100, by: 1)
        #expect(!ledger.mayStart(.normal) && ledger.mayStart(.high))
        check(Set(ledger.setAwaited(true, now: .zero)), [])
        #expect(ledger.nextTick == .seconds(10))
        check(release(1), [.start])
        check(receive(100, by: 2), [])
        // No transfer is urgent where all bodies are whole.
        check(Set(ledger.complete(2, now: .zero)), [])
        #expect(!ledger.mayStart(.veryHigh))
    }

    @Test mutating func higherLimit_makesRoom() {
        _ = receive(60, by: 1)
        check(receive(40, by: 2), [.pause(2)])
        check(Set(ledger.setLimit(1_000, now: .zero)), [.resume(2)])
    }
}

/// Random transfers against what must always hold.
@Suite struct BodyLedgerFuzzTests {
    private struct Model {
        /// Up to 7 bytes are small, and large transfers count for at most 776.
        var ledger = BodyLedger<Int>(limit: 1_000)
        var random = SeededRandom(seed: Fuzz.seed)
        var now = 0
        var lastID = 0
        /// The priorities, sizes and received bytes of transfers, in the order of their begin.
        var transfers: [Int: (priority: RequestPriority, number: Int, left: Int, received: Int)] = [:]
        var paused: Set<Int> = []
        var dropped: Set<Int> = []
        var bodies: [Int: Int] = [:]
        var reading: Set<Int> = []
        var waiting: Set<Int> = []
        var isAwaited = false
        var number = 0
        /// Transfers that went on without room, as the most urgent one.
        var exceeding: Set<Int> = []
        var read: Set<Int> = []

        var lead: Int? {
            transfers.filter { $0.value.received > 0 && !dropped.contains($0.key) }.max {
                let large = (isLarge($0.key) ? 1 : 0, isLarge($1.key) ? 1 : 0)
                return (large.0, $0.value.priority, $1.value.number) < (large.1, $1.value.priority, $0.value.number)
            }?.key
        }

        func isLarge(_ id: Int) -> Bool { transfers[id].map { $0.received > 7 } ?? false }
        var received: Int { transfers.values.reduce(0) { $0 + $1.received } + bodies.values.reduce(0, +) }
        var counted: Int {
            let large = transfers.reduce(0) { $0 + (isLarge($1.key) ? $1.value.received : 0) }
            return received - large + min(large, 776)
        }

        mutating func take(_ steps: [BodyLedger<Int>.Step]) {
            for step in steps {
                switch step {
                case .pause(let id):
                    must(paused.insert(id).inserted && transfers[id] != nil)
                    must(counted >= (isLarge(id) ? 776 : 1_000))
                    must(id != lead || !bodies.isEmpty && counted >= 1_000)
                case .resume(let id): must(paused.remove(id) != nil && transfers[id] != nil)
                case .drop(let id): must(dropped.insert(id).inserted && !paused.contains(id))
                case .admit(let id):
                    must(waiting.remove(id) != nil)
                    reading.insert(id)
                case .start:
                    must(isAwaited)
                    isAwaited = false
                }
            }
        }

        mutating func receive(_ id: Int) {
            guard var transfer = transfers[id] else { return }
            let hasRoom = counted < 776
            let bytes = min(transfer.left, Int.random(in: 1...20, using: &random))
            transfer.left -= bytes
            transfer.received += bytes
            if transfer.number == 0 {
                number += 1
                transfer.number = number
            }
            transfers[id] = transfer
            if !hasRoom, lead == id { exceeding.insert(id) }
            take(ledger.receive(bytes, by: id, transfer.priority, canPause: true, now: .seconds(now)))
            if transfer.left == 0 { complete(id) }
        }

        mutating func complete(_ id: Int) {
            bodies[id] = transfers.removeValue(forKey: id)?.received
            paused.remove(id)
            take(ledger.complete(id, now: .seconds(now)))
        }

        mutating func release(_ id: Int) {
            transfers[id] = nil
            bodies[id] = nil
            for set in [\Model.paused, \.dropped, \.reading, \.waiting, \.exceeding, \.read] {
                self[keyPath: set].remove(id)
            }
            take(ledger.release(id, now: .seconds(now)))
        }

        /// Something that may happen, if there is anything.
        var goingOn: [Int] { transfers.keys.filter { !paused.contains($0) && !dropped.contains($0) } }

        mutating func step() {
            now += Int.random(in: 0...3, using: &random)
            switch Int.random(in: 0..<12, using: &random) {
            case 0, 1:
                lastID += 1
                let priority = RequestPriority.allCases.randomElement(using: &random) ?? .normal
                guard ledger.mayStart(priority), transfers.count < 30 else { return }
                let most = Bool.random(using: &random) ? 600 : 7
                transfers[lastID] = (priority, 0, Int.random(in: 1...most, using: &random), 0)
            case 2...6: if let id = goingOn.sorted().randomElement(using: &random) { receive(id) }
            case 7: if let id = bodies.keys.sorted().randomElement(using: &random) { release(id) }
            case 8: if let id = dropped.sorted().randomElement(using: &random) { release(id) }
            case 9:
                guard let id = transfers.keys.sorted().randomElement(using: &random) else { return }
                let priority = RequestPriority.allCases.randomElement(using: &random) ?? .normal
                transfers[id]?.priority = priority
                take(ledger.setPriority(priority, of: id, now: .seconds(now)))
            case 10:
                lastID += 1
                waiting.insert(lastID)
                take(ledger.requestRead(lastID, isShort: Bool.random(using: &random), now: .seconds(now)))
                guard let id = reading.sorted().randomElement(using: &random) else { return }
                reading.remove(id)
                read.insert(id)
                bodies[id] = Int.random(in: 1...200, using: &random)
                take(ledger.add(bodies[id] ?? 0, to: id, now: .seconds(now)))
            default:
                isAwaited = true
                take(ledger.setAwaited(true, now: .seconds(now)))
                take(ledger.tick(now: .seconds(now)))
            }
        }

        func expectSound() {
            must(ledger.byteCount == received && ledger.isFull == (counted >= 1_000))
            let mayWait = ledger.isFull && !bodies.isEmpty
            must(mayWait || lead.map(paused.contains) != true, "the most urgent transfer is paused")
            // The most urgent bodies, what was read, and a chunk of each other transfer.
            let excess = exceeding.union(read).reduce(0) { $0 + (transfers[$1]?.received ?? bodies[$1] ?? 0) }
            must(ledger.byteCount < ledger.limit + 20 * (transfers.count + bodies.count) + excess)
            // Whatever waits, something may go on: a transfer that makes room when it ends, or what is whole already.
            let waits = !paused.isEmpty || !waiting.isEmpty || isAwaited
            let moves = lead != nil || !goingOn.isEmpty || !bodies.isEmpty || !dropped.isEmpty || !reading.isEmpty
            must(!waits || moves)
            if !ledger.isFull { must(!isAwaited && (waiting.isEmpty || reading.count >= 16)) }
            if counted < 875 { must(paused.allSatisfy(isLarge), "a small transfer is paused") }
        }
    }

    @Test func somethingAlwaysGoesOn_andOnlyTheMostUrgentExceedsTheLimit() {
        var model = Model()
        for _ in 0..<Fuzz.steps {
            model.step()
            model.expectSound()
        }
        // Everything ends.
        while true {
            for id in model.bodies.keys.sorted() + model.dropped.sorted() + model.reading.sorted() { model.release(id) }
            model.expectSound()
            guard let id = model.goingOn.sorted().first else { break }
            model.receive(id)
        }
        #expect(model.transfers.isEmpty && model.paused.isEmpty && model.waiting.isEmpty)
        #expect(model.ledger.byteCount == 0 && model.ledger.nextTick == nil)
    }
}
