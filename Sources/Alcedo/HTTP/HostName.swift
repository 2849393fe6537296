import Foundation

extension URL {
    /// The host in normal form, without the final dot of a full name: "example.org". Doesn't include the scheme or the
    /// port, because one server may have many ports. Subdomains are separate hosts.
    package var hostName: String {
        var name = ParsedURL(self).host
        if name.utf8.last == UInt8(ascii: "."), name.utf8.count > 1 { name.removeLast() }
        return name
    }

    /// Whether the host is this machine, by a loopback address or by the name "localhost" or one below it (RFC 6761
    /// section 6.3).
    package var isOnThisMachine: Bool {
        let name = hostName
        if name == "localhost" || name.hasSuffix(".localhost") { return true }
        let bytes = Array(name.utf8)
        if let groups = IPv6Text.groups(of: Array("[\(name)]".utf8)) {
            return NetworkAddress(groups.flatMap { [UInt8($0 >> 8), UInt8($0 & 0xFF)] })?.use == .loopback
        }
        return IPv4Text.isMeant(by: bytes) && IPv4Text.number(of: bytes).map { $0 >> 24 == 127 } ?? false
    }
}
