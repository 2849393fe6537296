import AlcedoTestSupport
import Testing

@testable import Alcedo
@testable import TestFixtures

@Suite struct TokenBucketTests {
    /// Takes all tokens that are available at `now`. Returns their count.
    private func drain(_ bucket: inout TokenBucket, at now: Duration, limit: Int = 10_000_000) -> Int {
        bucket.advance(to: now)
        var count = 0
        while count < limit, bucket.take() { count += 1 }
        return count
    }

    @Test func bucket_isFullAtFirst_andRefillsAtItsRate() {
        var bucket = TokenBucket(StartRate(perSecond: 10, burst: 5))
        check(drain(&bucket, at: .seconds(100)), 5)
        check(drain(&bucket, at: .seconds(100)), 0)
        check(drain(&bucket, at: .milliseconds(100_300)), 3)
        check(drain(&bucket, at: .seconds(1_000)), 5)
    }

    @Test(arguments: [0.001, 0.3, 1.0 / 3, 7, 9.99, 1e6, 1e12]) func token_isAvailable_atNextToken(perSecond: Double) {
        var bucket = TokenBucket(StartRate(perSecond: perSecond, burst: 2))
        for _ in 0..<1_000 {
            _ = drain(&bucket, at: bucket.nextToken)
            #expect(!bucket.hasToken)
            let next = bucket.nextToken
            bucket.advance(to: next - Duration(secondsComponent: 0, attosecondsComponent: 1))
            #expect(!bucket.hasToken)
            bucket.advance(to: next)
            #expect(bucket.hasToken)
            #expect(bucket.nextToken == next)
        }
    }

    @Test func longRun_obeysTheRate() {
        var random = SeededRandom(seed: 3)
        var bucket = TokenBucket(StartRate(perSecond: 30, burst: 4))
        var now = Duration.seconds(5)
        var taken = drain(&bucket, at: now)
        while now < .seconds(105) {
            now += .milliseconds(Int.random(in: 1...100, using: &random))
            taken += drain(&bucket, at: now)
        }
        #expect((2_995...3_010).contains(taken))
    }

    @Test func clockSetBack_delaysByOneTokenAtMost() {
        var bucket = TokenBucket(StartRate(perSecond: 2, burst: 3))
        check(drain(&bucket, at: .seconds(1_000_000)), 3)
        check(drain(&bucket, at: .seconds(-1_000_000)), 0)
        #expect(bucket.nextToken == .seconds(-1_000_000) + .milliseconds(500))
        check(drain(&bucket, at: .seconds(-1_000_000) + .milliseconds(500)), 1)
    }

    @Test(arguments: [0, -1, -.infinity, -.greatestFiniteMagnitude, .leastNonzeroMagnitude, -0.0, 0.000_9])
    func rateBelowTheMinimum_isTheMinimum(perSecond: Double) {
        var bucket = TokenBucket(StartRate(perSecond: perSecond, burst: 2))
        check(drain(&bucket, at: .zero), 2)
        #expect(bucket.nextToken == .seconds(1_000))
        check(drain(&bucket, at: .seconds(1_000)), 1)
    }

    @Test(arguments: [.infinity, .nan, -.nan, .signalingNaN, .greatestFiniteMagnitude] as [Double])
    func infiniteOrUndefinedRate_isNoLimit(perSecond: Double) {
        var bucket = TokenBucket(StartRate(perSecond: perSecond))
        check(drain(&bucket, at: .zero, limit: 1_000), 1_000)
        #expect(bucket.nextToken == .zero)
    }

    @Test(arguments: [(0, 1), (-1, 1), (.min, 1), (1, 1), (1_000_000, 1_000_000), (.max, 1_000_000)])
    func burst_isClamped(burst: Int, count: Int) {
        for perSecond in [0, 1, 1_000] as [Double] {
            var bucket = TokenBucket(StartRate(perSecond: perSecond, burst: burst))
            check(drain(&bucket, at: .seconds(Int64.max)), count)
            check(drain(&bucket, at: .seconds(Int64.min)), 0)
            check(drain(&bucket, at: .seconds(Int64.max)), count)
        }
    }
}
