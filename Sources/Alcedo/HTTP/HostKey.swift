import Foundation

extension URL {
    /// The key of per-host limits: scheme, host and port as written, without a default port and ignoring case.
    ///
    /// It is parsed from the text, because every download needs it and each component of a URL is a separate string.
    /// Don't use it for decisions about trust; see ``origin``.
    package var hostKey: String {
        var text = absoluteString
        return text.withUTF8 { Self.hostKey($0) }
    }

    private static func hostKey(_ text: UnsafeBufferPointer<UInt8>) -> String {
        func string(_ range: Range<Int>) -> String { String(decoding: text[range], as: UTF8.self) }
        guard let colon = text.firstIndex(of: UInt8(ascii: ":")) else { return string(0..<text.count) }
        let start = text[(colon + 1)...].firstIndex { $0 != UInt8(ascii: "/") } ?? text.count
        let end = text[start...].firstIndex { "/?#".utf8.contains($0) } ?? text.count
        let host = text[start..<end].lastIndex(of: UInt8(ascii: "@")).map { $0 + 1 } ?? start
        let isPlain = host == start && !text[..<end].contains { (65...90).contains($0) }
        let key = isPlain ? string(0..<end) : (string(0..<start) + string(host..<end)).lowercased()
        for (scheme, port) in [("http:", ":80"), ("https:", ":443")] where key.hasPrefix(scheme) && key.hasSuffix(port)
        {
            return String(key.dropLast(port.count))
        }
        return key
    }
}
