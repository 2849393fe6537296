import Foundation

extension URL {
    /// Scheme, host and port in lower case, without the scheme's default port: "https://example.org".
    ///
    /// Each download needs it several times, and each component of a URL is a string of its own. The text of a plain
    /// URL is therefore cut where its authority ends. Any other URL is read by its components, because the origin also
    /// decides whether credentials are sent.
    package var origin: String {
        var text = absoluteString
        if let plain = text.withUTF8(Self.plainOrigin) { return plain }
        let scheme = scheme?.lowercased() ?? ""
        let host = host?.lowercased() ?? ""
        let name = host.contains(":") ? "[\(host)]" : host
        guard let port, port != Self.defaultPorts[scheme] else { return "\(scheme)://\(name)" }
        return "\(scheme)://\(name):\(port)"
    }

    private static let defaultPorts = ["http": 80, "https": 443]

    /// Nil unless the host is lower-case letters, digits, dots and hyphens, without a user name before it or a port
    /// after it.
    private static func plainOrigin(_ text: UnsafeBufferPointer<UInt8>) -> String? {
        guard let scheme = ["https://", "http://"].first(where: { text.starts(with: $0.utf8) }) else { return nil }
        let host = text.dropFirst(scheme.utf8.count).prefix { byte in
            (0x61...0x7a).contains(byte) || (0x30...0x39).contains(byte) || byte == 0x2d || byte == 0x2e
        }
        guard !host.isEmpty, host.endIndex == text.count || "/?#".utf8.contains(text[host.endIndex]) else { return nil }
        return String(decoding: text[..<host.endIndex], as: UTF8.self)
    }
}
