import Foundation

extension URL {
    /// The host in lower case, without the last dot of a full name: "example.org". The port and the scheme don't count,
    /// since one server may have many ports, and sub-domains are hosts of their own.
    package var hostName: String {
        let text = absoluteString
        var name = text.endOfPlainOrigin.flatMap { end in
            text[..<end].lastIndex(of: "/").map { String(text[text.index(after: $0)..<end]) }
        }
        if name == nil { name = host?.lowercased() }
        guard var name else { return "" }
        if name.hasSuffix("."), name.count > 1 { name.removeLast() }
        return name
    }
}
