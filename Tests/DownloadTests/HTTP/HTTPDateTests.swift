import Alcedo
import AlcedoTestSupport
import Foundation
import Testing

@testable import TestFixtures

@Suite struct HTTPDateTests {
    /// 1 July 2026, noon.
    private static let now: Int64 = 1_782_907_200

    private func seconds(_ text: String, now: Int64 = now) -> Int64? { HTTPDate(text, now: now)?.secondsSince1970 }

    @Test(arguments: [
        "Sun, 06 Nov 1994 08:49:37 GMT", "Sunday, 06-Nov-94 08:49:37 GMT", "Sun Nov  6 08:49:37 1994",
        "sun, 06 nov 1994 08:49:37 gmt", "SUNDAY, 06-NOV-94 08:49:37 GMT", " \tSun, 06 Nov 1994 08:49:37 GMT ",
        // The name of the day is not held against the date.
        "Mon, 06 Nov 1994 08:49:37 GMT",
    ])
    func threeFormats_areRead(text: String) {
        #expect(seconds(text) == 784_111_777)
    }

    @Test(arguments: [
        ("Thu, 01 Jan 1970 00:00:00 GMT", 0),
        ("Wed, 31 Dec 1969 23:59:59 GMT", -1),
        ("Mon, 01 Jan 0001 00:00:00 GMT", -62_135_596_800),
        ("Sat, 01 Jan 0000 00:00:00 GMT", -62_167_219_200),
        ("Fri, 31 Dec 9999 23:59:59 GMT", 253_402_300_799),
        ("Thu, 29 Feb 2024 12:00:00 GMT", 1_709_208_000),
        ("Tue, 29 Feb 2000 00:00:00 GMT", 951_782_400),
        ("Wed, 01 Mar 2000 00:00:00 GMT", 951_868_800),
        // A leap second.
        ("Sat, 31 Dec 2016 23:59:60 GMT", 1_483_228_800),
        ("Wed Jan 11 08:49:37 2023", 1_673_426_977),
    ])
    func boundariesOfCalendar(text: String, expected: Int) {
        #expect(seconds(text) == Int64(expected))
    }

    @Test(arguments: [
        "", " ", "0", "Sun", "Sun,", "1994-11-06T08:49:37Z", "Sun, 06 Nov 1994", "Sun, 6 Nov 1994 08:49:37 GMT",
        "Sun, 06 Nov 94 08:49:37 GMT", "Sun, 06 Nov 1994 08:49:37", "Sun, 06 Nov 1994 08:49:37 PST",
        "Sun, 06 Nov 1994 08:49:37 +0000", "Sun, 06 Nov 1994 8:49:37 GMT", "Sun, 06 Nov 1994 08:49 GMT",
        "Sun, 06  Nov 1994 08:49:37 GMT", "Sun,06 Nov 1994 08:49:37 GMT", "Sun, 06 Nov 1994 08:49:37 GMTX",
        "Son, 06 Nov 1994 08:49:37 GMT", "Sun, 06 Okt 1994 08:49:37 GMT", "Sun, 06 Novem 1994 08:49:37 GMT",
        "Sun, 00 Nov 1994 08:49:37 GMT", "Sun, 31 Nov 1994 08:49:37 GMT", "Thu, 29 Feb 1900 00:00:00 GMT",
        "Wed, 29 Feb 2023 00:00:00 GMT", "Sun, 32 Jan 1994 08:49:37 GMT", "Sun, 06 Nov 1994 24:00:00 GMT",
        "Sun, 06 Nov 1994 08:60:00 GMT", "Sun, 06 Nov 1994 08:49:61 GMT", "Sun, -6 Nov 1994 08:49:37 GMT",
        "Sun, +6 Nov 1994 08:49:37 GMT", "Sunday, 06-Nov-1994 08:49:37 GMT", "Sunday, 06 Nov 94 08:49:37 GMT",
        "Sunday, 31-Feb-94 08:49:37 GMT", "Sun, 06-Nov-94 08:49:37 GMT", "Sunday Nov  6 08:49:37 1994",
        "Sun Nov 6 08:49:37 1994", "Sun Nov  06 08:49:37 1994", "Sun Nov  6 08:49:37 1994 GMT",
        "Sun, ٠٦ Nov 1994 08:49:37 GMT",
    ])
    func anythingElse_isNoDate(text: String) {
        #expect(seconds(text) == nil)
    }

    @Test func twoDigitYear_isAtMost50YearsAhead() {
        func year(_ digits: String, now: Int64 = Self.now) -> Int64? {
            seconds("Monday, 01-Jun-\(digits) 00:00:00 GMT", now: now)
        }
        #expect(year("26") == seconds("Mon, 01 Jun 2026 00:00:00 GMT"))
        #expect(year("76") == seconds("Mon, 01 Jun 2076 00:00:00 GMT"))
        #expect(year("77") == seconds("Mon, 01 Jun 1977 00:00:00 GMT"))
        #expect(year("99") == seconds("Mon, 01 Jun 1999 00:00:00 GMT"))
        #expect(year("00") == seconds("Mon, 01 Jun 2000 00:00:00 GMT"))
        // July of that year is more than 50 years after June.
        #expect(seconds("Monday, 02-Jul-76 12:00:00 GMT") == seconds("Fri, 02 Jul 1976 12:00:00 GMT"))
    }

    @Test func centuryFollowsNow() {
        let text = "Monday, 01-Jun-01 00:00:00 GMT"
        #expect(seconds(text, now: 0) == seconds("Sat, 01 Jun 2001 00:00:00 GMT"))
        #expect(seconds(text, now: -1_000_000_000) == seconds("Sat, 01 Jun 1901 00:00:00 GMT"))
        #expect(seconds(text, now: 3_000_000_000) == seconds("Sat, 01 Jun 2101 00:00:00 GMT"))
        #expect(seconds(text, now: .max) == seconds("Sat, 01 Jun 9901 00:00:00 GMT"))
        #expect(seconds(text, now: .min) == nil)
        // In 2060 the 29th of February of "00" can only be that of 2000.
        #expect(seconds("Monday, 29-Feb-00 00:00:00 GMT", now: 2_840_140_800) == 951_782_400)
    }

    @Test func formattedDates_areParsed() {
        let formatter = DateFormatter()
        formatter.locale = Locale(identifier: "en_US_POSIX")
        formatter.timeZone = TimeZone(secondsFromGMT: 0)
        var random = SeededRandom(seed: 3)
        for format in ["EEE, dd MMM yyyy HH:mm:ss 'GMT'", "EEEE, dd-MMM-yy HH:mm:ss 'GMT'"] {
            formatter.dateFormat = format
            // Two digits reach from 50 years ago to 50 years ahead; four, from the calendar's reform to the last year.
            let range =
                format.contains("yyyy")
                ? -11_000_000_000...253_402_300_799 : Self.now - 1_570_000_000...Self.now + 1_570_000_000
            for _ in 0..<2_000 {
                let moment = Int64.random(in: range, using: &random)
                let text = formatter.string(from: Date(timeIntervalSince1970: TimeInterval(moment)))
                must(seconds(text) == moment, text)
            }
        }
    }

    @Test func anyText_isHandled() {
        var random = SeededRandom(seed: 4)
        let dates = [
            "Sun, 06 Nov 1994 08:49:37 GMT", "Sunday, 06-Nov-94 08:49:37 GMT", "Sun Nov  6 08:49:37 1994",
        ]
        for _ in 0..<20_000 {
            let text = random.rubbish(from: dates, alphabet: "0123456789 ,:-SunNovGMT")
            let now = Int64.random(in: .min ... .max, using: &random)
            guard let date = HTTPDate(text, now: now) else { continue }
            must((-62_167_219_200...253_402_300_800).contains(date.secondsSince1970), text)
        }
    }
}
