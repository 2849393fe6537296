import AlcedoTestSupport
import Foundation
import Testing

@testable import Alcedo
@testable import TestFixtures

/// URLs as people, pages and programs write them.
@Suite struct ParsedURLTests {
    private func check(_ text: String, _ normal: String, _ location: SourceLocation = #_sourceLocation) throws {
        let url = try ParsedURL(text)
        #expect(url.text == normal, "\(text.debugDescription)", sourceLocation: location)
        #expect(url.scheme != .unusable, sourceLocation: location)
        // And so is one that Foundation has read.
        let read = try #require(URL(string: normal))
        #expect(ParsedURL(read) == url, sourceLocation: location)
    }

    private func fault(_ text: String, relativeTo base: String? = nil) throws -> URLFault? {
        do throws(URLFault) {
            _ = try ParsedURL(text, relativeTo: base.flatMap { URL(string: $0) }.map { ParsedURL($0) })
            return nil
        } catch {
            return error
        }
    }

    // MARK: http and https

    @Test(
        arguments: [
            // Blanks and control characters around it, line breaks and tabs in it.
            (" http://h/a.png\n", "http://h/a.png"), ("\u{0}\u{1F}\u{B}http://h/a\u{C}", "http://h/a"),
            ("ht\ntp://h\t/a\r\n.png", "http://h/a.png"),
            // What may not stand for itself, wherever it is.
            ("http://h/a b.png?c d#e f", "http://h/a%20b.png?c%20d#e%20f"),
            ("http://h/[1].png?f=A|B&g={x}", "http://h/%5B1%5D.png?f=A%7CB&g=%7Bx%7D"),
            ("http://h/\"a\"<b>^`", "http://h/%22a%22%3Cb%3E%5E%60"),
            ("http://h/фото.png?q=é#ü", "http://h/%D1%84%D0%BE%D1%82%D0%BE.png?q=%C3%A9#%C3%BC"),
            ("http://h/a\u{0}\u{7F}", "http://h/a%00%7F"), ("http://h/a#b#c", "http://h/a#b%23c"),
            ("http://h/!$&'()*+,;=:@-._~?!$&'()*+,;=:@/?", "http://h/!$&'()*+,;=:@-._~?!$&'()*+,;=:@/?"),
            // Escapes stay, and a "%" that begins none is one.
            ("http://h/%6B%7e%2F%2f?%41%e9", "http://h/%6B%7e%2F%2f?%41%e9"),
            ("http://h/100%?a=%&b=%4&c=%zz%", "http://h/100%25?a=%25&b=%254&c=%25zz%25"),
            // Case and default ports.
            ("HTTP://EXAMPLE.org/A?B#C", "http://example.org/A?B#C"), ("hTTpS://h:443/a", "https://h/a"),
            ("http://h:80", "http://h/"), ("http://h:443/", "http://h:443/"), ("https://h:80/", "https://h:80/"),
            ("http://h:/", "http://h/"), ("http://h:00080/", "http://h/"), ("http://h:0/", "http://h:0/"),
            ("http://h:65535/", "http://h:65535/"),
            // The path.
            ("http://h", "http://h/"), ("http://h?a", "http://h/?a"), ("http://h#a", "http://h/#a"),
            ("http://h/?", "http://h/?"), ("http://h/#", "http://h/#"), ("http://h//a//", "http://h//a//"),
            ("http://h/a/./b", "http://h/a/b"), ("http://h/a/../b", "http://h/b"), ("http://h/../../a", "http://h/a"),
            ("http://h/a/..", "http://h/"), ("http://h/a/b/..", "http://h/a/"), ("http://h/a/.", "http://h/a/"),
            ("http://h/a/%2e%2E/b/%2E/c", "http://h/b/c"), ("http://h/.%2e/%2e./a", "http://h/a"),
            ("http://h/...", "http://h/..."), ("http://h/.a/..b/c.", "http://h/.a/..b/c."),
            ("http://h/a?/../b", "http://h/a?/../b"), ("http://h/a#/../b", "http://h/a#/../b"),
            ("http://h/a/%2e%2e%2fb", "http://h/a/%2e%2e%2fb"),
            // Backslashes are slashes up to the query.
            ("http:\\\\h\\a\\..\\b?c\\d#e\\f", "http://h/b?c%5Cd#e%5Cf"), ("http:/\\h", "http://h/"),
            // The user.
            ("http://u:p@h/", "http://u:p@h/"), ("http://u@h/", "http://u@h/"), ("http://u:@h/", "http://u@h/"),
            ("http://:p@h/", "http://:p@h/"), ("http://@h/", "http://h/"), ("http://:@h/", "http://h/"),
            ("http://a@b:c@d@h/", "http://a%40b:c%40d@h/"), ("http://u:a:b@h", "http://u:a%3Ab@h/"),
            ("http://u;=%2e é:p|@h/", "http://u%3B%3D%2e%20%C3%A9:p%7C@h/"),
            ("http://h/@a", "http://h/@a"), ("http://h?@a", "http://h/?@a"), ("http://h\\@g/", "http://h/@g/"),
        ] as [(String, String)])
    func webURL_isNormalized(text: String, normal: String) throws { try check(text, normal) }

    @Test(
        arguments: [
            ("EXAMPLE.Org", "example.org"), ("ex%41mple.org", "example.org"), ("a_b", "a_b"), ("h.", "h."),
            ("a..b", "a..b"), ("xn--bcher-kva.example", "xn--bcher-kva.example"), ("XN--a", "xn--a"),
            ("!$&'()*+,;=._~-", "!$&'()*+,;=._~-"), ("3com", "3com"), ("a.0xg", "a.0xg"), ("1.2.3.a", "1.2.3.a"),
            // Beyond ASCII.
            ("bücher.example", "xn--bcher-kva.example"), ("BÜCHER.example", "xn--bcher-kva.example"),
            ("b%C3%BCcher.example", "xn--bcher-kva.example"), ("bu\u{308}cher.example", "xn--bcher-kva.example"),
            ("faß.example", "xn--fa-hia.example"), ("日本語。jp", "xn--wgv71a119e.jp"), ("☃.net", "xn--n3h.net"),
            ("ｅｘａｍｐｌｅ.ORG", "example.org"), ("fa\u{AD}st", "fast"),
            // IPv4.
            ("127.0.0.1", "127.0.0.1"), ("127.1", "127.0.0.1"), ("127.0.1", "127.0.0.1"), ("2130706433", "127.0.0.1"),
            ("0x7f.1", "127.0.0.1"), ("0X7F000001", "127.0.0.1"), ("0177.0.0.01", "127.0.0.1"),
            ("127.0.0.1.", "127.0.0.1"),
            ("%31%32%37.1", "127.0.0.1"), ("１２７.1", "127.0.0.1"), ("0", "0.0.0.0"), ("0x", "0.0.0.0"),
            ("00", "0.0.0.0"),
            ("4294967295", "255.255.255.255"), ("1.16777215", "1.255.255.255"), ("1.2.65535", "1.2.255.255"),
            // IPv6.
            ("[::1]", "[::1]"), ("[0:0:0:0:0:0:0:1]", "[::1]"), ("[::]", "[::]"), ("[1::]", "[1::]"),
            ("[2001:DB8:0:0:1:0:0:0]", "[2001:db8:0:0:1::]"), ("[1:0:0:2:0:0:0:3]", "[1:0:0:2::3]"),
            ("[1:0:0:2:3:0:0:4]", "[1::2:3:0:0:4]"), ("[1:2:3:4:5:6:7::]", "[1:2:3:4:5:6:7:0]"),
            ("[1:0:2:3:4:5:6:7]", "[1:0:2:3:4:5:6:7]"), ("[::ffff:127.0.0.1]", "[::ffff:7f00:1]"),
            ("[0001:02::1.2.3.4]", "[1:2::102:304]"),
        ] as [(String, String)])
    func host_isNormalized(text: String, normal: String) throws {
        try check("http://\(text)/", "http://\(normal)/")
        try check("https://u:p@\(text):8443?a", "https://u:p@\(normal):8443/?a")
        let url = try ParsedURL("http://u@\(text):81/@b:1/")
        #expect(url.host == normal.trimmingCharacters(in: ["[", "]"]))
        #expect(url.port == 81 && url.origin == "http://\(normal):81")
        #expect(URLHost.normal(text) == url.host && URLHost.normal(url.host) == url.host)
    }

    @Test(arguments: [
        "a b", "a%20b", "a<b", "a>b", "a^b", "a|b", "a`b", "a\"b", "a{b", "a]b", "%", "%zz", "a%2Fb", "a%3Fb", "a%40b",
        "a%23b", "a%5Cb", "a%00b", "a\u{1}b", "%FF", "％41", "a℀b", "a\u{202E}b", "\u{200D}a", "\u{FFFD}", "\u{AD}",
        "256.1.1.1", "1.256.1.1", "1.2.3.256", "1.2.3.4.5", "1.2.65536", "4294967296", "0xFFFFFFFFFF", "a.1", "a.09",
        "1..2", "0x.0x.0xg.1", "08", "99999999999999999999999",
        "[", "[]", "[1]", "[::1", "[::1]a", "[:1]", "[1:]", "[:::]", "[1::2::3]", "[1:2:3:4:5:6:7]",
        "[1:2:3:4:5:6:7:8:9]", "[1:2:3:4::5:6:7:8]", "[12345::]", "[g::]", "[+1::]", "[::1.2.3]", "[::1.2.3.4.5]",
        "[::1.2.3.256]", "[::01.2.3.4]", "[1.2.3.4::]", "[::1.2.3.4:5]", "[fe80::1%25eth0]", "[%3A%3A1]",
    ])
    func badHost_isNamed(host: String) throws {
        guard case .text(let reason)? = try fault("http://\(host)/a") else {
            Issue.record("\(host)")
            return
        }
        #expect(reason.hasPrefix("its host "))
        #expect(URLHost.normal(host) == nil)
    }

    @Test(
        arguments: [
            ("", "it has no scheme, such as https: or file:"), (" \n", "it has no scheme, such as https: or file:"),
            ("a.png", "it has no scheme, such as https: or file:"),
            ("/a:b", "it has no scheme, such as https: or file:"),
            ("//h/a", "it has no scheme, such as https: or file:"),
            ("1a:b", "it has no scheme, such as https: or file:"),
            (":a", "it has no scheme, such as https: or file:"), ("é:a", "it has no scheme, such as https: or file:"),
            ("http:", "it has no host"), ("http:h", "it has no host"), ("http:/h", "it has no host"),
            ("http://", "it has no host"), ("http:///a", "it has no host"), ("http://?a", "it has no host"),
            ("http://#a", "it has no host"), ("http://u@", "it has no host"), ("http://u@/a", "it has no host"),
            ("http://:80/", "it has no host"), ("http://@:80/", "it has no host"),
            ("http://h:a/", "its port is no number from 0 to 65535"),
            ("http://h:65536/", "its port is no number from 0 to 65535"),
            ("http://h:-1/", "its port is no number from 0 to 65535"),
            ("http://h:8 0/", "its port is no number from 0 to 65535"),
            ("http://h:８０/", "its port is no number from 0 to 65535"),
            ("http://a:b:c/", "its port is no number from 0 to 65535"),
            ("http://[::1]:x/", "its port is no number from 0 to 65535"),
            ("http://h:99999999999999999999/", "its port is no number from 0 to 65535"),
            ("file:", "it has no path"), ("file://", "it has no path"), ("file://localhost", "it has no path"),
            ("file:?a", "it has no path"), ("file:a.png", "its path is relative"), ("file:.", "its path is relative"),
            ("file://h/a", "a file URL of another host"), ("file://127.0.0.1/a", "a file URL of another host"),
            ("file:///a%00b", "its path has a null character"), ("file:///a\u{0}b", "its path has a null character"),
        ] as [(String, String)])
    func badText_isNamed(text: String, reason: String) throws {
        #expect(try fault(text) == .text(reason), "\(text.debugDescription)")
        #expect(throws: ImageLoaderError.invalidURL(text, reason: reason)) { try ImageRequest(text) }
    }

    @Test(arguments: ["ftp", "javascript", "about", "blob", "ws", "c", "a+b-c.1"])
    func otherScheme_isNamed(scheme: String) throws {
        #expect(try fault("\(scheme.uppercased())://h/a") == .scheme(scheme))
        #expect(throws: ImageLoaderError.unsupportedScheme(scheme)) { try ImageRequest(" \(scheme):a") }
    }

    // MARK: file and data

    @Test(
        arguments: [
            ("FILE:///a b.png", "file:///a%20b.png"), ("file:/a", "file:///a"), ("file://LocalHost/a", "file:///a"),
            ("file:////a", "file:////a"), ("file:\\a\\b", "file:///a/b"), ("file:///é%FF%", "file:///%C3%A9%FF%25"),
            ("file:///a/../b/./%2e", "file:///a/../b/./%2e"), ("file:///a?b c#d", "file:///a?b%20c#d"),
            ("data:,", "data:,"), ("DATA:image/png;base64,AA+/=", "data:image/png;base64,AA+/="),
            ("data:image/png; base64,A\nB C ", "data:image/png;%20base64,AB%20C"), ("data:,100%", "data:,100%25"),
            ("data:image/svg+xml,<svg a=\"b\"/>#c", "data:image/svg+xml,%3Csvg%20a=%22b%22/%3E#c"),
            ("data:,a/../b\\c", "data:,a/../b%5Cc"), ("data:,é", "data:,%C3%A9"), ("data:", "data:"),
        ] as [(String, String)])
    func localURL_isNormalized(text: String, normal: String) throws {
        try check(text, normal)
        let url = try ParsedURL(text)
        #expect(!url.isWeb && url.host == "")
    }

    @Test func pathOfAFile_isBytes() throws {
        #expect(try ParsedURL("file:///a%2Fb%FF%20é?c#d").filePath == Array("/a/b".utf8) + [0xFF] + Array(" é".utf8))
    }

    // MARK: Relative URLs

    @Test(
        arguments: [
            ("z", "http://h/x/z"), ("z/", "http://h/x/z/"), ("/z", "http://h/z"), ("?v", "http://h/x/y?v"),
            ("#f", "http://h/x/y?q#f"), ("", "http://h/x/y?q"), (".", "http://h/x/"), ("..", "http://h/"),
            ("../../z", "http://h/z"), ("./z", "http://h/x/z"), ("%2e%2e/z", "http://h/z"), ("//g/a", "http://g/a"),
            ("\\z", "http://h/z"), ("/\\g", "http://g/"), ("\\\\g", "http://g/"), (" a b\n", "http://h/x/a%20b"),
            ("/a|b", "http://h/a%7Cb"), ("./a:b", "http://h/x/a:b"), ("é:b", "http://h/x/%C3%A9:b"),
            // The scheme of the base alone makes no absolute URL.
            ("http:z", "http://h/x/z"), ("HTTP:/z", "http://h/z"), ("http:?v", "http://h/x/y?v"),
            ("http://g:80", "http://g/"), ("https://h/a/../b", "https://h/b"), ("HTTPS:\\\\g", "https://g/"),
        ] as [(String, String)])
    func relativeURL_isResolved(text: String, normal: String) throws {
        let base = try ParsedURL("http://h/x/y?q#g")
        #expect(try ParsedURL(text, relativeTo: base).text == normal)
    }

    @Test func relativeURL_needsABaseWithHost() throws {
        #expect(try fault("https:z", relativeTo: "http://h/") == .text("it has no host"))
        #expect(try fault("z:1", relativeTo: "http://h/") == .scheme("z"))
        for base in ["file:///a", "data:,x", "http://h:99999/", "a.png"] {
            #expect(try fault("z", relativeTo: base) == .text("it has no scheme, such as https: or file:"))
        }
    }

    // MARK: What is normal already

    @Test func normalURL_isNotMadeAnew() throws {
        for text in [
            "https://example.org/photos/1/a.png?w=1&h=2", "http://h/a", "http://127.0.0.1:8080/a%20b/~c",
            "http://a-b.1.example/!$&'()*+,;=:@?/?", "file:///a/../b%FF.png", "data:image/png;base64,AAAA//++==",
        ] {
            #expect(PlainURL.normalScheme(of: text) != nil, "\(text)")
            let url = try #require(URL(string: text))
            #expect(ParsedURL(url).url == url)
        }
        // Only the first is told by its blocks.
        #expect(plainScheme(of: "https://example.org/photos/1/a.png?w=1&h=2") == .https)
        #expect(plainScheme(of: "http://127.0.0.1/photos/1/a.png?w=1&h=2") == nil)
    }

    private func plainScheme(of text: String) -> ParsedURL.Scheme? {
        Array(text.utf8).withUnsafeBytes { PlainURL.scheme(of: $0) }
    }

    @Test func unusableURL_staysAsItIs() throws {
        for text in ["HTTP:///a", "ftp://H/a", "a.png", "http://h:99999/"] {
            let url = ParsedURL(try #require(URL(string: text)))
            #expect(url.scheme == .unusable && url.text == text)
            #expect(ImageRequest(url: url.url).url?.absoluteString == text)
        }
    }

    @Test(
        arguments: [
            ("HTTP://EXAM", "http://exam"), ("http://h", "http://h"), ("http://H/", "http://h/"),
            ("http://h/a b", "http://h/a%20b"), ("http://h/a/../b", "http://h/b"), ("http://h/.", "http://h/."),
            ("http://h/a/..", "http://h/a/.."), ("http://h/a%", "http://h/a%"), ("http://h/a%6", "http://h/a%6"),
            ("http://h/a%6B", "http://h/a%6B"), ("http://h?a", "http://h/?a"), ("http://10", "http://10"),
            ("http://127.0.0.1", "http://127.0.0.1"), ("http://127.1/", "http://127.0.0.1/"),
            ("HTTP://H:80", "http://h:80"),
            ("HTTP://H:8080/", "http://h:8080/"), ("http://bücher.test/", "http://xn--bcher-kva.test/"),
            ("http://büch", "http://büch"), ("album#A b", "album#A b"), ("", ""), ("http://", "http://"),
            ("FILE:///A b", "FILE:///A b"), ("http://h/a#", "http://h/a#"), (" http://h/a", "http://h/a"),
        ] as [(String, String)])
    func prefix_isSpelledAsTheURLsThatBeginSo(text: String, normal: String) {
        #expect(ParsedURL.normalPrefix(text) == normal)
    }

    // MARK: Any text

    private static let seeds = [
        "http://h.test/a/b.png?x=1", "HTTPS://User:pw@Example.ORG:443/%2e/../x y#f", "http://127.0.0.1:8080/a",
        "http://[::1]:80/a/b", "file:///a/b", "data:image/png;base64,AAAA", "http://bücher.de/ä", "//g/a?b",
        "../x/%2E%2e/y", "https://images.example.org/photos/1/large.jpg?width=1080&format=auto",
    ]

    /// What is normal stays as it is, Foundation reads the same in it, and nothing traps.
    @Test func normalForm_isStable() throws {
        var random = SeededRandom(seed: Fuzz.seed)
        let base = try ParsedURL("http://b.test/x/y?q")
        var (read, plain) = (0, 0)
        for number in 0..<Fuzz.steps * 3 {
            let text = random.rubbish(from: Self.seeds, alphabet: "/\\.:?#%@[]2eE0x1a-~_ \t\n&=z;|\"'<>^`{}é")
            if let scheme = PlainURL.normalScheme(of: text) {
                plain += 1
                let parsed = try URLParser(text).parsed(relativeTo: base)
                must(parsed.text == text && parsed.scheme == scheme, text.debugDescription)
            }
            if let scheme = plainScheme(of: text) { must(PlainURL.normalScheme(of: text) == scheme, text) }
            guard let (normal, scheme) = parsed(text, number % 2 == 0 ? base : nil) else { continue }
            read += 1
            let again = try URLParser(normal).parsed(relativeTo: nil)
            must(again.text == normal && again.scheme == scheme, text.debugDescription)
            guard let url = URL(string: normal, encodingInvalidCharacters: false) else {
                must(false, text.debugDescription)
                continue
            }
            must(url.absoluteString == normal, text.debugDescription)
            let own = ParsedURL(url)
            must(own.text == normal && own.scheme == scheme && url.origin == own.origin, text.debugDescription)
            guard own.isWeb else { continue }
            must(url.scheme == scheme.rawValue && url.host == own.host && !own.host.isEmpty, text.debugDescription)
            must((url.port ?? scheme.defaultPort) == own.port, text.debugDescription)
        }
        #expect(read > Fuzz.steps && plain > Fuzz.steps / 10)
    }

    private func parsed(_ text: String, _ base: ParsedURL?) -> (text: String, scheme: ParsedURL.Scheme)? {
        do throws(URLFault) {
            return try URLParser(text).parsed(relativeTo: base)
        } catch {
            return nil
        }
    }

    /// Each byte at each place of a block, so that no place is overlooked.
    @Test func eachByte_isJudgedTheSame_byBlocksAndAlone() throws {
        let text = Array("https://example.org/photos/12345/large.jpg?width=1080".utf8)
        for place in text.indices {
            for byte in UInt8.min...UInt8.max {
                var changed = text
                changed[place] = byte
                let isPlain = changed.withUnsafeBytes { PlainURL.scheme(of: $0) } != nil
                guard isPlain else { continue }
                let spelled = String(decoding: changed, as: UTF8.self)
                must(parsed(spelled, nil)?.text == spelled, "\(place) \(byte)")
            }
        }
    }
}
