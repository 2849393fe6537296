import AlcedoTestSupport
import Foundation
import Testing

@testable import Alcedo
@testable import TestFixtures

@Suite(.ownThreads) struct CookieJarTests {
    /// A jar, the time and addresses as texts.
    private struct Fixture {
        var jar = CookieJar()
        var now: Int64 = 1_000_000

        mutating func set(_ field: String, from url: String = "https://a.example/") {
            guard let url = URL(string: url) else { return must(false, url) }
            jar.take(field, from: url, now: now)
        }

        func sent(to url: String = "https://a.example/") -> String? {
            guard let url = URL(string: url) else { return nil }
            return jar.field(for: url, now: now)
        }
    }

    private var fixture = Fixture()

    // MARK: Origins

    @Test mutating func cookie_isSent_toItsOriginOnly() {
        fixture.set("a=1")
        check(fixture.sent(), "a=1")
        check(fixture.sent(to: "HTTPS://A.Example:443/x"), "a=1")
        for other in [
            "http://a.example", "https://a.example:8443", "https://b.a.example", "https://example", "https://b.example",
            "https://aa.example", "https://a.example.org",
        ] {
            check(fixture.sent(to: "\(other)/"), nil)
        }
        check(fixture.sent(to: "data:,x"), nil)
    }

    @Test(arguments: ["a.example", ".a.example", "A.EXAMPLE", "example"])
    func domainOfHost_changesNothing(domain: String) {
        var fixture = Fixture()
        fixture.set("a=1; Domain=\(domain)")
        check(fixture.sent(), "a=1")
        for host in ["b.a.example", "b.example", "example"] { check(fixture.sent(to: "https://\(host)/"), nil) }
    }

    @Test(arguments: ["b.example", "b.a.example", "xample", "..a.example", "com", ".", "a.example."])
    func anotherDomain_isRejected(domain: String) {
        var fixture = Fixture()
        fixture.set("a=1; Domain=\(domain)")
        check(fixture.sent(), nil)
        check(fixture.sent(to: "https://\(domain)/"), nil)
    }

    @Test(arguments: ["10.0.0.1", "[::1]"]) func address_isAHost(host: String) {
        var fixture = Fixture()
        fixture.set("a=1, b=2; Domain=0.0.1", from: "http://\(host)/")
        check(fixture.sent(to: "http://\(host)/")?.contains("a=1"), true)
        for other in ["11.0.0.1", "0.0.1", "[::2]"] { check(fixture.sent(to: "http://\(other)/"), nil) }
    }

    // MARK: Secure

    @Test mutating func secureCookie_isKeptAndSent_overHTTPSOnly() {
        fixture.set("a=1; Secure, b=2; SECURE=no, c=3")
        check(fixture.sent(), "c=3; b=2; a=1")
        check(fixture.sent(to: "http://a.example/"), nil)
        fixture.set("a=4; Secure, c=5", from: "http://a.example/")
        check(fixture.sent(to: "http://a.example/"), "c=5")
        check(fixture.sent(), "c=3; b=2; a=1")
    }

    // MARK: Paths

    @Test(arguments: [
        ("/x", "/x", true), ("/x", "/x/", true), ("/x", "/x/y", true), ("/x/", "/x/y", true), ("/x", "/x?q", true),
        ("/", "/x", true), ("/", "", true), ("/x", "/xy", false), ("/x", "/X", false), ("/x", "/", false),
        ("x", "/", true), ("", "/y", true), ("/%2F", "/%2F/x", true), ("/%2F", "//x", false),
    ])
    func path_matchesItselfAndSubpaths(path: String, requested: String, isSent: Bool) {
        var fixture = Fixture()
        fixture.set("a=1; Path=\(path)")
        check(fixture.sent(to: "https://a.example\(requested)"), isSent ? "a=1" : nil)
    }

    @Test mutating func longerPaths_goFirst() {
        fixture.set("a=1; Path=/, b=2; Path=/x/y, c=3; Path=/x")
        fixture.set("a=4; Path=/, a=5; Path=/x")
        check(fixture.sent(to: "https://a.example/x/y"), "b=2; a=5; c=3; a=4")
    }

    // MARK: Time

    @Test mutating func cookiesExpire() {
        fixture.set("a=1; Max-Age=10, b=2; Expires=Mon, 12 Jan 1970 13:46:50 GMT, c=3")
        fixture.now += 9
        check(fixture.sent(), "c=3; b=2; a=1")
        fixture.now += 1
        check(fixture.sent(), "c=3")
        fixture.now = .max
        check(fixture.sent(), "c=3")
    }

    @Test(arguments: [
        "Max-Age=0", "max-age=-5", "Max-Age = 0", "Expires=Thu, 01 Jan 1970 00:00:00 GMT",
        "Expires=Thu, 01-Jan-70 00:00:00 GMT", "Max-Age=0; Expires=Wed, 09 Jun 2099 10:18:14 GMT",
    ])
    func expiredCookies_areRemoved(attribute: String) {
        var fixture = Fixture()
        fixture.set("a=1, b=2")
        fixture.set("a=x; \(attribute)")
        check(fixture.sent(), "b=2")
        fixture.set("b=x; \(attribute)")
        check(fixture.sent(), nil)
    }

    @Test(arguments: ["Max-Age=99999999999999999999", "Max-Age=1.5", "Expires=never", "Expires", "Max-Age"])
    func invalidExpiry_isIgnored(attribute: String) {
        var fixture = Fixture()
        fixture.set("a=1; \(attribute)")
        fixture.now = .max
        check(fixture.sent(), "a=1")
    }

    // MARK: Parsing

    @Test(
        arguments: [
            ("a=1", "a=1"), (" a = 1 ; x", "a=1"), ("a=", "a="), ("a==b=", "a==b="), ("a=\"b c\"", "a=\"b c\""),
            ("a=1;;;", "a=1"), ("a=1, b=2; Expires=Wed, 09 Jun 2099 10:18:14 GMT, c=3", "c=3; b=2; a=1"),
            ("", nil), ("a", nil), ("=1", nil), (";a=1", nil), (" ; Path=/", nil),
            // Foundation would trap, or pass on what must not be in a header field.
            ("\u{1F426}\u{1F426}\u{1F426}=", nil), ("e\u{301}\u{301}\u{301}=", nil), ("a\r\n\r\nb=", nil),
            ("a=1\r\nX: y", nil), ("a=\u{0}", nil), ("a\u{7F}=1", nil), ("a=\u{E9}", nil),
        ] as [(String, String?)])
    func field_isParsedOrIgnored(text: String, sent: String?) {
        var fixture = Fixture()
        fixture.set(text)
        check(fixture.sent(), sent)
    }

    // MARK: Bounds

    @Test mutating func oversizedCookies_areNotKept_andOthersStay() {
        fixture.set("a=1")
        fixture.set("b=" + String(repeating: "x", count: CookieJar.byteLimit))
        fixture.set("c=" + String(repeating: "x", count: CookieJar.byteLimit - 2))
        check(fixture.sent(), "a=1")
    }

    @Test mutating func oldestCookies_areDropped_byBytes() {
        let value = String(repeating: "x", count: 2_700)
        for name in ["a", "b", "c", "d"] { fixture.set("\(name)=\(value)") }
        check(fixture.sent(), "d=\(value); c=\(value); b=\(value)")
    }

    @Test mutating func oldestCookies_areDropped_byCount() {
        for number in 0...CookieJar.cookieLimit { fixture.set("c\(number)=x; Path=/\(number)") }
        check(fixture.sent(to: "https://a.example/0"), nil)
        check(fixture.sent(to: "https://a.example/1"), "c1=x")
        // One that replaces another takes no place.
        fixture.set("c9=y; Path=/9")
        check(fixture.sent(to: "https://a.example/1"), "c1=x")
    }

    @Test mutating func originsThatSetCookiesFirst_areDropped() {
        for number in 0..<CookieJar.originLimit { fixture.set("a=\(number)", from: "https://h\(number).example/") }
        fixture.set("a=new", from: "https://h0.example/")
        fixture.set("a=1; Max-Age=0", from: "https://none.example/")
        check(fixture.sent(to: "https://h1.example/"), "a=1")
        fixture.set("a=1")
        check(fixture.sent(to: "https://h0.example/"), "a=new")
        check(fixture.sent(to: "https://h1.example/"), nil)
        check(fixture.sent(to: "https://h2.example/"), "a=2")
    }

    @Test func nothingTraps_andBoundsHold() {
        var random = SeededRandom(seed: Fuzz.seed)
        let seeds = [
            "a=1; Path=/x; Max-Age=9, b=2; Expires=Wed, 09 Jun 2021 10:18:14 GMT; Domain=a.example",
            "__Host-a=1; Secure; Path=/, c=x,y=z; HttpOnly", "long=\(String(repeating: "x", count: 3_000)); Path=/y",
            "\u{1F426}\u{1F426}=; Version=1; Port=\"80,443\"; CommentURL=http://[",
        ]
        let urls = ["", "x", "x/y", "y/"].flatMap { ["https://a.example/\($0)", "http://10.0.0.1/\($0)", "x:\($0)"] }
        var fixture = Fixture()
        for step in 0..<Fuzz.steps / 10 {
            fixture.now = step % 7 == 0 ? Int64.random(in: .min ... .max, using: &random) : Int64(step)
            let field = random.rubbish(from: seeds, alphabet: "abxyz;=, -0123456789/\u{0}\n\u{1F426}\u{301}")
            fixture.set(field, from: urls[Int.random(in: urls.indices, using: &random)])
            guard let sent = fixture.sent(to: urls[Int.random(in: urls.indices, using: &random)]) else { continue }
            must(!sent.isEmpty && sent.utf8.count <= CookieJar.byteLimit, field)
            must(sent.utf8.allSatisfy { (0x20...0x7E).contains($0) }, field)
        }
    }
}
