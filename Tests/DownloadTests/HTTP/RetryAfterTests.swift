import Alcedo
import AlcedoTestSupport
import Testing

@testable import TestFixtures

@Suite struct RetryAfterTests {
    /// Fri, 31 Dec 1999 23:59:59 GMT, the RFC's example.
    private static let moment: Int64 = 946_684_799

    @Test(arguments: [
        ("120", 120), ("0", 0), ("007", 7), (" 5 ", 5), ("2147483648", 1 << 31), ("2147483649", 1 << 31),
        ("9223372036854775807", 1 << 31), ("99999999999999999999999999999", 1 << 31), ("5, 10", 10), ("10,5 , 7", 10),
    ])
    func seconds_areParsed_andCapped(text: String, expected: Int) {
        #expect(RetryAfter(text, now: 0)?.delay == .seconds(expected))
    }

    @Test(arguments: [
        (moment - 30, 30), (moment, 0), (moment + 1, 0), (Int64.max, 0), (Int64.min, 1 << 31), (-1 << 40, 1 << 31),
    ])
    func date_isConvertedToDelay(now: Int64, expected: Int) {
        let delay = RetryAfter("Fri, 31 Dec 1999 23:59:59 GMT", now: now)?.delay
        #expect(delay == .seconds(expected))
    }

    @Test(arguments: [
        "", " ", "-1", "+1", "1.5", "5s", "5 5", "5,", ",5", "5, soon", "soon", "0x10", "٥", "Fri, 31 Dec 1999",
    ])
    func anythingElse_isNoDelay(text: String) {
        #expect(RetryAfter(text, now: 0) == nil)
    }

    @Test func anyText_isHandled() {
        var random = SeededRandom(seed: 6)
        let seeds = ["120", "99999999999999999999", "Fri, 31 Dec 1999 23:59:59 GMT", "Friday, 31-Dec-99 23:59:59 GMT"]
        for _ in 0..<20_000 {
            let text = random.rubbish(from: seeds, alphabet: "0123456789 ,:-")
            let now = Int64.random(in: .min ... .max, using: &random)
            guard let delay = RetryAfter(text, now: now)?.delay else { continue }
            must(delay >= .zero && delay <= .seconds(1 << 31), text)
        }
    }
}
