import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// The cookies that servers have set. Each is sent back only to the origin that set it: a `Domain` doesn't extend it to
/// other hosts, and a cookie set over https is never sent over http.
///
/// Foundation parses them. It doesn't store them, because its storage on Linux has neither limits nor these rules.
struct CookieJar {
    /// The maximum number of bytes of a response's `Set-Cookie` fields, and of an origin's cookies with their paths.
    /// With "Cookie: " and the line ending, this makes 8 KiB; servers refuse requests beyond that.
    static let byteLimit = 8_182
    /// The maximum number of cookies per origin.
    static let cookieLimit = 50
    /// The maximum number of semicolons and commas in a response's `Set-Cookie` fields.
    static let separatorLimit = 10 * cookieLimit
    /// The maximum number of origins.
    static let originLimit = 300

    private struct Cookie {
        let name: String
        let value: String
        let path: String
        /// When the cookie expires, in seconds since 1970.
        let end: Double

        var size: Int { name.utf8.count + value.utf8.count + path.utf8.count + "=; ".utf8.count }

        init(_ cookie: HTTPCookie, now: Int64) {
            (name, value, path) = (cookie.name, cookie.value, cookie.path)
            // On Linux, Foundation parses Max-Age, but doesn't convert it to a date.
            let age = (cookie.properties?[.maximumAge] as? String).flatMap { text in
                text.utf8.allSatisfy { $0.isDigit || $0 == UInt8(ascii: "-") } ? Double(text) : nil
            }
            end = age.map { Double(now) + $0 } ?? cookie.expiresDate?.timeIntervalSince1970 ?? .infinity
        }

        func isFor(_ path: String) -> Bool {
            path == self.path || path.hasPrefix(self.path.hasSuffix("/") ? self.path : "\(self.path)/")
        }
    }

    /// The origins, in the order in which they last set cookies. Each origin's cookies begin with the newest.
    private var origins: [(origin: String, cookies: [Cookie])] = []

    /// Stores the cookies of a response. Beyond the limits, the oldest ones are dropped.
    ///
    /// - Parameters:
    ///   - field: The response's `Set-Cookie` value, or several of them joined by ", ".
    ///   - url: The URL of the response.
    ///   - now: The current time in seconds since 1970.
    mutating func take(_ field: String, from url: URL, now: Int64) {
        // On Linux, Foundation traps on a name whose characters are more than one UTF-16 unit each.
        guard field.utf8.count <= Self.byteLimit, field.utf8.allSatisfy({ (0x20...0x7E).contains($0) }),
            // Parsing many attributes takes long.
            field.utf8.count(where: { $0 == UInt8(ascii: ";") || $0 == UInt8(ascii: ",") }) <= Self.separatorLimit
        else { return }
        let origin = url.origin
        let domains = ".\(ParsedURL(url).host)"
        let new = HTTPCookie.cookies(withResponseHeaderFields: ["Set-Cookie": field], for: url)
            .filter { domains.hasSuffix($0.domain) && (!$0.isSecure || origin.hasPrefix("https:")) }
            .map { Cookie($0, now: now) }
        let old = origins.firstIndex { $0.origin == origin }.map { origins.remove(at: $0).cookies } ?? []
        var names: Set<[String]> = []
        var size = 0
        let kept = (new.reversed() + old).filter { cookie in
            guard names.insert([cookie.name, cookie.path]).inserted, cookie.end > Double(now),
                size + cookie.size <= Self.byteLimit
            else { return false }
            size += cookie.size
            return true
        }
        if !kept.isEmpty { origins.append((origin, Array(kept.prefix(Self.cookieLimit)))) }
        if origins.count > Self.originLimit { origins.removeFirst() }
    }

    /// The value of the `Cookie` field of a request for `url`, or nil when there are no cookies to send.
    ///
    /// - Parameter now: The current time in seconds since 1970.
    func field(for url: URL, now: Int64) -> String? {
        let origin = url.origin
        let path = url.path(percentEncoded: true).isEmpty ? "/" : url.path(percentEncoded: true)
        let own = origins.first { $0.origin == origin }?.cookies ?? []
        let fitting = own.filter { $0.end > Double(now) && $0.isFor(path) }
        guard !fitting.isEmpty else { return nil }
        // Servers expect the cookie with the longer path first (RFC 6265 section 5.4).
        return fitting.sorted { $0.path.utf8.count > $1.path.utf8.count }.map { "\($0.name)=\($0.value)" }
            .joined(separator: "; ")
    }
}
