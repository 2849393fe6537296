public import Foundation

/// Which redirects are followed, and what they take along.
///
/// Only http and https URLs with a host are ever followed. `Authorization`, `Proxy-Authorization`, `Cookie` and `Host` stay
/// behind when a redirect leads to another origin: another scheme, host or port.
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

extension URL {
    /// Scheme, host and port, the port by its scheme when none is written: "https://host:443".
    package var origin: String {
        let scheme = scheme?.lowercased() ?? ""
        return "\(scheme)://\(host?.lowercased() ?? ""):\(port ?? (scheme == "https" ? 443 : 80))"
    }
}
