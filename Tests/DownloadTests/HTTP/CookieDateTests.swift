import AlcedoTestSupport
import Foundation
import Testing

@testable import Alcedo
@testable import TestFixtures

@Suite struct CookieDateTests {
    private func seconds(_ text: String) -> Int64? { CookieDate(text)?.secondsSince1970 }

    @Test(arguments: [
        "Wed, 09 Jun 2021 10:18:14 GMT", "Wed, 09-Jun-2021 10:18:14 GMT", "Wed, 09-Jun-21 10:18:14 GMT",
        "Wednesday, 09-Jun-21 10:18:14 GMT", "Wed Jun  9 10:18:14 2021", "wed, 9 june 2021 10:18:14 utc",
        "10:18:14 9 JUN 21", "2021 jun 10:18:14 9", "\tWed,09/Jun/2021 10:18:14", "9 Jun 2021 10:18:14 +0200",
    ])
    func commonDates_areParsed(text: String) {
        #expect(seconds(text) == 1_623_233_894)
    }

    @Test func yearOfTwoDigits_isFrom1970To2069() {
        #expect(seconds("1 Jan 70 00:00:00") == 0)
        #expect(seconds("1 Jan 99 00:00:00") == 915_148_800)
        #expect(seconds("1 Jan 00 00:00:00") == 946_684_800)
        #expect(seconds("1 Jan 69 00:00:00") == 3_124_224_000)
    }

    @Test(arguments: [
        "", " ", "0", "Wed", "9 Jun 2021", "Jun 2021 10:18:14", "9 2021 10:18:14", "9 Jun 10:18:14",
        "31 Jun 2021 10:18:14", "0 Jun 2021 10:18:14", "9 Jun 1600 10:18:14", "9 Jun 121 10:18:14",
        "9 Jun 2021 24:00:00", "9 Jun 2021 10:60:00", "9 Jun 2021 10:18:61", "9 Jun 2021 10:18", "9 Jun 20211 10:18:14",
        "9 Jun 2021 100:18:14", "٩ Jun 2021 10:18:14",
    ])
    func anythingElse_isNoDate(text: String) {
        #expect(seconds(text) == nil)
    }

    @Test func anyText_isHandled() {
        var random = SeededRandom(seed: Fuzz.seed)
        let dates = ["Wed, 09 Jun 2021 10:18:14 GMT", "Wed Jun  9 10:18:14 2021"]
        for _ in 0..<Fuzz.steps / 10 {
            let text = random.rubbish(from: dates, alphabet: "0123456789 :-,JunGMT")
            guard let seconds = seconds(text) else { continue }
            must((-11_644_473_600...253_402_300_800).contains(seconds), text)
        }
    }
}
