import Alcedo
import AlcedoTestSupport
import Testing

@testable import TestFixtures

@Suite struct CacheControlTests {
    @Test(arguments: [
        ("max-age=60", 60), ("MAX-AGE=60", 60), ("private, max-age=60", 60), ("max-age=\"60\"", 60), ("max-age=007", 7),
        (" ,, max-age=5 ,", 5), ("max-age=60, max-age=5", 60), ("x=\"a, max-age=1\", max-age=2", 2),
        ("x=\"\\\", max-age=1\", max-age=2", 2), ("max-age=99999999999", 1 << 31),
        ("max-age=99999999999999999999999", 1 << 31),
    ])
    func lifetime_isRead(text: String, seconds: Int) {
        #expect(CacheControl(text).maxAge == seconds)
    }

    @Test(arguments: [
        "max-age", "max-age=", "max-age=-5", "max-age=5.0", "max-age=5a", "max-age='5'", "max-age= 5", "max-age =5",
        "max-age=\"5", "max-age==5", "max-age=٥", "max-age=x, max-age=5",
    ])
    func unreadableLifetime_isExpired(text: String) {
        #expect(CacheControl(text).maxAge == 0)
    }

    @Test(arguments: ["", "public", "s-maxage=5", "xmax-age=5", "max-agex=5", "x=\"max-age=5\"", "x=\"max-age=5"])
    func missingLifetime_isNil(text: String) {
        #expect(CacheControl(text).maxAge == nil)
    }

    @Test(arguments: [
        "no-cache", "No-Store", "max-age=5, no-cache", "no-cache=\"a\", no-store", "no-cache=\"\"", "no-cache=",
    ])
    func reuseWithoutValidation_isForbidden(text: String) {
        #expect(CacheControl(text).forbidsReuse)
    }

    @Test(arguments: ["no-cache=\"a, b\"", "no-cachex", "x=\"a, no-cache\"", "max-age=5", "must-revalidate"])
    func reuse_isAllowed(text: String) {
        #expect(!CacheControl(text).forbidsReuse)
    }

    @Test(arguments: [
        "no-store", "No-StOrE", "max-age=5,no-store", "no-store=\"a, b\"", "no-store =1", "no-store\t",
        "x=\"\\\",\", no-store",
    ])
    func storing_isForbidden(text: String) {
        #expect(CacheControl(text).forbidsStoring && CacheControl(text).forbidsReuse)
    }

    @Test(arguments: ["", "no-cache", "private", "x=\"no-store\"", "x=\"a, no-store\"", "no-stores", "x=no-store"])
    func storing_isAllowed(text: String) {
        #expect(!CacheControl(text).forbidsStoring)
    }

    @Test func anyText_isHandled() {
        var random = SeededRandom(seed: 12)
        let seeds = ["max-age=60, no-cache=\"a\\\"\", public", "max-age=\"9999999999999\"", "\u{301}=\u{200D},ä"]
        for _ in 0..<20_000 {
            let text = random.rubbish(from: seeds, alphabet: "max-age=\"\\, 0123456789ä")
            let seconds = CacheControl(text).maxAge ?? 0
            must((0...(1 << 31)).contains(seconds), text)
        }
    }
}
