import Foundation
import Testing

@testable import Alcedo

struct CaptureDateTests {
    @Test(arguments: [
        ("2021:07:08 09:10:11", "2021-07-08T09:10:11"), ("2021-07-08T09:10", "2021-07-08T09:10:00"),
        ("2021-07-08T09:10:11.050Z", "2021-07-08T09:10:11.05+00:00"),
        ("2021-07-08T09:10:11-03:30", "2021-07-08T09:10:11-03:30"),
        ("2021-07-08T09:10+14:00", "2021-07-08T09:10:00+14:00"),
        ("2021-07-08T09:10:11.1234567891+01:00", "2021-07-08T09:10:11.123456789+01:00"),
        ("2024:02:29 23:59:60", "2024-02-29T23:59:60"), ("0001:01:01 00:00:00", "0001-01-01T00:00:00"),
        // A zone that doesn't exist is none.
        ("2021-07-08T09:10:11+15:00", "2021-07-08T09:10:11"), ("2021-07-08T09:10:11+1", "2021-07-08T09:10:11"),
    ])
    func dates_areParsed(_ text: String, _ expected: String) {
        #expect(ImageMetadata.CaptureDate(text).map { "\($0)" } == expected)
    }

    @Test(arguments: [
        "", "2021", "2021-07-08", "0000:00:00 00:00:00", "2021:13:01 00:00:00", "2021:02:29 00:00:00",
        "2021:01:00 00:00:00", "2021:01:01 24:00:00", "2021:01:01 00:60:00", "2021:01:01 00:00:61",
        "    :  :     :  :  ", "2021:01:01 00:00:", "２０２１:01:01 00:00:00",
    ])
    func others_areNone(_ text: String) { #expect(ImageMetadata.CaptureDate(text) == nil) }

    @Test func fractionAndZone_mayStandApart() throws {
        let date = try #require(ImageMetadata.CaptureDate("2021:07:08 09:10:11", fraction: "5", zone: "+02:00"))
        #expect(date.nanosecond == 500_000_000 && date.secondsFromUTC == 7_200)
        #expect(date.date == Date(timeIntervalSince1970: 1_625_728_211.5))
        let plain = try #require(ImageMetadata.CaptureDate("2021:07:08 09:10:11", fraction: "x", zone: "  :  "))
        #expect(plain.nanosecond == 0 && plain.secondsFromUTC == nil && plain.date == nil)
        #expect(plain.year == 2021 && plain.month == 7 && plain.day == 8)
        #expect(plain.hour == 9 && plain.minute == 10 && plain.second == 11)
    }
}
