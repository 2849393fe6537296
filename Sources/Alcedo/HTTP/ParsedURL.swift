package import Foundation

/// A URL in the form that keys, checks and transports use: parsed once, as browsers do, and written in one normal form.
///
/// The form is that of the WHATWG's URL standard: scheme and host in lower case, names beyond ASCII in Punycode,
/// addresses in their shortest usual form, no default port, no dot segments, and escapes for characters that may not
/// stand for themselves. Existing escapes stay as they are, because a signature may cover them. The article "URLs"
/// lists the differences from the standard.
package struct ParsedURL: Sendable {
    /// The URL in normal form, or as it was given if it can't be loaded.
    package let url: URL
    package let scheme: Scheme

    package enum Scheme: String, Sendable {
        case http, https, file, data
        /// The scheme of a URL that can't be loaded. Parsing its text gives the reason.
        case unusable = ""

        // Switches over the cases, because `==` compares the raw values.
        package var isWeb: Bool {
            switch self {
            case .http, .https: true
            case .file, .data, .unusable: false
            }
        }

        var defaultPort: Int {
            switch self {
            case .https: 443
            case .http, .file, .data, .unusable: 80
            }
        }
    }

    /// Parses a URL. If it can't be loaded, its scheme is ``Scheme/unusable``.
    package init(_ url: URL) {
        let text = url.absoluteString
        if let scheme = PlainURL.normalScheme(of: text) {
            self.init(normal: url, scheme)
            return
        }
        do throws(URLFault) {
            try self.init(text)
        } catch {
            self.init(normal: url, .unusable)
        }
    }

    /// - Parameter url: The URL in normal form, if it can be loaded.
    init(normal url: URL, _ scheme: Scheme) {
        self.url = url
        self.scheme = scheme
    }

    /// Parses a text.
    ///
    /// - Parameter base: An http or https URL that the text may be relative to.
    package init(_ text: String, relativeTo base: ParsedURL? = nil) throws(URLFault) {
        if let scheme = PlainURL.normalScheme(of: text), let url = URL(string: text, encodingInvalidCharacters: false) {
            self.init(normal: url, scheme)
            return
        }
        let (normal, scheme) = try URLParser(text).parsed(relativeTo: base)
        guard let url = URL(string: normal, encodingInvalidCharacters: false) else { throw .text("it is no URL") }
        self.init(normal: url, scheme)
    }

    // MARK: Parts

    package var text: String { url.absoluteString }

    /// Whether the URL is requested from a server.
    package var isWeb: Bool { scheme.isWeb }

    /// The scheme, host and port, without the scheme's default port: "https://example.org".
    var origin: String { scheme.rawValue + "://" + Substring(authority) }

    /// The host, without the brackets of an IPv6 address; empty for URLs that aren't requested from a server.
    package var host: String {
        let authority = authority
        if authority.first == UInt8(ascii: "[") {
            return String(Substring(authority.dropFirst().prefix { $0 != UInt8(ascii: "]") }))
        }
        return String(Substring(authority.prefix { $0 != UInt8(ascii: ":") }))
    }

    /// The port, even if it is the default one.
    var port: Int {
        let address = authority.lastIndex(of: UInt8(ascii: "]")) ?? authority.startIndex
        guard let colon = authority[address...].lastIndex(of: UInt8(ascii: ":")) else { return scheme.defaultPort }
        return authority[colon...].dropFirst().decimal
    }

    /// The host and port; empty for URLs that aren't requested from a server.
    private var authority: Substring.UTF8View {
        guard isWeb else { return Substring().utf8 }
        let rest = text.utf8.dropFirst(scheme.rawValue.utf8.count + 3).prefix { $0 != UInt8(ascii: "/") }
        return rest.lastIndex(of: UInt8(ascii: "@")).map { rest[rest.index(after: $0)...] } ?? rest
    }

    /// The bytes of a file's path, without a "/" at the end. They need not be valid UTF-8.
    var filePath: [UInt8] {
        let path = text.utf8.dropFirst("file://".utf8.count).prefix { !"?#".utf8.contains($0) }
        var bytes = Array(path).percentDecoded
        while bytes.count > 1, bytes.last == UInt8(ascii: "/") { bytes.removeLast() }
        return bytes
    }
}

extension ParsedURL: Hashable {
    package static func == (left: Self, right: Self) -> Bool { left.url == right.url }
    package func hash(into hasher: inout Hasher) { hasher.combine(url) }
}

/// The reason why a text isn't a URL that can be loaded.
package enum URLFault: Error, Hashable {
    /// The URL has a scheme that isn't supported.
    case scheme(String)
    /// A description of the fault.
    case text(String)
}

extension ParsedURL {
    /// Converts an http or https URL to its normal form. Returns any other text as it is.
    static func normalKey(_ text: String) -> String {
        do throws(URLFault) {
            let url = try ParsedURL(text)
            return url.isWeb ? url.text : text
        } catch {
            return text
        }
    }

    /// Converts the beginning of http or https URLs to the form in which such URLs begin. Returns any other text as it
    /// is.
    package static func normalPrefix(_ text: String) -> String {
        // A partial escape at the end would be mistaken for a stray "%".
        let end = text.suffix(2).lastIndex(of: "%") ?? text.endIndex
        // With another character appended, a partial host, port or dot segment stays unchanged.
        for mark in ["z", "0"] {
            do throws(URLFault) {
                let parsed = try ParsedURL(text[..<end] + mark)
                guard parsed.isWeb, let last = parsed.text.range(of: mark, options: .backwards),
                    ["", "/"].contains(parsed.text[last.upperBound...])
                else { continue }
                return String(parsed.text[..<last.lowerBound] + text[end...])
            } catch {
                continue
            }
        }
        return text
    }
}
