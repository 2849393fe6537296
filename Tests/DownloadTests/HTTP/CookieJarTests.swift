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

        mutating func sent(to url: String = "https://a.example/") -> String? {
            guard let url = URL(string: url) else { return nil }
            return jar.field(for: url, now: now)
        }
    }

    private var fixture = Fixture()

    // MARK: Hosts

    @Test mutating func cookie_isSent_toItsHostOnly() {
        fixture.set("a=1")
        check(fixture.sent(), "a=1")
        check(fixture.sent(to: "HTTPS://A.Example/"), "a=1")
        check(fixture.sent(to: "http://a.example:8080/"), "a=1")
        for host in ["b.a.example", "example", "b.example", "aa.example", "a.example.org"] {
            check(fixture.sent(to: "https://\(host)/"), nil)
        }
        check(fixture.sent(to: "data:,x"), nil)
    }

    @Test(arguments: ["a.example", ".a.example", "A.EXAMPLE", "example", ""])
    func domainOfHost_changesNothing(domain: String) {
        var fixture = Fixture()
        fixture.set("a=1; Domain=\(domain)")
        check(fixture.sent(), "a=1")
        check(fixture.sent(to: "https://b.a.example/"), nil)
        check(fixture.sent(to: "https://example/"), nil)
    }

    @Test(arguments: ["b.example", "b.a.example", "xample", "..a.example", "com", ".", "a.example."])
    func anotherDomain_isRejected(domain: String) {
        var fixture = Fixture()
        fixture.set("a=1; Domain=\(domain)")
        check(fixture.sent(), nil)
    }

    @Test mutating func address_matchesOnlyItself() {
        for host in ["10.0.0.1", "[::1]"] {
            let url = "https://\(host)/"
            fixture.set("a=1; Domain=0.0.1, b=2; Domain=1, c=3; Domain=1]", from: url)
            check(fixture.sent(to: url), nil)
            fixture.set("d=4", from: url)
            check(fixture.sent(to: url), "d=4")
        }
    }

    // MARK: Paths

    @Test(arguments: [
        ("https://a.example", "/"), ("https://a.example/", "/"), ("https://a.example/x", "/"),
        ("https://a.example/x/", "/x"), ("https://a.example/x/y?/z", "/x"), ("https://a.example/x/y/z", "/x/y"),
        ("https://a.example/%2F/y", "/%2F"),
    ])
    func missingPath_defaultsToFolder(url: String, path: String) {
        var fixture = Fixture()
        fixture.set("a=1", from: url)
        check(fixture.sent(to: "https://a.example\(path)"), "a=1")
        check(fixture.sent(to: "https://a.example\(path == "/" ? "" : path)/q"), "a=1")
        if path != "/" { check(fixture.sent(to: "https://a.example\(path)q"), nil) }
    }

    @Test(arguments: [
        ("/x", "/x", true), ("/x", "/x/", true), ("/x", "/x/y", true), ("/x/", "/x/y", true), ("/x", "/x?q", true),
        ("/", "/x", true), ("/x/", "/x", false), ("/x", "/xy", false), ("/x", "/X", false), ("/x", "/", false),
        ("x", "/", true), ("", "/y", true),
    ])
    func path_matchesItselfAndSubpaths(path: String, requested: String, isSent: Bool) {
        var fixture = Fixture()
        fixture.set("a=1; Path=\(path)")
        check(fixture.sent(to: "https://a.example\(requested)"), isSent ? "a=1" : nil)
    }

    @Test mutating func cookies_areOrdered_byPathLengthThenAge() {
        fixture.set("a=1; Path=/")
        fixture.set("b=2; Path=/x/y")
        fixture.set("c=3; Path=/x")
        fixture.set("d=4; Path=/")
        // It keeps its age, which is that of its name and path.
        fixture.set("a=5; Path=/")
        fixture.set("a=6; Path=/x")
        check(fixture.sent(to: "https://a.example/x/y"), "b=2; c=3; a=6; a=5; d=4")
    }

    // MARK: Secure

    @Test mutating func secureCookie_isSent_overHTTPSOnly() {
        fixture.set("a=1; Secure")
        check(fixture.sent(), "a=1")
        check(fixture.sent(to: "http://a.example/"), nil)
        fixture.set("b=2; Secure, c=3; SECURE=no", from: "http://b.example/")
        check(fixture.sent(to: "https://b.example/"), nil)
    }

    @Test mutating func plainResponse_cannotReplaceHideOrRemoveSecureCookie() {
        fixture.set("a=1; Secure; Path=/x", from: "https://a.example/x")
        fixture.set("a=2; Path=/x, a=3; Path=/x/y, a=; Max-Age=0; Path=/x, b=4; Path=/x", from: "http://a.example/x")
        check(fixture.sent(to: "https://a.example/x/y"), "a=1; b=4")
        // This one the server reads behind it.
        fixture.set("a=5; Path=/", from: "http://a.example/")
        check(fixture.sent(to: "https://a.example/x/y"), "a=1; b=4; a=5")
        fixture.set("a=6; Path=/x", from: "https://a.example/x")
        check(fixture.sent(to: "http://a.example/x"), "a=6; b=4; a=5")
    }

    @Test mutating func namePrefix_isEnforced() {
        fixture.set("__Secure-a=1, __secure-b=2; Secure, __Host-c=3; Secure, __Host-d=4; Path=/")
        fixture.set("__Host-e=5; Secure; Path=/; Domain=a.example, __host-f=6; Secure; Path=/x")
        fixture.set("__Host-g=7; Secure; Path=/, __Secure-h=8; Secure")
        check(fixture.sent(to: "https://a.example/x"), "__secure-b=2; __Host-g=7; __Secure-h=8")
    }

    // MARK: Time

    @Test mutating func cookiesExpire() {
        fixture.set("a=1; Max-Age=10, b=2; Expires=Mon, 12 Jan 1970 13:46:50 GMT, c=3")
        fixture.now += 9
        check(fixture.sent(), "a=1; b=2; c=3")
        fixture.now += 1
        check(fixture.sent(), "c=3")
        check(fixture.jar.count, 1)
        fixture.now = .max - 1
        check(fixture.sent(), "c=3")
    }

    @Test(arguments: [
        "Max-Age=0", "max-age=-5", "Max-Age = 0", "Max-Age=-99999999999999999999", "Expires=1 Jan 70 0:0:0",
    ])
    func expiredCookies_areRemoved(attribute: String) {
        var fixture = Fixture()
        fixture.set("a=1, b=2")
        fixture.set("a=x; \(attribute)")
        check(fixture.sent(), "b=2")
        fixture.set("b=x; \(attribute)")
        check(fixture.sent(), nil)
        check(fixture.jar.count, 0)
    }

    @Test(arguments: [
        "Max-Age=10; Expires=1 Jan 1980 0:0:0", "Expires=1 Jan 70 0:0:0; Max-Age=10",
        "Max-Age=0; Max-Age=10; Max-Age=x", "Max-Age=10; Max-Age=", "Max-Age=10; Max-Age=+20",
    ])
    func maxAge_precedesExpires_andLastValidValueCounts(attributes: String) {
        var fixture = Fixture()
        fixture.set("a=1; \(attributes)")
        check(fixture.sent(), "a=1")
        fixture.now += 10
        check(fixture.sent(), nil)
    }

    @Test(arguments: ["Max-Age=99999999999999999999", "Max-Age=1.5", "Expires=never", "Expires", "Max-Age"])
    func invalidExpiry_isIgnored(attribute: String) {
        var fixture = Fixture()
        fixture.set("a=1; \(attribute)")
        fixture.now = .max - 1
        check(fixture.sent(), "a=1")
    }

    // MARK: Reading

    @Test(arguments: [
        ("a=1", "a=1"), (" a = 1 ; x", "a=1"), ("a=", "a="), ("a==b=", "a==b="), ("a=\"b c\"", "a=\"b c\""),
        ("a=\u{E9}", "a=\u{E9}"), ("a=1;;;", "a=1"), ("a=1,", "a=1,"), (", a=1", "a=1"),
        ("", nil), ("a", nil), ("=1", nil), (";a=1", nil), (" ; Path=/", nil), ("a=b\u{7}c", nil), ("a=b\tc", nil),
        ("a\u{7F}=1", nil), ("a=1\r\nX: y", nil), ("a=\u{0}", nil),
    ])
    func pair_isParsedOrIgnored(text: String, sent: String?) {
        var fixture = Fixture()
        fixture.set(text)
        check(fixture.sent(), sent)
    }

    @Test(arguments: [
        ("a=1", ["a=1"]), ("a=1, b=2", ["a=1", " b=2"]), ("a=1,  b=2,\tc=3", ["a=1", "  b=2", "\tc=3"]),
        ("a=1; Expires=Wed, 09 Jun 2021 10:18:14 GMT, b=2", ["a=1; Expires=Wed, 09 Jun 2021 10:18:14 GMT", " b=2"]),
        (
            "a=1; Expires=Wed, 09-Jun-21 10:18:14 GMT; Path=/, b=2; Expires=Wed, 09-Jun-21 10:18:14 GMT",
            [
                "a=1; Expires=Wed, 09-Jun-21 10:18:14 GMT; Path=/", " b=2; Expires=Wed, 09-Jun-21 10:18:14 GMT",
            ]
        ),
        // Within a value there is no blank behind a comma, or no name and "=" behind that.
        ("a=x,y=z", ["a=x,y=z"]), ("a=x, y", ["a=x, y"]), ("a=x, y; b=z", ["a=x, y; b=z"]), ("a=x, =y", ["a=x, =y"]),
        ("a=x, y, z=1", ["a=x, y", " z=1"]), ("a=x, y z=1", ["a=x, y z=1"]), (", a=1", ["", " a=1"]),
        ("a=1; Path=/x, b[0]:c=2", ["a=1; Path=/x", " b[0]:c=2"]), ("", [""]), (",", [","]), (", ", [", "]),
    ])
    func joinedFields_areSplit(field: String, parts: [String]) {
        #expect(SetCookie.parts(of: field).map { String(Substring($0)) } == parts)
    }

    // MARK: Bounds

    @Test mutating func oversizedCookie_isNotStored() {
        fixture.set("a=" + String(repeating: "x", count: 4_095))
        check(fixture.sent()?.utf8.count, 4_097)
        fixture.set("b=" + String(repeating: "x", count: 4_096))
        fixture.set("c=1; Path=/" + String(repeating: "x", count: 1_024))
        check(fixture.jar.count, 1)
    }

    @Test mutating func field_isBounded_andCookiesThatFitAreSent() {
        let value = String(repeating: "x", count: 4_000)
        fixture.set("a=\(value), b=\(value), c=\(value), d=4")
        check(fixture.sent(), "a=\(value); b=\(value); d=4")
        fixture.set("d=" + String(repeating: "x", count: 172))
        check(fixture.sent()?.utf8.count, CookieJar.fieldLimit)
        fixture.set("d=" + String(repeating: "x", count: 173))
        check(fixture.sent(), "a=\(value); b=\(value)")
    }

    @Test mutating func leastRecentlyUsedCookie_isEvicted_perHost() {
        for number in 0..<CookieJar.hostLimit { fixture.set("c\(number)=x; Path=/\(number)") }
        check(fixture.sent(to: "https://a.example/0"), "c0=x")
        fixture.set("new=1; Path=/new")
        check(fixture.jar.count, CookieJar.hostLimit)
        check(fixture.sent(to: "https://a.example/0"), "c0=x")
        check(fixture.sent(to: "https://a.example/1"), nil)
        check(fixture.sent(to: "https://a.example/2"), "c2=x")
        // One that replaces another takes no place.
        fixture.set("new=2; Path=/new")
        check(fixture.jar.count, CookieJar.hostLimit)
        check(fixture.sent(to: "https://a.example/3"), "c3=x")
    }

    @Test mutating func leastRecentlyUsedCookie_isEvicted_overall() {
        for number in 0..<CookieJar.totalLimit { fixture.set("a=\(number)", from: "https://h\(number).example/") }
        check(fixture.sent(to: "https://h0.example/"), "a=0")
        fixture.set("b=1", from: "https://h0.example/")
        check(fixture.jar.count, CookieJar.totalLimit)
        check(fixture.sent(to: "https://h1.example/"), nil)
        check(fixture.sent(to: "https://h0.example/"), "a=0; b=1")
        check(fixture.sent(to: "https://h2.example/"), "a=2")
    }

    @Test func nothingTraps_andBoundsHold() {
        var random = SeededRandom(seed: Fuzz.seed)
        let seeds = [
            "a=1; Path=/x; Max-Age=9, b=2; Expires=Wed, 09 Jun 2021 10:18:14 GMT; Domain=a.example",
            "__Host-a=1; Secure; Path=/, c=x,y=z; HttpOnly", "long=\(String(repeating: "x", count: 3_000)); Path=/y",
        ]
        let urls = ["", "x", "x/y", "y/"].flatMap { ["https://a.example/\($0)", "http://10.0.0.1/\($0)", "x:\($0)"] }
        var fixture = Fixture()
        for step in 0..<Fuzz.steps / 10 {
            fixture.now = step % 7 == 0 ? Int64.random(in: .min ... .max, using: &random) : Int64(step)
            let field = random.rubbish(from: seeds, alphabet: "abxyz;=, -0123456789/\u{0}\n")
            fixture.set(field, from: urls[Int.random(in: urls.indices, using: &random)])
            let url = urls[Int.random(in: urls.indices, using: &random)]
            guard let sent = fixture.sent(to: url) else { continue }
            must(!sent.isEmpty && sent.utf8.count <= CookieJar.fieldLimit, field)
            must(sent.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F }, field)
            must(!url.hasPrefix("http:") || !sent.hasPrefix("__Host-") && !sent.contains("; __Host-"), field)
            must(fixture.jar.count <= 2 * CookieJar.hostLimit, field)
        }
    }
}
