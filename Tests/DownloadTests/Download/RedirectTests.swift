import Foundation
import Testing

@testable import Alcedo

@Suite struct RedirectTests {
    private func request(_ url: String = "https://a.example/x/y?q=1") throws -> DataRequest {
        let url = try #require(URL(string: url))
        var redirects = RedirectPolicy()
        redirects.limit = 2
        return DataRequest(
            url: url, headers: ["Authorization": "s", "Cookie": "c", "Accept": "*/*"], redirects: redirects)
    }

    @Test(arguments: [
        ("z.png", "https://a.example/x/z.png"), ("/z.png", "https://a.example/z.png"),
        ("?v=2", "https://a.example/x/y?v=2"), ("../z", "https://a.example/z"),
        ("//b.example/z", "https://b.example/z"), ("https://b.example:8443/", "https://b.example:8443/"),
        ("/a%2Fb", "https://a.example/a%2Fb"),
    ])
    func location_isResolvedAgainstTheRequestURL(location: String, target: String) throws {
        #expect(try request().redirected(status: 302, to: location).url.absoluteString == target)
    }

    @Test(arguments: [
        "file:///etc/passwd", "data:,x", "ftp://a.example/", "javascript:1", "https:///x", "http://a.example/",
    ])
    func otherSchemes_missingHosts_andDowngrades_areRejected(location: String) throws {
        let error = #expect(throws: ImageLoaderError.self) {
            try request().redirected(status: 302, to: location)
        }
        if case .redirectRefused(location, _) = error {} else { Issue.record("\(String(describing: error))") }
    }

    @Test func secrets_areNotSentToAnotherOrigin() throws {
        let same = try request().redirected(status: 302, to: "https://a.example:443/z")
        #expect(same.headers["Authorization"] == "s")
        for other in ["https://b.example/", "https://a.example:444/"] {
            let next = try request().redirected(status: 302, to: other)
            #expect(next.headers["Authorization"] == nil)
            #expect(next.headers["Cookie"] == nil)
            #expect(next.headers["Accept"] == "*/*")
        }
        let upgraded = try request("http://a.example/").redirected(status: 302, to: "https://a.example/")
        #expect(upgraded.headers["Authorization"] == nil)
    }

    @Test(arguments: ["Host", "Origin", "Referer"])
    func fieldsBoundToAnOrigin_areNotSentToAnother(name: String) throws {
        var request = try request()
        request.headers[name] = "https://a.internal"
        #expect(try request.redirected(status: 302, to: "/z").headers[name] == "https://a.internal")
        #expect(try request.redirected(status: 302, to: "https://b.example/").headers[name] == nil)
    }

    @Test func redirectBeyondTheLimit_isRejected() throws {
        let last = try request().redirected(status: 302, to: "/z").redirected(status: 302, to: "/z")
        #expect(throws: ImageLoaderError.limitExceeded(.redirects, value: 3, allowed: 2)) {
            try last.redirected(status: 302, to: "/z")
        }
    }

    // MARK: Locations

    @Test(arguments: [
        "http://b.example:abc/", "https://b.example:99999/", "https://b.example: 80/", "//b.example:x",
        "https://b.example:8o",
        "https://u:1@b.example:1x/", "https://[::1]:x/", "https://b.example:184467440737095516160/?a",
        "https://b.example:-1#",
        "https://b.example:65536", "https://b.example:８０/",
    ])
    func invalidPort_isNamed(location: String) throws {
        let error = #expect(throws: ImageLoaderError.self) {
            try request().redirected(status: 302, to: location)
        }
        guard case .redirectRefused(location, let reason) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(reason.contains("port"))
    }

    @Test(arguments: [
        "https://b.example:/z", "https://b.example:65535/z", "https://b.example:00080/z", "https://[::1]:80/z",
        "https://[::1]/z",
        "https://u:p@b.example/z", "/z//b:c", "/z?u=//b:c", "z#//b:c", "/z:c", "//b.example/z:c", "//b.example?z:c",
    ])
    func otherColons_areNotTakenForPorts(location: String) throws {
        _ = try request().redirected(status: 302, to: location)
    }

    @Test(
        arguments: [
            ([], nil), ([""], nil), (["/a"], "/a"), (["/a", "/a"], "/a"), (["", "/a"], "/a"), (["/a, /a"], "/a"),
            (["/a, b.png"], "/a, b.png"), (["http://a/, http://a/, http://a/"], "http://a/"), (["a,b"], "a,b"),
        ] as [([String], String?)])
    func equalLocations_countAsOne(values: [String], location: String?) throws {
        let headers = HTTPHeaders(values.map { ("Location", $0) } + [("X", "/b")])
        #expect(try headers.redirectLocation() == location)
    }

    @Test(arguments: [
        ["/a", "/b"], ["/a, /b"], ["/a, HTTP://b/"], ["/a", "b"], ["/a", "/a", "/b"], ["/a, /a", "/a"],
    ])
    func differentLocations_areRejected(values: [String]) throws {
        let headers = HTTPHeaders(values.map { ("location", $0) })
        let error = #expect(throws: ImageLoaderError.self) { try headers.redirectLocation() }
        guard case .redirectRefused(let location, _) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(location == values.joined(separator: ", "))
    }
}
