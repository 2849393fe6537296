import AlcedoTestSupport
import Testing

@testable import Alcedo
@testable import TestFixtures

@Suite struct FrameBudgetTests {
    @Test func animationAlone_mayHoldAllFrames_orWhatTheBudgetAllows() {
        let budget = FrameBudget(bytes: 1_000)
        let small = budget.share(frameBytes: 10, frameCount: 50)
        #expect(budget.reservedBytes == 30)
        #expect(small.room() == 50 && budget.reservedBytes == 500)
        let tight = FrameBudget(bytes: 100)
        // Ten frames, less the one being decoded and the canvas.
        let large = tight.share(frameBytes: 10, frameCount: 50)
        #expect(large.room() == 8 && tight.reservedBytes == 100)
    }

    @Test func animations_shareEqually_andGetWhatOthersGiveBack() {
        let budget = FrameBudget(bytes: 1_000)
        let first = budget.share(frameBytes: 10, frameCount: 500)
        #expect(first.room() == 98)
        var second: FrameBudget.Share? = budget.share(frameBytes: 10, frameCount: 500)
        // The first one hasn't given anything back yet.
        #expect(second?.room() == 1)
        #expect(first.room() == 48 && second?.room() == 48)
        #expect(budget.reservedBytes == 1_000)
        second = nil
        #expect(first.room() == 98 && budget.reservedBytes == 1_000)
    }

    @Test func eachMayHoldThreeFrames_inAnyCase() {
        let budget = FrameBudget(bytes: 0)
        let shares = (0..<10).map { _ in budget.share(frameBytes: 100, frameCount: 5) }
        // An optimized build would release them before.
        withExtendedLifetime(shares) {
            #expect(shares.allSatisfy { $0.room() == 1 } && budget.reservedBytes == 3_000)
        }
        // Of three frames, that is all of them.
        #expect(budget.share(frameBytes: 100, frameCount: 3).room() == 3)
    }

    // MARK: Standing still

    @Test func hiddenAnimations_giveAllBack_andGetThreeFramesInAnyCaseAgain() {
        let budget = FrameBudget(bytes: 160)
        let hidden = (0..<6).map { _ in budget.share(frameBytes: 10, frameCount: 50) }
        for share in hidden {
            _ = share.room()
            share.rest(holding: 0) {}
        }
        check(budget.reservedBytes, 0)
        let visible = budget.share(frameBytes: 10, frameCount: 50)
        check(visible.room(), 14)
        check(hidden[0].room(), 1)
        check(budget.reservedBytes, 160 + 30)
        check(visible.room(), 6)
        check(hidden[0].room(), 6)
        check(budget.reservedBytes, 160)
        // An optimized build would release them before.
        withExtendedLifetime((hidden, visible)) {}
    }

    @Test func animationThatStandsStill_keepsItsPart_andIsEmptiedWhenAnotherLacksItsOwn() {
        let budget = FrameBudget(bytes: 150)
        let emptied = Recorder<Int>()
        let shares = (0..<3).map { _ in budget.share(frameBytes: 10, frameCount: 50) }
        for _ in 0..<2 { for share in shares { _ = share.room() } }
        // Five frames each are the equal part.
        for number in 0..<2 {
            check(shares[number].room(), 3)
            shares[number].rest(holding: 5) { emptied.record(number) }
        }
        check(shares[2].room(), 3)
        check(emptied.values, [])
        // Its frames are lent to the only one that plays.
        shares[0].rest(holding: 0) {}
        check(shares[2].room(), 8)
        let fourth = budget.share(frameBytes: 10, frameCount: 50)
        check(fourth.room(), 1)
        check(emptied.values, [1])
        shares[1].rest(holding: 0) {}
        for _ in 0..<2 { _ = (shares[2].room(), fourth.room()) }
        check(fourth.room(), 6)
        check(shares[2].room(), 5)
        check(emptied.values, [1])
        withExtendedLifetime((shares, fourth)) {}
    }

    /// Animations that play share the memory that the others don't hold.
    @Test func animationsThatPlay_shareEqually_whileOthersStandStill() {
        let budget = FrameBudget(bytes: 1_000)
        let still = (0..<8).map { _ in budget.share(frameBytes: 10, frameCount: 50) }
        for share in still {
            _ = share.room()
            share.rest(holding: 3) {}
        }
        let first = budget.share(frameBytes: 10, frameCount: 100)
        check(first.room(), 74)
        let second = budget.share(frameBytes: 10, frameCount: 100)
        check(second.room(), 1)
        for _ in 0..<2 {
            check(first.room(), 36)
            check(second.room(), 36)
        }
        check(budget.reservedBytes, 1_000)
        // A part that was given back is free for the others.
        for share in still { share.rest(holding: 0) {} }
        for _ in 0..<2 { _ = (first.room(), second.room()) }
        check(first.room(), 48)
        check(second.room(), 48)
        withExtendedLifetime((still, first, second)) {}
    }

    /// One that stands still with more than half isn't left with it.
    @Test func largePartThatStandsStill_isTakenBack() {
        let budget = FrameBudget(bytes: 1_000)
        let emptied = Recorder<Int>()
        let still = budget.share(frameBytes: 10, frameCount: 70)
        check(still.room(), 70)
        still.rest(holding: 70) { emptied.record(0) }
        let playing = budget.share(frameBytes: 10, frameCount: 100)
        check(playing.room(), 28)
        check(playing.room(), 28)
        check(emptied.values, [0])
        still.rest(holding: 0) {}
        check(playing.room(), 100)
        withExtendedLifetime((still, playing)) {}
    }

    /// One that plays again isn't emptied, and one with three frames has nothing to spare.
    @Test func animationsThatPlayAgain_orHoldThreeFrames_areNotEmptied() {
        let budget = FrameBudget(bytes: 80)
        let emptied = Recorder<Int>()
        let shares = (0..<2).map { _ in budget.share(frameBytes: 10, frameCount: 50) }
        _ = shares[0].room()
        shares[0].rest(holding: 5) { emptied.record(0) }
        _ = shares[0].room()
        check(shares[1].room(), 1)
        shares[0].rest(holding: 3) { emptied.record(0) }
        check(shares[1].room(), 3)
        let third = budget.share(frameBytes: 10, frameCount: 50)
        check(third.room(), 1)
        check(emptied.values, [])
        withExtendedLifetime((shares, third)) {}
    }

    @Test func bytesBelowZero_areRefused() async {
        await #expect(processExitsWith: .failure) {
            _ = FrameBudget(bytes: -1)
        }
    }

    // MARK: Any order

    /// An animation, and the number of frames that it has in memory.
    private struct Holder {
        let share: FrameBudget.Share
        let number: Int
        let frameBytes: Int
        let frameCount: Int
        var held = 0
        var isResting = false

        mutating func play(_ random: inout SeededRandom) {
            let room = share.room()
            held = Int.random(in: 0...(room == frameCount ? room : room + 2), using: &random)
            isResting = false
        }

        mutating func rest(holding count: Int, _ emptied: Recorder<Int>) {
            share.rest(holding: count) { [number] in emptied.record(number) }
            (held, isResting) = (count, true)
        }
    }

    @Test(arguments: 0..<10 as Range<UInt64>) func reservations_coverWhatIsHeld_andStaySmall(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        let budget = FrameBudget(bytes: 10_000)
        let emptied = Recorder<Int>()
        var holders: [Holder] = []
        for number in 0..<2_000 {
            let index = Int.random(in: 0..<max(1, holders.count), using: &random)
            switch Int.random(in: 0..<8, using: &random) {
            case 0 where holders.count < 30, 1 where holders.count < 30:
                let bytes = Int.random(in: 1...100, using: &random)
                let count = Int.random(in: 2...90, using: &random)
                let share = budget.share(frameBytes: bytes, frameCount: count)
                holders.append(Holder(share: share, number: number, frameBytes: bytes, frameCount: count))
            case 2 where !holders.isEmpty: holders.remove(at: index)
            case 3 where !holders.isEmpty:
                let rest = Int.random(in: 0...holders[index].held, using: &random)
                holders[index].rest(holding: rest, emptied)
            default: if !holders.isEmpty { holders[index].play(&random) }
            }
            for number in emptied.takeAll() {
                guard let index = holders.firstIndex(where: { $0.number == number }) else { continue }
                must(holders[index].isResting && holders[index].held > 3, "one that plays or holds little is emptied")
                holders[index].rest(holding: 0, emptied)
            }
            must(budget.reservedBytes >= holders.reduce(0) { $0 + $1.held * $1.frameBytes }, "more than is reserved")
            // Beyond the budget, only what each may hold in any case.
            must(budget.reservedBytes <= 10_000 + holders.count * 300, "more than the budget allows")
        }
        for _ in 0..<2 { for index in holders.indices { holders[index].play(&random) } }
        check(budget.reservedBytes <= 10_000, true)
        holders = []
        check(budget.reservedBytes, 0)
    }
}

extension FrameBudget.Share {
    func room() -> Int {
        let (room, empty) = reserve()
        empty?()
        return room
    }
}
