import Alcedo
import Foundation

/// Text with URLs, in the form in which it is shown: without user names, passwords and secret query items, and with
/// shortened data URLs.
///
/// The text is searched rather than parsed: it may be an error that contains a URL, or a malformed URL.
struct ShownText {
    /// Whether the whole text is one URL. Otherwise whitespace and quotation marks end the URLs in it.
    private let isURL: Bool
    /// The number of URLs in which this one is nested, percent-encoded each time.
    private var depth = 0

    private init(isURL: Bool, depth: Int = 0) {
        self.isURL = isURL
        self.depth = depth
    }

    /// Returns the shown form of a text that is a URL, or was meant to be one.
    static func of(url text: String) -> String {
        if text.drop(while: \.isWhitespace).prefix(5).lowercased() == "data:" { return short(text[...]) }
        return Self(isURL: true).shown(text)
    }

    /// Returns the shown form of a text that may contain URLs.
    static func of(_ text: String) -> String {
        guard text.utf8.contains(where: { ":?;%".utf8.contains($0) }) else { return text }
        let search = Self(isURL: false)
        return search.withoutSecrets(search.withShortData(text))
    }

    /// Returns a URL with its secrets masked and long data shortened.
    private func shown(_ url: String) -> String {
        let text = withoutSecrets(url)
        return text.utf8.count > Self.dataLength ? withShortData(text) : text
    }

    private func isEnd(_ byte: UInt8) -> Bool {
        !isURL && (byte <= UInt8(ascii: " ") || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "<"))
    }

    // MARK: Data URLs

    /// The length above which data URLs are shortened, in bytes.
    private static let dataLength = 100
    /// The number of characters of the data that are shown.
    private static let dataPrefix = 24

    private func withShortData(_ text: String) -> String {
        var (result, rest) = ("", text[...])
        while let range = rest.range(of: "data(:|%3A)", options: [.caseInsensitive, .regularExpression]) {
            let isWhole = !(rest[..<range.lowerBound].utf8.last?.isAlphanumeric ?? false)
            var url = isWhole ? rest[range.lowerBound...].upTo { isEnd($0) } : rest[range]
            // An error's subject is followed by a colon.
            if url.endIndex > range.upperBound, url.last == ":" { url.removeLast() }
            result += rest[..<range.lowerBound] + (isWhole ? Self.short(url)[...] : url)
            rest = rest[url.endIndex...]
        }
        return result + rest
    }

    private static func short(_ url: Substring) -> String {
        let length = url.utf8.count
        guard length > dataLength else { return String(url) }
        // The part before the comma is the type, unless it is as long as data.
        let head = url.prefix(dataLength - dataPrefix)
        let end = head.firstIndex(of: ",").map { url.index(after: $0) } ?? url.startIndex
        return String(url[..<end] + url[end...].prefix(dataPrefix)) + "…(\(length) bytes)"
    }

    // MARK: Secrets

    private static let mask = "***"

    private func withoutSecrets(_ text: String) -> String {
        withoutEscapedSecrets(withoutSecretItems(withoutBareCredentials(withoutCredentials(text))))
    }

    /// Masks everything before an "@" in each authority.
    private func withoutCredentials(_ text: String) -> String {
        guard text.utf8.contains(UInt8(ascii: "@")) else { return text }
        var (result, rest) = ("", text[...])
        while let start = Self.startOfAuthority(in: rest) {
            result += rest[..<start]
            rest = rest[start...]
            guard let host = startOfHost(in: rest) else { continue }
            result += Self.mask
            rest = rest[host...]
        }
        return result + rest
    }

    /// The start of an authority, after its slashes. In http and https URLs, the slashes may be missing or be
    /// backslashes.
    private static func startOfAuthority(in text: Substring) -> Substring.Index? {
        let bytes = text.utf8
        for place in bytes.indices {
            let byte = bytes[place]
            guard byte == UInt8(ascii: ":") || byte.isSlash else { continue }
            let before = bytes[..<place]
            let rest = byte == UInt8(ascii: ":") ? bytes[place...].dropFirst() : bytes[place...]
            let isBeginning = byte.isSlash ? before.last.map { " =(\"'".utf8.contains($0) } ?? true : true
            let isWeb = !byte.isSlash && isWebScheme(before)
            guard isWeb || isBeginning && rest.starts(with: "//".utf8) else { continue }
            return rest.drop { $0.isSlash }.startIndex
        }
        return nil
    }

    private static func isWebScheme(_ text: Substring.UTF8View.SubSequence) -> Bool {
        let word = text.suffix(5).reversed().prefix { $0.isAlphanumeric }.reversed().map { $0 | 0x20 }
        return word == Array("http".utf8) || word == Array("https".utf8)
    }

    /// The "@" that ends the credentials; nil without credentials. Unescaped characters in credentials may seem to end
    /// the authority. If that leaves no valid host, the last "@" of the text is taken.
    private func startOfHost(in rest: Substring) -> Substring.Index? {
        let authority = rest.upTo { isEnd($0) || $0.isSlash || $0 == UInt8(ascii: "?") || $0 == UInt8(ascii: "#") }
        let last = authority.utf8.lastIndex(of: UInt8(ascii: "@"))
        let host = last.map { authority[$0...].dropFirst() } ?? authority
        if Self.isHost(host) || last == nil && authority.isEmpty { return last }
        return rest.upTo { isEnd($0) }.utf8.lastIndex(of: UInt8(ascii: "@"))
    }

    /// Masks credentials that don't follow a scheme or slashes, such as "user:password@".
    private func withoutBareCredentials(_ text: String) -> String {
        guard text.utf8.contains(UInt8(ascii: "@")) else { return text }
        var (result, rest) = ("", text[...])
        while !rest.isEmpty {
            var word = rest.upTo(isEnd)
            rest = rest[word.endIndex...]
            if Self.hasBareCredentials(word), let host = startOfHost(in: word) {
                result += Self.mask
                word = word[host...]
            }
            // There may be other credentials after a slash.
            let query = word.utf8.firstIndex { "?#".utf8.contains($0) } ?? word.endIndex
            result += Self.masked(word[..<query], between: \.isSlash, Self.withoutCredentials(inPart:))
            result += Self.masked(word[query...], between: Self.isPartEnd, Self.withoutCredentials(inPart:))
            let next = rest.utf8.firstIndex { !isEnd($0) } ?? rest.endIndex
            result += rest[..<next]
            rest = rest[next...]
        }
        return result
    }

    /// Masks the credentials in a part; nil if it has none.
    private static func withoutCredentials(inPart part: Substring) -> String? {
        guard hasBareCredentials(part) else { return nil }
        return part.utf8.lastIndex(of: UInt8(ascii: "@")).map { mask + part[$0...] }
    }

    /// Whether the text begins with a name and a password, rather than with a scheme or an already masked part.
    private static func hasBareCredentials(_ text: Substring) -> Bool {
        let bytes = text.utf8
        guard let colon = bytes.firstIndex(of: UInt8(ascii: ":")), let at = bytes.firstIndex(of: UInt8(ascii: "@")),
            colon < at, !text[..<at].hasSuffix(mask)
        else { return false }
        return !isWebScheme(bytes[..<colon]) && bytes[colon...].dropFirst().prefix(2).contains { !$0.isSlash }
    }

    private static func isPartEnd(_ byte: UInt8) -> Bool { byte.isSlash || "?#&;=".utf8.contains(byte) }

    /// Replaces the parts for which `mask` returns a different text.
    private static func masked(
        _ text: Substring, between isEnd: (UInt8) -> Bool, _ mask: (Substring) -> String?
    ) -> String {
        var (result, rest) = ("", text)
        while true {
            let part = rest.upTo(isEnd)
            result += mask(part) ?? String(part)
            rest = rest[part.endIndex...]
            guard let end = rest.utf8.indices.dropFirst().first else { return result + rest }
            result += rest[..<end]
            rest = rest[end...]
        }
    }

    private static func isHost(_ text: Substring) -> Bool {
        if text.utf8.first == UInt8(ascii: "[") { return true }
        let colon = text.utf8.firstIndex(of: UInt8(ascii: ":")) ?? text.endIndex
        return colon > text.startIndex && text[colon...].utf8.dropFirst().allSatisfy { $0.isDigit }
    }

    /// Masks the values of secret items of a query or fragment, such as "token=1", and of parameters in a path.
    private func withoutSecretItems(_ text: String) -> String {
        let begins = { (byte: UInt8) in "?#;".utf8.contains(byte) }
        guard let start = text.utf8.firstIndex(where: begins) else { return text }
        var (result, rest) = (String(text[..<start]), text[start...])
        let ends = { (byte: UInt8) in isEnd(byte) || "#&;".utf8.contains(byte) }
        let query = text.utf8.firstIndex { "?#".utf8.contains($0) } ?? text.endIndex
        while let equals = rest.utf8.firstIndex(of: UInt8(ascii: "=")) {
            let name = rest[..<equals].utf8.reversed().prefix { !ends($0) && !begins($0) }.reversed()
            result += rest[...equals]
            rest = rest[equals...].dropFirst()
            guard Self.isSecret(String(decoding: name, as: UTF8.self)) else { continue }
            let isInPath = equals < query
            let value = rest.upTo { ends($0) || isInPath && ($0.isSlash || $0 == UInt8(ascii: "?")) }
            if !value.isEmpty { result += Self.mask }
            rest = rest[value.endIndex...]
        }
        return result + rest
    }

    /// The depth at which a nested part is masked as a whole.
    private static let mostDepth = 4

    /// Masks the secrets in percent-encoded URLs and queries, which are then shown decoded.
    private func withoutEscapedSecrets(_ text: String) -> String {
        guard text.utf8.contains(UInt8(ascii: "%")) else { return text }
        return Self.masked(text[...], between: { isEnd($0) || Self.isPartEnd($0) }) { part in
            let bytes = Array(part.utf8).percentDecoded
            guard bytes.count < part.utf8.count else { return nil }
            if depth == Self.mostDepth { return Self.mask }
            // The part may belong to a query.
            let plain = "?" + String(decoding: bytes, as: UTF8.self)
            let shown = Self(isURL: true, depth: depth + 1).shown(plain)
            return shown == plain ? nil : String(decoding: shown.utf8.dropFirst(), as: UTF8.self)
        }
    }

    private static func isSecret(_ name: String) -> Bool {
        let bytes = Array(name.utf8).percentDecoded
        // The name may follow a percent-encoded URL, so only its last part counts.
        let last = bytes.split(whereSeparator: isPartEnd).last ?? []
        return secretNames.contains(plain(last)) || secretWords.contains { plain(bytes[...]).contains($0) }
    }

    /// The letters and digits of a name, in lower case.
    private static func plain(_ name: ArraySlice<UInt8>) -> String {
        String(decoding: name.filter { $0.isAlphanumeric }.map { $0 | 0x20 }, as: UTF8.self)
    }

    private static let secretNames: Set = [
        "ak", "assertion", "auth", "authorization", "bearer", "code", "codeverifier", "cred", "csrf", "hdnea", "hdnts",
        "hmac", "key", "otp", "pass", "pin", "policy", "pw", "pwd", "sas", "sid", "sig", "sk", "subscriptionkey",
        "ticket", "tkn", "verify",
    ]
    /// Words that make a name secret wherever they occur in it, as in "X-Amz-Signature".
    private static let secretWords = [
        "accesskey", "apikey", "authkey", "credential", "jwt", "passw", "secret", "session", "signature", "token",
    ]
}

extension Substring {
    /// The part before the first byte that satisfies `isEnd`, or the whole text.
    fileprivate func upTo(_ isEnd: (UInt8) -> Bool) -> Substring {
        utf8.firstIndex(where: isEnd).map { self[..<$0] } ?? self
    }
}

extension UInt8 {
    fileprivate var isSlash: Bool { self == UInt8(ascii: "/") || self == UInt8(ascii: "\\") }
    fileprivate var isDigit: Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(self) }
    /// Whether the byte is an ASCII letter or digit.
    fileprivate var isAlphanumeric: Bool { isDigit || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(self | 0x20) }
}
