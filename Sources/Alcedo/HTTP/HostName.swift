import Foundation

extension URL {
    /// The host in normal form, without the last dot of a full name: "example.org". The port and the scheme don't
    /// count, since one server may have many ports, and sub-domains are hosts of their own.
    package var hostName: String {
        var name = ParsedURL(self).host
        if name.hasSuffix("."), name.count > 1 { name.removeLast() }
        return name
    }
}
