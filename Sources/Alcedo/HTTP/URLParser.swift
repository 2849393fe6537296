/// Parses a URL as browsers do; see ``ParsedURL``.
struct URLParser {
    typealias Scheme = ParsedURL.Scheme
    typealias Bytes = ArraySlice<UInt8>

    /// The text without surrounding blanks and control characters, and without any line breaks and tabs.
    private let bytes: Bytes

    init(_ text: String) {
        let trimmed = text.utf8.trimmed { $0 <= 0x20 }
        bytes = trimmed.filter { $0 != 0x09 && $0 != 0x0A && $0 != 0x0D }[...]
    }

    /// The URL in normal form.
    func parsed(relativeTo base: ParsedURL?) throws(URLFault) -> (text: String, scheme: Scheme) {
        let base = base.flatMap { $0.isWeb ? $0 : nil }
        guard let (name, rest) = schemeAndRest else {
            guard let base else { throw .text("it has no scheme, such as https: or file:") }
            return try resolved(bytes, base)
        }
        switch Scheme(rawValue: name) {
        case .file?: return (try file(rest), .file)
        case .data?: return (data(rest), .data)
        case let scheme? where scheme.isWeb:
            if let base, base.scheme == scheme, !rest.beginsWithTwoSlashes { return try resolved(rest, base) }
            return (try web(scheme, rest), scheme)
        default: throw .scheme(name)
        }
    }

    private var schemeAndRest: (name: String, rest: Bytes)? {
        guard let end = bytes.firstIndex(of: UInt8(ascii: ":")) else { return nil }
        let name = bytes[..<end].lowercased
        func isLetter(_ byte: UInt8) -> Bool { (0x61...0x7A).contains(byte) }
        guard let first = name.first, isLetter(first),
            name.allSatisfy({ isLetter($0) || $0.isDigit || "+-.".utf8.contains($0) })
        else { return nil }
        return (String(decoding: name, as: UTF8.self), bytes[(end + 1)...])
    }

    // MARK: http and https

    private func web(_ scheme: Scheme, _ rest: Bytes) throws(URLFault) -> String {
        guard rest.beginsWithTwoSlashes else { throw .text("it has no host") }
        let authority = rest.dropFirst(2).prefix { !$0.isSlash && !$0.endsPath }
        let parts = Parts(rest[authority.endIndex...])
        var url = Array("\(scheme.rawValue)://".utf8)
        try Self.append(authority, of: scheme, to: &url)
        Self.append(segments: parts.path, to: &url)
        parts.appendEnd(to: &url)
        return String(decoding: url, as: UTF8.self)
    }

    /// A URL relative to `base`.
    private func resolved(_ rest: Bytes, _ base: ParsedURL) throws(URLFault) -> (text: String, scheme: Scheme) {
        if rest.beginsWithTwoSlashes { return (try web(base.scheme, rest), base.scheme) }
        let whole = Array(base.text.utf8)
        let start = base.scheme.rawValue.utf8.count + "://".utf8.count
        let slash = whole[start...].firstIndex(of: UInt8(ascii: "/")) ?? whole.endIndex
        let own = Parts(whole[slash...])
        var parts = Parts(rest)
        if parts.path.isEmpty {
            parts.path = own.path
            parts.query = parts.query ?? own.query
        } else if parts.path.first?.isSlash == false {
            let folder = own.path.prefix(through: own.path.lastIndex(of: UInt8(ascii: "/")) ?? own.path.startIndex)
            parts.path = folder + parts.path
        }
        var url = Array(whole[..<slash])
        Self.append(segments: parts.path, to: &url)
        parts.appendEnd(to: &url)
        return (String(decoding: url, as: UTF8.self), base.scheme)
    }

    private static func append(_ authority: Bytes, of scheme: Scheme, to url: inout [UInt8]) throws(URLFault) {
        var place = authority
        if let at = authority.lastIndex(of: UInt8(ascii: "@")) {
            place = authority[(at + 1)...]
            let user = authority[..<at].prefix { $0 != UInt8(ascii: ":") }
            let password = authority[..<at].dropFirst(user.count + 1)
            url.appendEscaped(user, besides: "/:;=?@".utf8)
            if !password.isEmpty {
                url.append(UInt8(ascii: ":"))
                url.appendEscaped(password, besides: "/:;=?@".utf8)
            }
            if !user.isEmpty || !password.isEmpty { url.append(UInt8(ascii: "@")) }
        }
        // An IPv6 address contains colons.
        let isAddress = place.first == UInt8(ascii: "[")
        let start = isAddress ? place.firstIndex(of: UInt8(ascii: "]")) ?? place.endIndex : place.startIndex
        let host = place[..<(place[start...].firstIndex(of: UInt8(ascii: ":")) ?? place.endIndex)]
        let port = place[host.endIndex...].dropFirst()
        guard port.allSatisfy(\.isDigit), port.decimal <= 65_535 else {
            throw .text("its port is no number from 0 to 65535")
        }
        url += try URLHost.normal(host)
        if !port.isEmpty, port.decimal != scheme.defaultPort { url += Array(":\(port.decimal)".utf8) }
    }

    /// Appends a path with its dot segments resolved. An empty path becomes "/".
    private static func append(segments path: Bytes, to url: inout [UInt8]) {
        let segments = path.dropFirst().split(omittingEmptySubsequences: false, whereSeparator: \.isSlash)
        var kept: [Bytes] = []
        for segment in segments {
            switch segment.dots {
            case 1: break
            case 2: _ = kept.popLast()
            default: kept.append(segment)
            }
        }
        // A dot segment at the end stands for a directory.
        if let last = segments.last, (1...2).contains(last.dots) { kept.append([]) }
        for segment in kept {
            url.append(UInt8(ascii: "/"))
            url.appendEscaped(segment)
        }
    }

    // MARK: file and data

    /// Dot segments stay, because the system resolves them differently if a directory is a link.
    private func file(_ rest: Bytes) throws(URLFault) -> String {
        var rest = rest
        if rest.beginsWithTwoSlashes {
            let host = rest.dropFirst(2).prefix { !$0.isSlash && !$0.endsPath }
            guard ["", "localhost"].contains(String(decoding: host.lowercased, as: UTF8.self)) else {
                throw .text("a file URL of another host")
            }
            rest = rest[host.endIndex...]
        }
        let parts = Parts(rest)
        guard let first = parts.path.first else { throw .text("it has no path") }
        // A path relative to the current directory could be a different file each time.
        guard first.isSlash else { throw .text("its path is relative") }
        // System calls would mistake it for the end of the path.
        guard !Array(parts.path).percentDecoded.contains(0) else { throw .text("its path has a null character") }
        var url = Array("file://".utf8)
        url.appendEscaped(parts.path.map { $0.isSlash ? UInt8(ascii: "/") : $0 })
        parts.appendEnd(to: &url)
        return String(decoding: url, as: UTF8.self)
    }

    private func data(_ rest: Bytes) -> String {
        let content = rest.prefix { $0 != UInt8(ascii: "#") }
        var url = Array("data:".utf8)
        url.reserveCapacity(rest.count + 5)
        url.appendEscaped(content)
        Parts(rest[content.endIndex...]).appendEnd(to: &url)
        return String(decoding: url, as: UTF8.self)
    }
}

/// The parts of a URL after its host.
private struct Parts {
    var path: URLParser.Bytes
    var query: URLParser.Bytes?
    private var fragment: URLParser.Bytes?

    init(_ rest: URLParser.Bytes) {
        path = rest.prefix { !$0.endsPath }
        var rest = rest[path.endIndex...]
        if rest.first == UInt8(ascii: "?") {
            let query = rest.dropFirst().prefix { $0 != UInt8(ascii: "#") }
            self.query = query
            rest = rest[query.endIndex...]
        }
        if !rest.isEmpty { fragment = rest.dropFirst() }
    }

    func appendEnd(to url: inout [UInt8]) {
        if let query {
            url.append(UInt8(ascii: "?"))
            url.appendEscaped(query)
        }
        if let fragment {
            url.append(UInt8(ascii: "#"))
            url.appendEscaped(fragment)
        }
    }
}

extension UInt8 {
    fileprivate var isSlash: Bool { self == UInt8(ascii: "/") || self == UInt8(ascii: "\\") }

    /// Whether this character begins a query or a fragment.
    fileprivate var endsPath: Bool { self == UInt8(ascii: "?") || self == UInt8(ascii: "#") }
}

extension ArraySlice<UInt8> {
    fileprivate var beginsWithTwoSlashes: Bool {
        let first = prefix(2)
        return first.count == 2 && first.allSatisfy(\.isSlash)
    }

    /// The number of dots, plain or escaped, that the segment consists of; 0 if it contains anything else.
    fileprivate var dots: Int {
        var (rest, count) = (self, 0)
        while let first = rest.popFirst() {
            if first != UInt8(ascii: ".") {
                guard first == UInt8(ascii: "%"), rest.prefix(2).lowercased == Array("2e".utf8) else { return 0 }
                rest = rest.dropFirst(2)
            }
            count += 1
        }
        return count
    }
}
