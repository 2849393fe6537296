import Testing

@testable import Alcedo

struct NanosecondsTests {
    @Test(
        arguments: [
            .zero, .nanoseconds(1), .nanoseconds(-1), .milliseconds(1_500), .seconds(-90), .seconds(9_000_000_000),
        ] as [Duration])
    func wholeNanoseconds_stay(duration: Duration) {
        #expect(Nanoseconds(duration).duration == duration)
    }

    @Test func smallerParts_areDropped() {
        #expect(Nanoseconds(Duration(attoseconds: 1_999_999_999)).duration == .nanoseconds(1))
        #expect(Nanoseconds(Duration(attoseconds: -1_999_999_999)).duration == .nanoseconds(-1))
    }

    @Test func longerDurations_becomeTheLongest() {
        let (longest, shortest) = (Duration.nanoseconds(Int64.max), Duration.nanoseconds(Int64.min))
        for duration in [.seconds(Int64.max), .seconds(9_223_372_037), longest] as [Duration] {
            #expect(Nanoseconds(duration).duration == longest)
        }
        for duration in [.seconds(Int64.min), .seconds(-9_223_372_037), shortest] as [Duration] {
            #expect(Nanoseconds(duration).duration == shortest)
        }
    }
}
