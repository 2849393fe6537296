import Foundation

extension URL {
    /// The host in normal form, without the final dot of a full name: "example.org". Doesn't include the scheme or the
    /// port, because one server may have many ports. Subdomains are separate hosts.
    package var hostName: String {
        var name = ParsedURL(self).host
        if name.utf8.last == UInt8(ascii: "."), name.utf8.count > 1 { name.removeLast() }
        return name
    }
}
