import Foundation

extension URL {
    /// Scheme, host and port in lower case, without the scheme's default port: "https://example.org".
    ///
    /// Each download needs it several times, and each component of a URL is a string of its own. The text of a plain
    /// URL is therefore cut where its authority ends. Any other URL is read by its components, because the origin also
    /// decides whether credentials are sent.
    package var origin: String {
        let text = absoluteString
        if let end = text.endOfPlainOrigin { return String(text[..<end]) }
        let scheme = scheme?.lowercased() ?? ""
        let host = host?.lowercased() ?? ""
        let name = host.contains(":") ? "[\(host)]" : host
        guard let port, port != Self.defaultPorts[scheme] else { return "\(scheme)://\(name)" }
        return "\(scheme)://\(name):\(port)"
    }

    private static let defaultPorts = ["http": 80, "https": 443]
}

extension String {
    /// Where the authority of an http or https URL ends; nil unless that is a host of lower-case letters, digits, dots
    /// and hyphens, without a user name before it or a port after it.
    ///
    /// Nearly all URLs are plain, and this is much cheaper than reading the components of a URL.
    var endOfPlainOrigin: Index? {
        let length = utf8.withContiguousStorageIfAvailable(Self.lengthOfPlainOrigin) ?? nil
        return length.map { utf8.index(startIndex, offsetBy: $0) }
    }

    private static func lengthOfPlainOrigin(_ text: UnsafeBufferPointer<UInt8>) -> Int? {
        let start = text.starts(with: "https://".utf8) ? 8 : text.starts(with: "http://".utf8) ? 7 : text.count
        // "a" to "z", "0" to "9", "-" and "."
        let end = text[start...].firstIndex { !(0x61...0x7A ~= $0 || $0.isDigit || 0x2D...0x2E ~= $0) } ?? text.count
        let isEnded = end == text.count || "/?#".utf8.contains(text[end])
        return isEnded && end > start ? end : nil
    }
}
