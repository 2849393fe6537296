import Foundation
import Testing

@testable import Alcedo

/// Which addresses are public, at the edges of every range.
struct NetworkAddressTests {
    private func address(_ text: String) throws -> NetworkAddress {
        var ipv4 = in_addr()
        if inet_pton(AF_INET, text, &ipv4) == 1 {
            return try #require(withUnsafeBytes(of: ipv4) { NetworkAddress(Array($0)) })
        }
        var ipv6 = in6_addr()
        try #require(inet_pton(AF_INET6, text, &ipv6) == 1, "\(text)")
        return try #require(withUnsafeBytes(of: ipv6) { NetworkAddress(Array($0)) })
    }

    /// The first and the last address of each range. The addresses before and after it are public, unless another range
    /// is next to it.
    private static let ipv4: [(first: String, last: String, NetworkAddress.Use, before: Bool, after: Bool)] = [
        ("0.0.0.0", "0.0.0.0", .unspecified, false, false),
        ("0.0.0.1", "0.255.255.255", .reserved, false, true),
        ("10.0.0.0", "10.255.255.255", .privateUse, true, true),
        ("100.64.0.0", "100.127.255.255", .sharedSpace, true, true),
        ("127.0.0.0", "127.255.255.255", .loopback, true, true),
        ("168.63.129.16", "168.63.129.16", .metadata, true, true),
        ("169.254.0.0", "169.254.169.253", .linkLocal, true, false),
        ("169.254.169.254", "169.254.169.254", .metadata, false, false),
        ("169.254.169.255", "169.254.255.255", .linkLocal, false, true),
        ("172.16.0.0", "172.31.255.255", .privateUse, true, true),
        ("192.0.0.0", "192.0.0.255", .reserved, true, true),
        ("192.0.2.0", "192.0.2.255", .documentation, true, true),
        ("192.88.99.0", "192.88.99.255", .reserved, true, true),
        ("192.168.0.0", "192.168.255.255", .privateUse, true, true),
        ("198.18.0.0", "198.19.255.255", .benchmarking, true, true),
        ("198.51.100.0", "198.51.100.255", .documentation, true, true),
        ("203.0.113.0", "203.0.113.255", .documentation, true, true),
        ("224.0.0.0", "239.255.255.255", .multicast, true, false),
        ("240.0.0.0", "255.255.255.254", .reserved, false, false),
        ("255.255.255.255", "255.255.255.255", .broadcast, false, false),
    ]

    private static func number(_ text: String) -> UInt32 {
        text.split(separator: ".").reduce(0) { $0 << 8 | (UInt32($1) ?? 0) }
    }

    private static func bytes(_ number: UInt32) -> [UInt8] {
        (0..<4).map { UInt8(truncatingIfNeeded: number >> (24 - 8 * $0)) }
    }

    @Test(arguments: ipv4.indices) func rangesOfIPv4_endWhereTheyShould(index: Int) throws {
        let (first, last, use, before, after) = Self.ipv4[index]
        let (lower, upper) = (Self.number(first), Self.number(last))
        for number in [lower, lower + (upper - lower) / 2, upper] where number != 0xA9FE_A9FE || use == .metadata {
            #expect(NetworkAddress(Self.bytes(number))?.use == use)
        }
        if before { #expect(NetworkAddress(Self.bytes(lower - 1))?.isPublic == true) }
        if after { #expect(NetworkAddress(Self.bytes(upper + 1))?.isPublic == true) }
    }

    /// Each address at an edge is judged alike in every form in which packets go to it.
    @Test(arguments: ipv4.indices) func embeddedIPv4_isJudgedLikeItself(index: Int) throws {
        let (first, last, use, before, _) = Self.ipv4[index]
        let mapped: [UInt8] = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF]
        let translated: [UInt8] = [0, 0x64, 0xFF, 0x9B, 0, 0, 0, 0, 0, 0, 0, 0]
        for prefix in [mapped, translated] {
            for text in [first, last] {
                #expect(NetworkAddress(prefix + Self.bytes(Self.number(text)))?.use == use)
            }
            if before { #expect(NetworkAddress(prefix + Self.bytes(Self.number(first) - 1))?.isPublic == true) }
        }
        // The compatible form is obsolete, so it is never public. Its first two addresses are those of IPv6.
        let compatible = try #require(NetworkAddress([UInt8](repeating: 0, count: 12) + Self.bytes(Self.number(last))))
        #expect(compatible.use == use)
        let other = try #require(NetworkAddress([UInt8](repeating: 0, count: 12) + [93, 184, 216, 34]))
        #expect(other.use == .reserved)
    }

    @Test(
        arguments: [
            ("::", .unspecified), ("::1", .loopback), ("::2", .reserved), ("::127.0.0.1", .loopback),
            ("::1:0:0:0", .reserved), ("::fffe:7f00:1", .reserved), ("::ffff:0:7f00:1", .reserved),
            ("::ffff:127.0.0.1", .loopback), ("::ffff:93.184.216.34", nil),
            ("64:ff9b::7f00:1", .loopback), ("64:ff9b::a9fe:a9fe", .metadata), ("64:ff9b::5db8:d822", nil),
            ("64:ff9b:0:0:0:1::", .reserved), ("64:ff9b:1::5db8:d822", .reserved),
            ("100::", .reserved), ("100:0:0:1::", .reserved), ("1fff:ffff::", .reserved),
            ("2000::", nil), ("2000:ffff:ffff:ffff:ffff:ffff:ffff:ffff", nil),
            ("2001::", .tunnel), ("2001:0:ffff:ffff:ffff:ffff:ffff:ffff", .tunnel), ("2001:1::", .reserved),
            ("2001:2::", .benchmarking), ("2001:2:0:ffff::", .benchmarking), ("2001:2:1::", .reserved),
            ("2001:1ff:ffff:ffff::", .reserved), ("2001:200::", nil),
            ("2001:db7:ffff:ffff::", nil), ("2001:db8::", .documentation), ("2001:db8:ffff:ffff::", .documentation),
            ("2001:db9::", nil),
            ("2001:ffff::", nil), ("2002::", .tunnel), ("2002:7f00:1::", .tunnel), ("2002:ffff:ffff:ffff::", .tunnel),
            ("2003::", nil), ("2606:2800:220:1:248:1893:25c8:1946", nil),
            ("3ffe:ffff:ffff:ffff::", nil), ("3fff::", .documentation), ("3fff:fff:ffff:ffff::", .documentation),
            ("3fff:1000::", nil), ("3fff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", nil), ("4000::", .reserved),
            ("5f00::", .reserved), ("fbff:ffff::", .reserved), ("fc00::", .privateUse), ("fd00:ec2::253", .privateUse),
            ("fd00:ec2::254", .metadata), ("fd00:ec2::255", .privateUse), ("fdff:ffff:ffff:ffff::", .privateUse),
            ("fe00::", .reserved), ("fe7f:ffff::", .reserved), ("fe80::", .linkLocal), ("febf:ffff::", .linkLocal),
            ("fec0::", .privateUse), ("feff:ffff::", .privateUse), ("ff00::", .multicast),
            ("ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", .multicast),
        ] as [(String, NetworkAddress.Use?)])
    func rangesOfIPv6_endWhereTheyShould(text: String, use: NetworkAddress.Use?) throws {
        let address = try address(text)
        #expect(address.use == use)
        #expect(address.isPublic == (use == nil))
    }

    @Test func otherNumbersOfBytes_areNoAddress() {
        for count in 0...20 where count != 4 && count != 16 {
            #expect(NetworkAddress([UInt8](repeating: 1, count: count)) == nil)
        }
    }

    @Test(arguments: [
        ("192.0.2.1", "192.0.2.1"), ("::ffff:192.0.2.1", "192.0.2.1"), ("2001:db8::1", "2001:db8:0:0:0:0:0:1"),
        ("::1", "0:0:0:0:0:0:0:1"),
    ])
    func description_isTheAddress(text: String, description: String) throws {
        #expect(try address(text).description == description)
    }
}
