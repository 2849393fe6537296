import Foundation

/// Names the bytes that a server sends: one download, one disk entry and all images made of them share it.
package struct ResourceKey: PrehashedKey {
    /// The absolute URL without its fragment, which is never sent.
    package let text: String
    /// Everything else that selects the bytes, as text: the loader's scope, and the request's method, header fields,
    /// body and credentials. Empty for a plain GET by a loader without header fields.
    package let selectors: String
    /// Computed once, as a key is looked up in several tables.
    package let prehash: UInt64

    package init(_ request: borrowing ImageRequest, in scope: borrowing KeyScope = KeyScope()) {
        if request.isPlainGET, scope.keys == nil {
            self.init(request.origin.text, request.origin.prehash, in: scope)
        } else {
            self.init(selecting: request, in: scope)
        }
    }

    /// Apart, so that a plain request takes fewer instructions.
    @inline(never) private init(selecting request: borrowing ImageRequest, in scope: borrowing KeyScope) {
        let own = request.isPlainGET ? copy scope : KeyScope(resource: scope.resource + request.selectors)
        let text = scope.keys.flatMap { request.text(by: $0) }
        self.init(text ?? request.origin.text, text.map { FastHash.ofProcess($0) } ?? request.origin.prehash, in: own)
    }

    package init(text: consuming String, in scope: borrowing KeyScope = KeyScope()) {
        let (text, prehash) = Self.hashedWithoutFragment(text)
        self.init(text, prehash, in: scope)
    }

    private init(_ text: consuming String, _ prehash: UInt64, in scope: borrowing KeyScope) {
        self.text = text
        selectors = scope.resource
        self.prehash = prehash ^ scope.resourceHash
    }

    /// Whether a text may be a key: it isn't empty, nor an id of bytes provided by the program.
    static func isCacheKey(_ text: String) -> Bool { !text.isEmpty && !text.hasPrefix("\0") }

    /// A text without its fragment, and its hash.
    @inline(__always)
    static func hashedWithoutFragment(_ text: consuming String) -> (text: String, prehash: UInt64) {
        if let prehash = FastHash.ofProcess(text, without: UInt8(ascii: "#")) { return (text, prehash) }
        let text = withoutFragment(text)
        return (text, FastHash.ofProcess(text))
    }

    @inline(never)
    static func withoutFragment(_ text: String) -> String {
        // In an id, "#" begins no fragment.
        guard !text.hasPrefix("\0"), let end = text.utf8.firstIndex(of: UInt8(ascii: "#")) else { return text }
        return String(text[..<end])
    }

    var shortHash: UInt32 { UInt32(truncatingIfNeeded: prehash) }

    /// The id of bytes provided by the program; nil for a URL.
    var providedID: String? { text.hasPrefix("\0") ? String(text.dropFirst()) : nil }

    package static func == (left: Self, right: Self) -> Bool {
        // With the hash alone, an attacker who chooses URLs could pass one image off as another.
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
    /// The key by a loader's policy; nil if the policy doesn't apply.
    fileprivate func text(by policy: CacheKeyPolicy) -> String? {
        guard !origin.hasOwnKey, let url, url.isWebURL else { return nil }
        return policy.text(for: url)
    }

    /// Fields that don't select a response: those that trace a request, and those that control caches.
    private static let otherFields: Set = [
        "traceparent", "tracestate", "x-request-id", "cache-control", "pragma",
    ]

    /// The fields that may select a response, by name, as one line each. Because all of them are part of the key, a
    /// response is only used for requests that agree in whatever it varies by (RFC 9111 section 4.1).
    private var selectingFields: [(name: String, value: String)] {
        var values: [String: [String]] = [:]
        for field in headers where !Self.otherFields.contains(field.name.lowercased()) {
            values[field.name.lowercased(), default: []].append(field.value)
        }
        return values.map { ($0.key, Self.normalized($0.value.joined(separator: ","), of: $0.key)) }
            .sorted { $0.name < $1.name }
    }

    /// A field's value without what doesn't change its meaning: whitespace around the members of a list, and in a list
    /// of languages, case and order (RFC 9110 section 12.5.4).
    private static func normalized(_ value: String, of name: String) -> String {
        if value.contains("\"") { return value }
        let members = value.split(separator: ",").map { String(Substring($0.utf8.trimmed(where: \.isBlank))) }
        guard name == "accept-language" else { return members.joined(separator: ",") }
        return members.map { $0.lowercased().filter { $0 != " " } }.sorted().joined(separator: ",")
    }

    /// Everything besides the source that selects the bytes. Each value follows its length, so no two requests have the
    /// same text.
    fileprivate var selectors: String {
        var lines: [String] = []
        func add(_ name: String, _ value: String) { lines.append("\(name) \(value.utf8.count) \(value)") }
        if values.isImpossible { add("key", "impossible") }
        if method != .get { add("method", method.rawValue) }
        for (name, value) in selectingFields { add("field \(name)", value) }
        if let body { add("body", body.base64EncodedString()) }
        if let credentials {
            add("user", credentials.user)
            add("password", credentials.password)
        }
        return lines.joined(separator: "\n")
    }
}
