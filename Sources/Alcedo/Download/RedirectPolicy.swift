public import Foundation

/// Which redirects are followed, and what they take along.
///
/// Only http and https URLs with a host are ever followed. `Authorization`, `Proxy-Authorization`, `Cookie` and `Host`
/// stay behind when a redirect leads to another origin: another scheme, host or port.
public struct RedirectPolicy: Sendable {
    /// Redirects followed for one request. Default 10.
    public var limit = 10
    /// Whether a redirect may lead from https to http. Default: no.
    public var allowsDowngrade = false
    /// Names of further header fields that stay with their origin. Default: none.
    public var secretHeaders: [String] = []
    /// Called for every redirect before it is followed, on the transport's thread; it should return at once. False
    /// ends the request with ``ImageLoaderError/redirectRefused(location:reason:)``. Default: nil, follow.
    public var willFollow: (@Sendable (Redirect) -> Bool)?

    /// The defaults.
    public init() {}

    /// Names of all fields that stay with their origin.
    var secretFields: [String] { ["Authorization", "Proxy-Authorization", "Cookie"] + secretHeaders }
}

/// One redirect.
public struct Redirect: Sendable, Hashable {
    /// The status that told it, from 301 to 308.
    public var status: Int
    /// The URL that answered.
    public var source: URL
    /// The absolute URL that it leads to.
    public var target: URL
    /// Its number within the request, from 1.
    public var hop: Int
}

extension DataRequest {
    /// The statuses that name another place (RFC 9110 section 15.4). 300 and 304 do not.
    static func isRedirect(_ status: Int) -> Bool { [301, 302, 303, 307, 308].contains(status) }

    /// The request for the place a redirect names.
    func redirected(status: Int, to location: String) throws(ImageLoaderError) -> DataRequest {
        let (hop, limit) = (hops + 1, redirects.limit)
        guard hop <= limit else { throw .limitExceeded(.redirects, value: hop, allowed: limit) }
        guard location.hasUsablePort else {
            throw .redirectRefused(location: location, reason: "its port is no number from 0 to 65535")
        }
        // Foundation on Linux resolves a relative location wrongly, so it is done here.
        guard let target = URL(string: location, relativeTo: url)?.absoluteURL else {
            throw .redirectRefused(location: location, reason: "not a URL")
        }
        do {
            try target.requireWebURL()
        } catch {
            throw .redirectRefused(location: location, reason: "only http and https URLs with a host are followed")
        }
        if !redirects.allowsDowngrade, url.scheme?.lowercased() == "https", target.scheme?.lowercased() == "http" {
            throw .redirectRefused(location: location, reason: "it leads from https to http")
        }
        let redirect = Redirect(status: status, source: url, target: target, hop: hop)
        if let willFollow = redirects.willFollow, !willFollow(redirect) {
            throw .redirectRefused(location: location, reason: "the redirect hook declined it")
        }
        var next = self
        next.url = target
        next.hops = hop
        if url.origin != target.origin {
            for name in redirects.secretFields + ["Host"] { next.headers[name] = nil }
        }
        // What browsers do, and RFC 9110 section 15.4 allows for 301 and 302.
        if status == 303 && method.rawValue != "HEAD" || status <= 302 && method == .post {
            next.method = .get
            next.body = nil
            next.headers["Content-Type"] = nil
        }
        return next
    }
}

extension HTTPHeaders {
    /// The place that a redirect names, nil when it names none. The same place several times is one place.
    ///
    /// - Throws: ``ImageLoaderError/redirectRefused(location:reason:)`` when there are several places.
    func redirectLocation() throws(ImageLoaderError) -> String? {
        let values = values(of: "Location").filter { !$0.isEmpty }
        let places = values.count == 1 ? values[0].joinedLocations : values
        guard Set(places).count < 2 else {
            throw .redirectRefused(location: values.joined(separator: ", "), reason: "it names several places")
        }
        return places.first
    }
}

extension String {
    /// The locations that URLSession joins to one field. A location may have a comma and a blank of its own, by
    /// mistake: then what follows is neither equal to what precedes nor the beginning of a URL.
    fileprivate var joinedLocations: [String] {
        let parts = split(separator: ", ").map(String.init)
        let areLocations = parts.dropFirst().allSatisfy { part in
            part == parts[0] || ["/", "http:", "https:"].contains { part.lowercased().hasPrefix($0) }
        }
        return areLocations ? parts : [self]
    }

    /// Whether this location names no port or one that exists.
    fileprivate var hasUsablePort: Bool {
        guard let slashes = firstRange(of: "//") else { return true }
        let scheme = self[..<slashes.lowerBound]
        // Otherwise they belong to a path.
        guard scheme.isEmpty || scheme.last == ":" && !scheme.contains(where: { "/?#".contains($0) }) else {
            return true
        }
        let authority = self[slashes.upperBound...].prefix { !"/?#".contains($0) }
        let host = authority.split(separator: "@", omittingEmptySubsequences: false).last ?? ""
        let afterAddress = host.split(separator: "]", omittingEmptySubsequences: false).last ?? ""
        guard let colon = afterAddress.lastIndex(of: ":") else { return true }
        let port = afterAddress[afterAddress.index(after: colon)...]
        return port.isEmpty || port.utf8.allSatisfy { (0x30...0x39).contains($0) } && (Int(port) ?? .max) <= 65_535
    }
}

extension URL {
    /// Scheme, host and port, the port by its scheme when none is written: "https://host:443".
    package var origin: String {
        let scheme = scheme?.lowercased() ?? ""
        return "\(scheme)://\(host?.lowercased() ?? ""):\(port ?? (scheme == "https" ? 443 : 80))"
    }
}
