import Foundation

/// The host of an http or https URL.
enum URLHost {
    /// A host in normal form: a name in lower case and Punycode, or an address.
    static func normal(_ host: some Collection<UInt8>) throws(URLFault) -> [UInt8] {
        if host.first == UInt8(ascii: "[") {
            guard let groups = IPv6Text.groups(of: Array(host)) else { throw .text("its host is no IPv6 address") }
            return Array("[\(IPv6Text.of(groups))]".utf8)
        }
        let name = try name(Array(host).percentDecoded)
        guard IPv4Text.isMeant(by: name) else { return name }
        guard let address = IPv4Text.number(of: name) else { throw .text("its host is no IPv4 address") }
        return Array(IPv4Text.of(address).utf8)
    }

    /// A host in normal form, as text. The brackets of an IPv6 address are optional, and are removed. Nil if the text
    /// isn't a host.
    static func normal(_ text: String) -> String? {
        let isBare = text.utf8.contains(UInt8(ascii: ":")) && text.utf8.first != UInt8(ascii: "[")
        do throws(URLFault) {
            let host = try normal((isBare ? "[\(text)]" : text).utf8)
            let isAddress = host.first == UInt8(ascii: "[")
            return String(decoding: isAddress ? host.dropFirst().dropLast() : host[...], as: UTF8.self)
        } catch {
            return nil
        }
    }

    private static func name(_ decoded: [UInt8]) throws(URLFault) -> [UInt8] {
        if decoded.isEmpty { throw .text("it has no host") }
        try check(decoded)
        if decoded.allSatisfy({ $0 < 0x80 }) { return decoded.lowercased }
        guard let text = String(validating: decoded, as: UTF8.self), let name = encoded(text) else {
            throw .text("its host is no name that can be encoded")
        }
        try check(name)
        return name
    }

    /// Throws if a host contains an ASCII character that hosts can't have.
    private static func check(_ name: [UInt8]) throws(URLFault) {
        let other = name.first { $0 < 0x80 && (!$0.isAllowedInURL || "/:?@".utf8.contains($0)) }
        guard let other else { return }
        throw .text("its host can't have \(String(UnicodeScalar(other)).debugDescription)")
    }

    /// A name with characters beyond ASCII, encoded for sending. Only Foundation has the tables for this (UTS 46).
    private static func encoded(_ name: String) -> [UInt8]? {
        guard let url = URL(string: "http://\(name)/", encodingInvalidCharacters: true) else { return nil }
        let text = url.absoluteString.utf8
        let host = text.dropFirst("http://".utf8.count).dropLast()
        guard text.last == UInt8(ascii: "/"), !host.isEmpty, host.allSatisfy({ $0 < 0x80 }) else { return nil }
        return host.lowercased
    }
}
