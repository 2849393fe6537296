package import Foundation

/// A URL as keys, checks and transports see it: read once, as browsers read it, and written in one form.
///
/// The form is that of the WHATWG's URL standard: scheme and host in lower case, names beyond ASCII in Punycode,
/// addresses in their shortest usual form, no default port, no dot segments, and escapes for what may not stand for
/// itself. Escapes that are there stay as they are, because a signature may cover them. It differs from the standard
/// where the article "URLs" says so.
package struct ParsedURL: Sendable {
    /// In normal form; as it was given if it can't be loaded.
    package let url: URL
    package let scheme: Scheme

    package enum Scheme: String, Sendable {
        case http, https, file, data
        /// Of a URL that can't be loaded. Parsing its text tells why.
        case unusable = ""

        // By cases: `==` compares the raw values.
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

    /// The URL that another one spells.
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

    /// - Parameter url: In normal form, if it can be loaded.
    init(normal url: URL, _ scheme: Scheme) {
        self.url = url
        self.scheme = scheme
    }

    /// The URL that a text spells.
    ///
    /// - Parameter base: An http or https URL that it may be relative to.
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

    /// Whether a server is asked for it.
    package var isWeb: Bool { scheme.isWeb }

    /// Scheme, host and port, without the scheme's default port: "https://example.org".
    var origin: String { scheme.rawValue + "://" + authority }

    /// Without the brackets of an IPv6 address; empty for URLs that no server is asked for.
    package var host: String {
        let authority = authority
        if authority.first == "[" { return String(authority.dropFirst().prefix { $0 != "]" }) }
        return String(authority.prefix { $0 != ":" })
    }

    /// Also if it is the default one.
    var port: Int {
        let address = authority.lastIndex(of: "]") ?? authority.startIndex
        guard let colon = authority[address...].lastIndex(of: ":") else { return scheme.defaultPort }
        return authority[colon...].utf8.dropFirst().decimal
    }

    /// Host and port; empty for URLs that no server is asked for.
    private var authority: Substring {
        guard isWeb else { return "" }
        let rest = text.dropFirst(scheme.rawValue.count + "://".count).prefix { $0 != "/" }
        return rest.lastIndex(of: "@").map { rest[rest.index(after: $0)...] } ?? rest
    }

    /// The bytes of a file's path, which may be none of UTF-8, without "/" at its end.
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

/// Why a text isn't a URL that can be loaded.
package enum URLFault: Error, Hashable {
    /// The URL has a scheme that isn't supported.
    case scheme(String)
    /// A description of the fault.
    case text(String)
}

extension ParsedURL {
    /// An http or https URL in normal form; any other text as it is.
    static func normalKey(_ text: String) -> String {
        do throws(URLFault) {
            let url = try ParsedURL(text)
            return url.isWeb ? url.text : text
        } catch {
            return text
        }
    }

    /// The beginning of URLs, spelled as all URLs are that begin so. A text that begins no http or https URL stays as
    /// it is.
    package static func normalPrefix(_ text: String) -> String {
        // A part of an escape at the end would be taken for a stray "%".
        let end = text.suffix(2).lastIndex(of: "%") ?? text.endIndex
        // With something behind it, a part of a host, a port or a dot segment stays what it is.
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
