import Foundation

extension URL {
    /// What limits for a host count by: scheme, host and port as they are written, less a default port and differences of
    /// case.
    ///
    /// Read off the text, as it is needed for each download and the parts of a URL are strings of their own. Not for
    /// decisions about trust: see ``origin``.
    package var hostKey: String {
        let text = absoluteString
        let bytes = text.utf8
        guard let colon = bytes.firstIndex(of: UInt8(ascii: ":")) else { return text }
        let isSeparator: (UInt8) -> Bool = { "/?#".utf8.contains($0) }
        let start = bytes[bytes.index(after: colon)...].prefix { $0 == UInt8(ascii: "/") }.endIndex
        let end = bytes[start...].firstIndex(where: isSeparator) ?? bytes.endIndex
        let authority = bytes[start..<end]
        let host =
            authority.lastIndex(of: UInt8(ascii: "@")).map { authority[authority.index(after: $0)...] } ?? authority
        let isPlain = host.startIndex == start && !bytes[..<end].contains { (65...90).contains($0) }
        let key = isPlain ? String(text[..<end]) : "\(text[..<start])\(text[host.startIndex..<end])".lowercased()
        for (scheme, port) in [("http:", ":80"), ("https:", ":443")] where key.hasPrefix(scheme) && key.hasSuffix(port)
        {
            return String(key.dropLast(port.count))
        }
        return key
    }
}
