import AlcedoTestSupport
import Testing

@testable import Alcedo

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
        // An optimised build would release them before.
        withExtendedLifetime(shares) {
            #expect(shares.allSatisfy { $0.room() == 1 } && budget.reservedBytes == 3_000)
        }
        // Of three frames, that is all of them.
        #expect(budget.share(frameBytes: 100, frameCount: 3).room() == 3)
    }

    @Test func bytesBelowZero_areRefused() async {
        await #expect(processExitsWith: .failure) {
            _ = FrameBudget(bytes: -1)
        }
    }

    @Test(arguments: 0..<10 as Range<UInt64>) func reservations_staySmall_andEndWithTheirAnimations(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        let budget = FrameBudget(bytes: 10_000)
        var shares: [FrameBudget.Share] = []
        for _ in 0..<2_000 {
            switch Int.random(in: 0..<4, using: &random) {
            case 0 where shares.count < 30:
                let bytes = Int.random(in: 1...100, using: &random)
                shares.append(budget.share(frameBytes: bytes, frameCount: Int.random(in: 2...90, using: &random)))
            case 1 where !shares.isEmpty: shares.remove(at: Int.random(in: 0..<shares.count, using: &random))
            default: _ = shares.randomElement(using: &random)?.room()
            }
            // Beyond the budget, only what each may hold in any case.
            #expect(budget.reservedBytes <= 10_000 + shares.count * 300)
        }
        for _ in 0..<2 { for share in shares { _ = share.room() } }
        #expect(budget.reservedBytes <= 10_000)
        shares = []
        #expect(budget.reservedBytes == 0)
    }
}
