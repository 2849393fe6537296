import Alcedo
import Foundation
import Testing

@Suite struct OriginTests {
    @Test(arguments: [
        ("https://example.org/a/b?c#d", "https://example.org"), ("https://example.org", "https://example.org"),
        ("HTTPS://Example.ORG/A", "https://example.org"), ("http://example.org:80/", "http://example.org"),
        ("https://example.org:443?x", "https://example.org"), ("http://example.org:443/", "http://example.org:443"),
        ("http://example.org:0080/", "http://example.org"), ("http://example.org:/a", "http://example.org"),
        ("https://example.org:8443/", "https://example.org:8443"), ("http://[::1]:8080/a", "http://[::1]:8080"),
        ("http://us:pw@example.org/a@b", "http://example.org"), ("http://example.org/@x:80", "http://example.org"),
        ("http://good.example@evil.example/", "http://evil.example"), ("http://example.org#@a", "http://example.org"),
        ("http://localhost.:80/", "http://localhost."), ("http://a-b.1.example?q=/", "http://a-b.1.example"),
    ])
    func origin_namesSchemeHostAndPort(text: String, origin: String) throws {
        #expect(try #require(URL(string: text)).origin == origin)
    }

    @Test(arguments: [
        ("https://example.org/a/b?c#d", "example.org"), ("http://Example.ORG:81", "example.org"),
        ("http://a.example.org./x", "a.example.org"), ("https://example.org.:443", "example.org"),
        ("http://us:pw@example.org/a@b", "example.org"), ("http://127.0.0.1:8080/", "127.0.0.1"),
        ("http://[::1]:8080/a", "::1"), ("http://./", "."), ("file:///a", ""),
    ])
    func hostName_namesHostAlone(text: String, name: String) throws {
        #expect(try #require(URL(string: text)).hostName == name)
    }

    @Test(arguments: [
        ("localhost", true), ("LOCALHOST.", true), ("a.b.localhost", true), ("127.0.0.1", true), ("127.1", true),
        ("2130706433", true), ("[::1]", true), ("[0:0:0:0:0:0:0:1]", true), ("[::ffff:127.0.0.2]", true),
        ("mylocalhost", false), ("localhost.example.org", false), ("127.example.org", false), ("128.0.0.1", false),
        ("10.0.0.1", false), ("[::2]", false), ("[fe80::1]", false), ("[::ffff:10.0.0.1]", false),
    ])
    func loopback_isThisMachine(host: String, isOnThisMachine: Bool) throws {
        #expect(try #require(URL(string: "http://\(host):8080/a")).isOnThisMachine == isOnThisMachine)
    }

    @Test func relativeURL_hasOriginOfItsBase() throws {
        let base = try #require(URL(string: "https://example.org:8443/a/"))
        #expect(try #require(URL(string: "../b", relativeTo: base)).origin == "https://example.org:8443")
        #expect(try #require(URL(string: "//other.example/b", relativeTo: base)).origin == "https://other.example")
    }
}
