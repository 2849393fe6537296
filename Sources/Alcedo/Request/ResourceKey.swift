import Foundation

/// Identifies the bytes that a server sends. One download, one disk entry and all images made from them share it.
package struct ResourceKey: Hashable, Sendable {
    /// The absolute URL without its fragment, which is never sent.
    package let text: String
    /// Everything else that selects the bytes, as text: the loader's scope, and the request's method, header fields,
    /// body and credentials. Empty for a plain GET by a loader without header fields.
    package let selectors: String
    /// Computed once, because a key is looked up in several tables.
    package let prehash: UInt64

    package init(_ request: borrowing ImageRequest, in scope: borrowing KeyScope = KeyScope()) {
        if request.isPlainGET, scope.keys == nil {
            self.init(request.origin.text, request.origin.prehash, in: scope)
        } else {
            self.init(selecting: request, in: scope)
        }
    }

    /// A separate function, so that a plain request takes fewer instructions.
    @inline(never) private init(selecting request: borrowing ImageRequest, in scope: borrowing KeyScope) {
        let own = request.isPlainGET ? copy scope : KeyScope(resource: scope.resource + request.selectors)
        let text = scope.keys.flatMap { request.text(by: $0) }
        self.init(text ?? request.origin.text, text.map { FastHash.ofProcess($0) } ?? request.origin.prehash, in: own)
    }

    /// Creates the key of `url`, which may be in any spelling.
    init(_ url: borrowing URL, in scope: borrowing KeyScope) {
        let text = url.absoluteString
        if let (_, prehash) = FastHash.ofProcess(text, where: PlainURL.scheme) {
            self.init(text, prehash, in: scope)
        } else {
            self.init(text: ParsedURL(copy url).text, in: scope)
        }
    }

    /// Creates the key of a URL in normal form, or of another text.
    package init(text: String, in scope: borrowing KeyScope = KeyScope()) {
        let text = Self.withoutFragment(text)
        self.init(text, FastHash.ofProcess(text), in: scope)
    }

    private init(_ text: consuming String, _ prehash: UInt64, in scope: borrowing KeyScope) {
        self.text = text
        selectors = scope.resource
        self.prehash = prehash ^ scope.resourceHash
    }

    /// Whether a text may be a key: it isn't empty, nor an id of bytes provided by the program.
    static func isCacheKey(_ text: String) -> Bool { !text.isEmpty && !text.hasPrefix("\0") }

    @inline(never)
    static func withoutFragment(_ text: String) -> String {
        // In an id, "#" doesn't begin a fragment.
        guard !text.hasPrefix("\0"), let end = text.utf8.firstIndex(of: UInt8(ascii: "#")) else { return text }
        return String(text[..<end])
    }

    /// The id of bytes provided by the program, the URL without user name and password, or the key in place of the URL.
    var name: String { providedID ?? text.splitUserInfo.text }

    var shortHash: UInt32 { UInt32(truncatingIfNeeded: prehash) }

    /// Returns a line of ``selectors``. Each value follows its length, so no two lists of values have the same text.
    static func line(_ name: String, _ value: String) -> String { "\(name) \(value.utf8.count) \(value)" }

    /// The id of bytes provided by the program; nil for a URL.
    var providedID: String? { text.hasPrefix("\0") ? String(text.drop { $0 == "\0" }) : nil }

    /// The names of lines of ``selectors`` that hold for all users: the cache key policy and the network policy.
    static let policies = (keys: "keyed", network: "network")

    /// Whether what selects the bytes besides the text may be secret, or may give each user other bytes.
    var isPrivate: Bool {
        var rest = selectors.utf8[...]
        while !rest.isEmpty {
            let name = rest.prefix { $0 != UInt8(ascii: " ") }
            let count = rest.dropFirst(name.count + 1).prefix { $0 != UInt8(ascii: " ") }
            guard let bytes = Int(Substring(count)), bytes >= 0,
                [Self.policies.keys, Self.policies.network].contains(String(Substring(name)))
            else { return true }
            // A blank after the name and after the number, and a line break at the end.
            rest = rest.dropFirst(name.count + count.count + bytes + 3)
        }
        return false
    }

    package static func == (left: Self, right: Self) -> Bool {
        // If only hashes were compared, an attacker who chooses URLs could pass one image off as another.
        left.prehash == right.prehash && left.text == right.text && left.selectors == right.selectors
    }

    package func hash(into hasher: inout Hasher) { hasher.combine(prehash) }
}

extension String {
    /// A URL without its user name and password, and these as one text; nil if it has none.
    package var splitUserInfo: (text: String, userInfo: String?) {
        guard FastHash.contains(UInt8(ascii: "@"), in: self), let mark = firstRange(of: "://") else {
            return (self, nil)
        }
        let authority = self[mark.upperBound...].prefix { !"/?".contains($0) }
        guard let at = authority.lastIndex(of: "@") else { return (self, nil) }
        return (String(self[..<mark.upperBound] + self[index(after: at)...]), String(authority[..<at]))
    }
}

extension URL {
    /// The URL without its fragment, which is never sent.
    var sentText: String { ResourceKey.withoutFragment(absoluteString) }
}

extension ImageRequest {
    /// Returns the key that a loader's policy makes; nil if the policy doesn't apply.
    fileprivate func text(by policy: CacheKeyPolicy) -> String? {
        guard !origin.hasOwnKey, isWeb, let url else { return nil }
        return policy.text(for: url)
    }

    /// Fields that don't select a response, because they trace a request or control caches.
    private static let otherFields: Set = [
        "traceparent", "tracestate", "x-request-id", "cache-control", "pragma",
    ]

    /// Everything besides the source that selects the bytes. Because it includes all fields that may select a response,
    /// a response is only used for requests that agree in the fields that it varies by (RFC 9111 section 4.1).
    fileprivate var selectors: String {
        var lines: [String] = []
        func add(_ name: String, _ value: String) { lines.append(ResourceKey.line(name, value)) }
        if values.isImpossible { add("key", "impossible") }
        if method != .get { add("method", method.rawValue) }
        lines += headers.filter { !Self.otherFields.contains($0.name.lowercased()) }.keyLines
        if let body { add("body", body.base64EncodedString()) }
        if let credentials {
            add("user", credentials.user)
            add("password", credentials.password)
        }
        return lines.joined(separator: "\n")
    }
}

extension Sequence<HTTPHeaders.Field> {
    /// The fields as lines of a key, sorted by name. Values are compared byte for byte, except lists.
    var keyLines: [String] {
        var values: [String: [String]] = [:]
        for field in self { values[field.name.lowercased(), default: []].append(field.keyText) }
        return values.sorted { $0.key < $1.key }.flatMap { name, values in
            let values = HTTPHeaders.lists.contains(name) ? [HTTPHeaders.normalized(values, of: name)] : values
            return values.map { ResourceKey.line("field \(name)", $0) }
        }
    }
}

extension HTTPHeaders.Field {
    /// The value, distinguished from the same text in another encoding.
    fileprivate var keyText: String { isLatin1 ? value + "\0" : value }
}

extension HTTPHeaders {
    /// The fields that are known to be lists. Their values may differ in form without a difference in meaning.
    fileprivate static let lists: Set = ["accept", "accept-charset", "accept-encoding", "accept-language"]

    /// Returns a list as one value, without differences that don't change its meaning: whitespace around members, empty
    /// members, and, in a list of languages, case and order (RFC 9110 sections 5.3, 5.6.1 and 12.5.4).
    fileprivate static func normalized(_ values: [String], of name: String) -> String {
        let value = values.joined(separator: ",")
        if value.contains("\"") { return value }
        let members = value.split(separator: ",").map { String(Substring($0.utf8.trimmed(where: \.isBlank))) }
            .filter { !$0.isEmpty }
        guard name == "accept-language" else { return members.joined(separator: ",") }
        return members.map { $0.lowercased().filter { $0 != " " } }.sorted().joined(separator: ",")
    }
}
