import Foundation
import Testing

@testable import Alcedo

@Suite struct HostKeyTests {
    @Test(arguments: [
        ("https://example.org/a/b?c#d", "https://example.org"), ("https://example.org", "https://example.org"),
        ("HTTPS://Example.ORG/A", "https://example.org"), ("http://example.org:80/", "http://example.org"),
        ("https://example.org:443?x", "https://example.org"), ("http://example.org:443/", "http://example.org:443"),
        ("https://example.org:8443/", "https://example.org:8443"), ("http://[::1]:8080/a", "http://[::1]:8080"),
        ("http://us:pw@example.org/a@b", "http://example.org"), ("http://example.org/@x:80", "http://example.org"),
    ])
    func itNames_schemeHostAndPort(text: String, key: String) throws {
        #expect(try #require(URL(string: text)).hostKey == key)
    }
}
