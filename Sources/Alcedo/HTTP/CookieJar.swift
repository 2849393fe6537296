import Foundation

/// Stores the cookies that servers have set, and selects those that are sent with a request (RFC 6265).
///
/// A cookie is sent back only to exactly the host that set it. There is no list of public suffixes here, without which
/// a `Domain` attribute would let a host set cookies for all of `com`. So a cookie with a `Domain` that doesn't match
/// the host is refused, and a matching one has no effect.
///
/// The jar's size is bounded whatever servers send: at most ``totalLimit`` cookies of ``sizeLimit`` bytes plus a path
/// each.
struct CookieJar {
    /// The maximum number of cookies. Beyond it, the least recently used one is removed.
    static let totalLimit = 3_000
    /// The maximum number of cookies per host. Beyond it, the host's least recently used one is removed.
    static let hostLimit = 50
    /// The maximum length of a name and its value together, in bytes. A larger cookie isn't stored.
    static let sizeLimit = 4_096
    /// The maximum length of a path in bytes. A cookie with a longer one isn't stored.
    static let pathLimit = 1_024
    /// The maximum length of a field value in bytes. With "Cookie: " and the line ending, this makes 8 KiB; servers
    /// refuse requests beyond that.
    static let fieldLimit = 8_182

    fileprivate struct Cookie {
        let name: String
        let value: String
        let path: String
        let isSecure: Bool
        /// The second since 1970 from which on the cookie isn't sent.
        let end: Int64
        /// The cookie's position among all cookies, by when one with its name and path was first set.
        let number: Int
        /// The turn at which the cookie was last set or sent.
        var lastUse: Int

        func isFor(_ place: Place) -> Bool { (place.isSecure || !isSecure) && place.path.isWithin(path) }

        func goesBefore(_ other: Cookie) -> Bool {
            let (own, others) = (path.utf8.count, other.path.utf8.count)
            return own == others ? number < other.number : own > others
        }
    }

    /// By host. Hosts without cookies have no entry.
    private var cookies: [String: [Cookie]] = [:]
    private(set) var count = 0
    /// The number of fields generated and cookies set so far.
    private var turn = 0

    // MARK: Storing

    /// Stores the cookies of a response.
    ///
    /// - Parameters:
    ///   - field: The response's `Set-Cookie` value, or several of them joined by ", ".
    ///   - url: The URL of the response.
    ///   - now: The current time in seconds since 1970.
    mutating func take(_ field: String, from url: URL, now: Int64) {
        guard let place = Place(url) else { return }
        var own = removeCookies(of: place.host, now: now)
        for text in SetCookie.parts(of: field) {
            guard let new = SetCookie(text, now: now) else { continue }
            let path = new.path ?? place.defaultPath
            if Self.isAllowed(new, path, from: place, beside: own) { keep(new, path, in: &own, now: now) }
        }
        putBack(own, of: place.host)
        while count > Self.totalLimit { removeLeastRecentlyUsed() }
    }

    private static func isAllowed(_ new: SetCookie, _ path: String, from place: Place, beside own: [Cookie]) -> Bool {
        guard new.name.utf8.count + new.value.utf8.count <= sizeLimit, path.utf8.count <= pathLimit,
            new.domain.map(place.isWithin) ?? true, new.keepsItsPrefix
        else { return false }
        if place.isSecure { return true }
        // An attacker who can write into a plain connection must not replace, hide or remove what was set over a secure
        // one.
        return !new.isSecure && !own.contains { $0.isSecure && $0.name == new.name && path.isWithin($0.path) }
    }

    private mutating func keep(_ new: SetCookie, _ path: String, in own: inout [Cookie], now: Int64) {
        turn += 1
        let old = own.firstIndex { $0.name == new.name && $0.path == path }.map { own.remove(at: $0) }
        guard new.end > now else { return }
        own.append(
            Cookie(
                name: new.name, value: new.value, path: path, isSecure: new.isSecure, end: new.end,
                number: old?.number ?? turn, lastUse: turn))
        if own.count > Self.hostLimit, let index = own.leastRecentlyUsed { own.remove(at: index) }
    }

    // MARK: Sending

    /// The value of the `Cookie` field of a request for `url`, or nil when there are no cookies to send. Cookies that
    /// would make it longer than ``fieldLimit`` are omitted.
    ///
    /// - Parameter now: The current time in seconds since 1970.
    mutating func field(for url: URL, now: Int64) -> String? {
        guard let place = Place(url) else { return nil }
        var own = removeCookies(of: place.host, now: now)
        turn += 1
        var field = ""
        let fitting = own.indices.filter { own[$0].isFor(place) }
        for index in fitting.sorted(by: { own[$0].goesBefore(own[$1]) }) {
            let pair = "\(field.isEmpty ? "" : "; ")\(own[index].name)=\(own[index].value)"
            guard field.utf8.count + pair.utf8.count <= Self.fieldLimit else { continue }
            field += pair
            own[index].lastUse = turn
        }
        putBack(own, of: place.host)
        return field.isEmpty ? nil : field
    }

    // MARK: Removing

    /// Takes a host's cookies out, so that they can be changed without a copy, and returns those that haven't expired.
    private mutating func removeCookies(of host: String, now: Int64) -> [Cookie] {
        var own = cookies.removeValue(forKey: host) ?? []
        count -= own.count
        own.removeAll { $0.end <= now }
        return own
    }

    private mutating func putBack(_ own: [Cookie], of host: String) {
        guard !own.isEmpty else { return }
        count += own.count
        cookies[host] = own
    }

    private mutating func removeLeastRecentlyUsed() {
        func lastUse(_ own: [Cookie]) -> Int { own.leastRecentlyUsed.map { own[$0].lastUse } ?? .max }
        // At the earliest possible time, nothing has expired.
        guard let host = cookies.min(by: { lastUse($0.value) < lastUse($1.value) })?.key else { return }
        var own = removeCookies(of: host, now: .min)
        if let index = own.leastRecentlyUsed { own.remove(at: index) }
        putBack(own, of: host)
    }

    /// The parts of a URL that matter to cookies.
    fileprivate struct Place {
        let host: String
        let path: String
        let isSecure: Bool

        init?(_ url: URL) {
            let url = ParsedURL(url)
            guard url.isWeb else { return nil }
            host = url.host
            path = url.url.path(percentEncoded: true)
            isSecure = url.scheme == .https
        }

        /// The path of a cookie without a `Path` attribute: the directory of the URL (section 5.1.4).
        var defaultPath: String {
            guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")), slash != path.startIndex else { return "/" }
            return String(path[..<slash])
        }

        /// Domain matching (section 5.1.3). An IP address matches only itself.
        func isWithin(_ domain: String) -> Bool {
            if host == domain { return true }
            let isAddress =
                host.utf8.contains(UInt8(ascii: ":")) || host.utf8.allSatisfy { "0123456789.".utf8.contains($0) }
            return !isAddress && host.utf8.reversed().starts(with: ".\(domain)".utf8.reversed())
        }
    }
}

extension [CookieJar.Cookie] {
    fileprivate var leastRecentlyUsed: Int? { indices.min { self[$0].lastUse < self[$1].lastUse } }
}

extension SetCookie {
    /// Whether the cookie fulfils the requirements of its name's prefix (RFC 6265bis section 4.1.3).
    fileprivate var keepsItsPrefix: Bool {
        let name = name.lowercased().utf8
        if name.starts(with: "__host-".utf8) { return isSecure && domain == nil && path == "/" }
        return isSecure || !name.starts(with: "__secure-".utf8)
    }
}

extension String {
    /// Whether a cookie with the path `folder` is sent to this path (section 5.1.4).
    fileprivate func isWithin(_ folder: String) -> Bool {
        let (own, folder) = (utf8, folder.utf8)
        guard own.starts(with: folder) else { return false }
        let slash = UInt8(ascii: "/")
        return own.count == folder.count || folder.last == slash || own.dropFirst(folder.count).first == slash
    }
}
