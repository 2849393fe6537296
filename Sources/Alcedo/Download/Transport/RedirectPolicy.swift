public import Foundation

/// The rules for following redirects, and for the header fields that they carry.
///
/// Only http and https URLs with a host are ever followed. `Authorization`, `Proxy-Authorization`, `Cookie`, `Host`,
/// `Origin`, `Referer` and ``secretHeaders`` are removed when a redirect leads to another origin: another scheme, host
/// or port. They aren't sent to another origin by ``ImageRequest/fallbacks`` and ``ImageRequest/lowResolution`` either.
public struct RedirectPolicy: Sendable {
    /// The maximum number of redirects followed for one request. Default 10.
    public var limit = 10
    /// Whether a redirect may lead from https to http. Default false.
    public var allowsDowngrade = false
    /// The names of additional header fields that aren't sent to another origin, such as `X-Api-Key`.
    ///
    /// Default none.
    public var secretHeaders: [String] = []
    /// A hook that is called for every redirect before it is followed.
    ///
    /// Returning false ends the request with ``ImageLoaderError/redirectRefused(location:reason:)``.
    ///
    /// It is called on the transport's thread and should return immediately. With nil, the default, all redirects are
    /// followed.
    public var willFollow: (@Sendable (Redirect) -> Bool)?

    /// Creates a policy with the default values.
    public init() {}

    /// The names of all fields that are meant for one origin and aren't sent to another (RFC 9110 section 15.4).
    var fieldsOfOrigin: [String] {
        ["Authorization", "Proxy-Authorization", "Cookie", "Host", "Origin", "Referer"] + secretHeaders
    }
}

/// A redirect.
public struct Redirect: Sendable, Hashable {
    /// The status of the redirect response, from 301 to 308.
    public var status: Int
    /// The URL that responded.
    public var source: URL
    /// The absolute URL of the redirect's target.
    public var target: URL
    /// The number of the redirect within the request, starting at 1.
    public var hop: Int
}

extension DataRequest {
    /// The statuses that redirect to another location (RFC 9110 section 15.4). 300 and 304 don't.
    static func isRedirect(_ status: Int) -> Bool { [301, 302, 303, 307, 308].contains(status) }

    /// The request for a redirect's target.
    func redirected(status: Int, to location: String) throws(ImageLoaderError) -> DataRequest {
        let (hop, limit) = (hops + 1, redirects.limit)
        guard hop <= limit else { throw .limitExceeded(.redirects, value: hop, allowed: limit) }
        let target = try target(of: location)
        if !redirects.allowsDowngrade, parsed.scheme == .https, target.scheme == .http {
            throw .redirectRefused(location: location, reason: "it leads from https to http")
        }
        try network?.check(target)
        let redirect = Redirect(status: status, source: url, target: target.url, hop: hop)
        if let willFollow = redirects.willFollow, !willFollow(redirect) {
            throw .redirectRefused(location: location, reason: "the redirect hook declined it")
        }
        var next = self
        next.parsed = target
        next.hops = hop
        if parsed.origin != target.origin { next.headers = headers.without(redirects.fieldsOfOrigin) }
        // This is what browsers do, and RFC 9110 section 15.4 allows it for 301 and 302.
        if status == 303 && method.rawValue != "HEAD" || status <= 302 && method == .post {
            next.method = .get
            next.body = nil
            next.headers["Content-Type"] = nil
        }
        return next
    }

    private func target(of location: String) throws(ImageLoaderError) -> ParsedURL {
        let reason: String
        do throws(URLFault) {
            let target = try ParsedURL(location, relativeTo: parsed)
            if target.isWeb { return target }
            reason = "only http and https URLs with a host are followed"
        } catch {
            reason = if case .text(let fault) = error { fault } else { "only http and https URLs are followed" }
        }
        throw .redirectRefused(location: location, reason: reason)
    }
}

extension HTTPHeaders {
    /// The target of a redirect; nil when it has none. Repetitions of the same location count as one.
    ///
    /// - Throws: ``ImageLoaderError/redirectRefused(location:reason:)`` when there are several different locations.
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
    /// The locations, if URLSession has joined several into one field. A location may itself contain a comma and a
    /// space, by mistake. In that case, the text after it is neither equal to the text before it nor the beginning of a
    /// URL.
    fileprivate var joinedLocations: [String] {
        let parts = split(separator: ", ").map(String.init)
        let areLocations = parts.dropFirst().allSatisfy { part in
            part == parts[0] || ["/", "http:", "https:"].contains { part.lowercased().hasPrefix($0) }
        }
        return areLocations ? parts : [self]
    }
}
