import AlcedoTestSupport
import Testing

@testable import Alcedo
@testable import TestFixtures

/// The room that large transfers leave to small bodies.
@Suite struct BodyLedgerReserveTests {
    /// Up to 10 bytes are small, and large transfers take up at most 960.
    private var ledger = BodyLedger<Int>(limit: 1_280)

    private mutating func receive(
        _ bytes: Int, by id: Int, _ priority: RequestPriority = .normal
    ) -> Set<BodyLedger<Int>.Step> {
        Set(ledger.receive(bytes, by: id, priority, canPause: true, now: .zero))
    }

    private mutating func requestRead(_ id: Int) -> Set<BodyLedger<Int>.Step> {
        Set(ledger.requestRead(id, isShort: true, now: .zero))
    }

    /// Transfer 1 goes on, and 2 is paused.
    private mutating func fillLargePart() {
        check(receive(500, by: 1), [])
        check(receive(459, by: 2), [])
        check(receive(1, by: 2), [.pause(2)])
    }

    @Test mutating func smallTransfersReadsAndStarts_goOn_whateverLargeTransfersHold() {
        fillLargePart()
        check(receive(5_000, by: 1), [])
        check(receive(5, by: 3), [])
        check(receive(5, by: 3), [])
        check(requestRead(4), [.admit(4)])
        check(Set(ledger.add(200, to: 4, now: .zero)), [])
        #expect(ledger.mayStart(.veryLow))
        check(Set(ledger.setAwaited(true, now: .zero)), [.start])
        check(Set(ledger.complete(3, now: .zero)), [])
        // The most urgent transfer doesn't wait for bodies for which there is room.
        check(receive(1, by: 1), [])
        #expect(ledger.byteCount == 6_171 && !ledger.isFull)
    }

    @Test mutating func growingTransfer_pauses_unlessItIsTheMostUrgent() {
        fillLargePart()
        check(receive(10, by: 3), [])
        check(receive(1, by: 3), [.pause(3)])
        check(receive(10, by: 4, .high), [])
        check(receive(1, by: 1), [])
        check(receive(1, by: 4, .high), [])
        check(receive(1, by: 1), [.pause(1)])
    }

    @Test mutating func bodiesInTheReserve_areLimited() {
        fillLargePart()
        check(receive(10, by: 3), [])
        check(requestRead(4), [.admit(4)])
        check(Set(ledger.add(310, to: 4, now: .zero)), [])
        #expect(ledger.isFull && !ledger.mayStart(.normal))
        check(receive(1, by: 5), [.pause(5)])
        check(requestRead(6), [])
        check(receive(1, by: 1), [.pause(1)])
        check(Set(ledger.release(4, now: .zero)), [.resume(1), .resume(5), .admit(6)])
    }

    @Test mutating func smallTransfersAlone_fillAllRoom_andTheFirstGoesOn() {
        for id in 0..<127 { check(receive(10, by: id), []) }
        check(receive(10, by: 127), [.pause(127)])
        check(receive(1, by: 0), [])
        check(receive(1, by: 1), [.pause(1)])
    }

    @Test mutating func silentLargeTransfer_isDropped_whileSmallBodiesComeAndGo() {
        check(receive(1, by: 0), [])
        check(receive(500, by: 1), [])
        check(receive(459, by: 2), [.pause(2)])
        #expect(ledger.nextTick == .seconds(10))
        check(Set(ledger.add(5, to: 9, now: .seconds(9))), [])
        check(Set(ledger.tick(now: .seconds(10))), [.drop(1), .resume(2)])
    }

    @Test mutating func newLimit_changesWhatIsSmall() {
        for id in 0..<13 { check(receive(10, by: id), []) }
        check(Set(ledger.setLimit(128, now: .zero)), [])
        #expect(ledger.byteCount == 130 && !ledger.isFull)
        check(receive(1, by: 1), [.pause(1)])
        check(receive(1, by: 13), [])
    }
}
