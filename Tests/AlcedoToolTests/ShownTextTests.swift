import Alcedo
import AlcedoTestSupport
import Foundation
import Testing

@testable import AlcedoTool

@Suite(.timeLimit(.minutes(1))) struct ShownTextTests {
    @Test(
        arguments: [
            ("http://user:pw@h/a.png", "http://***@h/a.png"), ("https://token@h", "https://***@h"),
            ("http://u:p@ss@h:8/a@2x.png", "http://***@h:8/a@2x.png"), ("http://u:p/w@h/a", "http://***@h/a"),
            ("http://u:p?w#x@h/a", "http://***@h/a"), ("http://u:p\\w@h/a", "http://***@h/a"),
            ("http://h/photo@2x.png", "http://h/photo@2x.png"), ("http://h:80/a@2x.png", "http://h:80/a@2x.png"),
            ("http://[::1]/a@2x.png", "http://[::1]/a@2x.png"), ("http://[::1]:80/a@b", "http://[::1]:80/a@b"),
            ("http://h/a//b@2x.png", "http://h/a//b@2x.png"), ("//u:p@h/a", "//***@h/a"),
            ("http:u:p@h/a", "http:***@h/a"),
            ("HTTPS:\\\\u:p@h/a", "HTTPS:\\\\***@h/a"), ("ftp://u:p@h/a", "ftp://***@h/a"),
            ("photos/a@2x.png", "photos/a@2x.png"), ("C:/photos/a@2x.png", "C:/photos/a@2x.png"),
            ("", ""), ("http://", "http://"),
        ] as [(String, String)])
    func credentials_areMasked(_ url: String, _ shown: String) {
        #expect(ShownText.of(url: url) == shown)
        #expect(ShownText.of(url) == shown)
    }

    /// Some people leave the scheme out.
    @Test(
        arguments: [
            ("u:pw@h/a.png", "***@h/a.png"), ("u:p/w@h/a", "***@h/a"), ("u:p=w&x@h:80/a@2x.png", "***@h:80/a@2x.png"),
            ("h:80/a@2x.png", "h:80/a@2x.png"), ("a@2x.png", "a@2x.png"), ("ftp:u:pw@h/a", "***@h/a"),
            ("/folder/u_a:p=w@h/a", "/folder/***@h/a"), ("file:///folder//u:pw@h/a", "file:///folder//***@h/a"),
            ("http://h/u:pw@i/a", "http://h/***@i/a"), ("http://h/a?w=1&u=a:b@i", "http://h/a?w=1&u=***@i"),
        ] as [(String, String)])
    func bareCredentials_areMasked(_ url: String, _ shown: String) {
        #expect(ShownText.of(url: url) == shown)
        #expect(ShownText.of(url) == shown)
        #expect(ShownText.of("unknown argument: \(url)") == "unknown argument: \(shown)")
        #expect(ShownText.of(shown) == shown)
    }

    @Test(
        arguments: [
            ("http://h/a?redirect=http%3A%2F%2Fi%2F%3Ftoken%3D1&w=2", "http://h/a?redirect=http://i/?token=***&w=2"),
            ("http://h/a?u=http%3A%2F%2Fu%3Apw%40i%2Fb", "http://h/a?u=http://***@i/b"),
            ("http://h/a?u=http%253A%252F%252Fi%252F%253Fcode%253D1", "http://h/a?u=http://i/?code=***"),
            ("http://h/http%3A%2F%2Fi%2Fb%3Fsig%3D1", "http://h/http://i/b?sig=***"),
            ("http://h/a?back=%2Fb%3Fcode=1&w=2", "http://h/a?back=%2Fb%3Fcode=***&w=2"),
            ("http://h/a?q=w%3D1%26pw%3D%FF", "http://h/a?q=w=1&pw=***"),
            ("file:///d/u%3Apw%40h/x%3Ftoken%3D1", "file:///d/***@h/x?token=***"),
            ("x%3Ftoken%3D1", "x?token=***"),
            ("http://h/a%20b%402x.png?q=a%26b%3D%", "http://h/a%20b%402x.png?q=a%26b%3D%"),
        ] as [(String, String)])
    func escapedSecrets_areMasked(_ url: String, _ shown: String) {
        #expect(ShownText.of(url: url) == shown)
        #expect(ShownText.of("in \(url) ") == "in \(shown) ")
        #expect(ShownText.of(url: shown) == shown)
    }

    /// A server may send it.
    @Test func manyEscapes_areMasked_inTime() {
        let url = "http://h/?u=%" + String(repeating: "25", count: 100_000) + "3Ftoken=S3CRET"
        #expect(ShownText.of(url: url) == "http://h/?u=***=***")
    }

    @Test(
        arguments: [
            ("http://h/a?token=1&w=2", "http://h/a?token=***&w=2"),
            ("http://h/a?w=2&api_key=x#y", "http://h/a?w=2&api_key=***#y"),
            ("http://h/a?X-Amz-Signature=1&X-Amz-Date=2", "http://h/a?X-Amz-Signature=***&X-Amz-Date=2"),
            ("http://h/a?X-Amz-Credential=1;x=2", "http://h/a?X-Amz-Credential=***;x=2"),
            ("http://h/a?sig=a%2Fb%3D&se=1", "http://h/a?sig=***&se=1"),
            ("http://h/a?TOKEN=a=b", "http://h/a?TOKEN=***"),
            ("http://h/a?%74oken=1", "http://h/a?%74oken=***"),
            ("http://h/#access_token=1", "http://h/#access_token=***"),
            ("http://h/a?u=http://u:p@i/b?key=1", "http://h/a?u=http://***@i/b?key=***"),
            ("http://h/a?token=", "http://h/a?token="),
            ("http://h/a?code=1&barcode=2", "http://h/a?code=***&barcode=2"),
            ("http://h/a?code_verifier=1&otp=2", "http://h/a?code_verifier=***&otp=***"),
            ("http://h/a?author=1&design=2&keyword=3&w", "http://h/a?author=1&design=2&keyword=3&w"),
            ("http://h/token=1", "http://h/token=1"),
            ("http://h/?ak=1&sk=2&tkn=3&cred=4&sas=5", "http://h/?ak=***&sk=***&tkn=***&cred=***&sas=***"),
            ("http://h/?verify=1&pin=2&csrf=3&spin=4&ask=5", "http://h/?verify=***&pin=***&csrf=***&spin=4&ask=5"),
            ("http://h/a.png;token=1", "http://h/a.png;token=***"),
            ("http://h/a;w=1;pin=2?w=3&pin=4", "http://h/a;w=1;pin=***?w=3&pin=***"),
            ("http://h/a;token=1/b;sig=2/c.png", "http://h/a;token=***/b;sig=***/c.png"),
        ] as [(String, String)])
    func secretItems_areMasked(_ url: String, _ shown: String) {
        #expect(ShownText.of(url: url) == shown)
        #expect(ShownText.of(url) == shown)
    }

    @Test func blanks_areParts_ofURLs() {
        #expect(ShownText.of(url: "http://u:my pw@h/a?token=a b&w=1") == "http://***@h/a?token=***&w=1")
    }

    @Test func prose_isSearched() {
        let text = #"the redirect to http://u:p@h/?sig=1 was refused; see "https://u@i/a?key=2", (data:,x) and a=b"#
        let shown =
            #"the redirect to http://***@h/?sig=*** was refused; see "https://***@i/a?key=***", (data:,x) and a=b"#
        #expect(ShownText.of(text) == shown)
        #expect(ShownText.of(shown) == shown)
    }

    @Test func longDataURL_isShort() {
        let data = String(repeating: "iVBORw0KGgo+AAAA", count: 3_000)
        let url = "data:image/png;base64," + data
        let shown = "data:image/png;base64,iVBORw0KGgo+AAAAiVBORw0K…(48022 bytes)"
        #expect(ShownText.of(url: url) == shown)
        #expect(ShownText.of("can't load \(url): no") == "can't load \(shown): no")
        #expect(ShownText.of("\(shown): no") == "\(shown): no")
        // Blanks and line ends are part of it.
        #expect(ShownText.of(url: " DATA:image/png;base64,\n" + data.replacing("/", with: "\n")).utf8.count < 120)
        #expect(ShownText.of(url: "data:" + data).utf8.count < 120)
        #expect(ShownText.of(url: "data:,short") == "data:,short")
        #expect(ShownText.of("metadata:" + data) == "metadata:" + data)
    }

    @Test func longDataURL_isShort_inAQuery() {
        let data = "data:image/png;base64," + String(repeating: "iVBORw0KGgoAAAA", count: 3_000)
        let url = "http://h/a?w=1&token=2&u="
        let shown = "http://h/a?w=1&token=***&u=data:image/png;base64,iVBORw0KGgoAAAAiVBORw0KG…(45022 bytes)"
        #expect(ShownText.of(url: url + data) == shown)
        #expect(ShownText.of(url + data) == shown)
        let escaped = data.replacing(":", with: "%3A").replacing(";", with: "%3B").replacing(",", with: "%2C")
        let inPart = ShownText.of(url: url + escaped)
        #expect(inPart == "http://h/a?w=1&token=***&u=data%3Aimage/png%3Bbase6…(45028 bytes)")
        #expect(ShownText.of(url: url + escaped.replacing("/", with: "%2F") + "&w=2") == shown + "&w=2")
        #expect(ShownText.of(url: shown) == shown)
    }

    /// The library quotes what it couldn't parse.
    @Test func errors_haveNoSecrets() {
        let wrapped = "data:image/png;base64," + String(repeating: "AAAA BBBB\n", count: 1_000)
        #expect(ErrorText.of(ImageLoaderError.invalidURL(wrapped, reason: "no")).utf8.count < 200)
        let refused = ImageLoaderError.redirectRefused(location: "http://u:p@h/?key=1", reason: "no")
        #expect(ErrorText.of(refused) == "the redirect to http://***@h/?key=*** was refused: no")
        #expect(ErrorText.of(refused as any Error) == ErrorText.of(refused))
    }

    /// Passwords that are escaped enough to be told from the rest, and others.
    @Test func anyPassword_isMasked() {
        var random = SeededRandom(seed: 7)
        for step in 0..<4_000 {
            let signs = step % 2 == 0 ? "ab1:@&=;%[] \"<" : "ab1:/?#\\&=;%[] \"<"
            let count = Int.random(in: 0...8, using: &random)
            let password = String((0..<count).compactMap { _ in signs.randomElement(using: &random) })
            let url = "http://user:QZX\(password)QZX@h/photo@2x.png"
            #expect(!ShownText.of(url: url).contains("QZX"), "\(url)")
        }
    }
}
