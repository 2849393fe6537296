/// An IP address, and whether it is public.
///
/// The value has sixteen bytes and is read without allocating. An IPv4 address and the IPv6 address that it is mapped
/// to are equal.
public struct NetworkAddress: Sendable, Hashable {
    private let high: UInt64
    private let low: UInt64

    /// Creates an address from its bytes in network order: four for IPv4 or sixteen for IPv6. Returns nil for any other
    /// number of bytes.
    public init?(_ bytes: some Collection<UInt8>) {
        switch bytes.count {
        case 4:
            (high, low) = (0, 0xFFFF << 32 | Self.number(bytes))
        case 16:
            (high, low) = (Self.number(bytes.prefix(8)), Self.number(bytes.dropFirst(8)))
        default:
            return nil
        }
    }

    private static func number(_ bytes: some Collection<UInt8>) -> UInt64 {
        bytes.reduce(0) { $0 << 8 | UInt64($1) }
    }

    /// Whether this is a global unicast address. Addresses reserved for private networks, the machine itself, a cloud's
    /// own services, multicast, tunnels or examples are not.
    public var isPublic: Bool { use == nil }

    /// The use of an address that isn't public, as the end of a sentence.
    enum Use: String {
        case unspecified = "no address of a host"
        case loopback = "a loopback address"
        case linkLocal = "a link-local address"
        case privateUse = "a private address"
        case sharedSpace = "an address of a carrier's own network"
        case metadata = "the address of a cloud's metadata service"
        case multicast = "a multicast address"
        case broadcast = "the broadcast address"
        case documentation = "an address for documentation"
        case benchmarking = "an address for benchmarks"
        case tunnel = "an address of a tunnel"
        case reserved = "a reserved address"
    }

    /// The use of the address; nil if it is public.
    ///
    /// The ranges are from IANA's registries of special-purpose addresses for IPv4 and IPv6 (RFC 6890) and of IPv6
    /// address space: outside 2000::/3, no unicast address is public.
    var use: Use? {
        switch (high, low >> 32) {
        // ::ffff:0:0/96, mapped, and 64:ff9b::/96, NAT64: packets go to the IPv4 address in the last bytes.
        case (0, 0xFFFF), (0x0064_FF9B_0000_0000, 0): Self.use(ofIPv4: UInt32(truncatingIfNeeded: low))
        case (0, 0) where low > 1: Self.use(ofIPv4: UInt32(truncatingIfNeeded: low)) ?? .reserved
        case (0, _): low == 0 ? .unspecified : low == 1 ? .loopback : .reserved
        case (0xFD00_0EC2_0000_0000, 0) where low == 0x254: .metadata
        default: Self.use(ofIPv6: high)
        }
    }

    private static func use(ofIPv6 high: UInt64) -> Use? {
        switch high {
        // 2001::/32, Teredo, and 2002::/16, 6to4: both contain an IPv4 address.
        case 0x2001_0000_0000_0000...0x2001_0000_FFFF_FFFF, 0x2002_0000_0000_0000...0x2002_FFFF_FFFF_FFFF: .tunnel
        // 2001:2::/48
        case 0x2001_0002_0000_0000...0x2001_0002_0000_FFFF: .benchmarking
        // 2001::/23, for protocols.
        case 0x2001_0000_0000_0000...0x2001_01FF_FFFF_FFFF: .reserved
        // 2001:db8::/32 and 3fff::/20
        case 0x2001_0DB8_0000_0000...0x2001_0DB8_FFFF_FFFF, 0x3FFF_0000_0000_0000...0x3FFF_0FFF_FFFF_FFFF:
            .documentation
        // 2000::/3
        case 0x2000_0000_0000_0000...0x3FFF_FFFF_FFFF_FFFF: nil
        // fc00::/7, unique local, and fec0::/10, site-local.
        case 0xFC00_0000_0000_0000...0xFDFF_FFFF_FFFF_FFFF, 0xFEC0_0000_0000_0000...0xFEFF_FFFF_FFFF_FFFF: .privateUse
        // fe80::/10
        case 0xFE80_0000_0000_0000...0xFEBF_FFFF_FFFF_FFFF: .linkLocal
        // ff00::/8
        case 0xFF00_0000_0000_0000...: .multicast
        default: .reserved
        }
    }

    private static func use(ofIPv4 address: UInt32) -> Use? {
        switch address {
        // Amazon and most others; Azure, whose service has an address that looks public.
        case 0xA9FE_A9FE, 0xA83F_8110: .metadata
        case 0: .unspecified
        // 0.0.0.0/8, this network. Linux connects to the machine itself.
        case 0x0000_0001...0x00FF_FFFF: .reserved
        // 10.0.0.0/8, 172.16.0.0/12 and 192.168.0.0/16
        case 0x0A00_0000...0x0AFF_FFFF, 0xAC10_0000...0xAC1F_FFFF, 0xC0A8_0000...0xC0A8_FFFF: .privateUse
        // 100.64.0.0/10
        case 0x6440_0000...0x647F_FFFF: .sharedSpace
        // 127.0.0.0/8
        case 0x7F00_0000...0x7FFF_FFFF: .loopback
        // 169.254.0.0/16
        case 0xA9FE_0000...0xA9FE_FFFF: .linkLocal
        // 192.0.0.0/24, for protocols, and 192.88.99.0/24, the former relays of 6to4.
        case 0xC000_0000...0xC000_00FF, 0xC058_6300...0xC058_63FF: .reserved
        // 192.0.2.0/24, 198.51.100.0/24 and 203.0.113.0/24
        case 0xC000_0200...0xC000_02FF, 0xC633_6400...0xC633_64FF, 0xCB00_7100...0xCB00_71FF: .documentation
        // 198.18.0.0/15
        case 0xC612_0000...0xC613_FFFF: .benchmarking
        // 224.0.0.0/4
        case 0xE000_0000...0xEFFF_FFFF: .multicast
        case 0xFFFF_FFFF: .broadcast
        // 240.0.0.0/4
        case 0xF000_0000...: .reserved
        default: nil
        }
    }
}

extension NetworkAddress: CustomStringConvertible {
    /// "192.0.2.1", or eight groups such as "2001:db8:0:0:0:0:0:1".
    public var description: String {
        if high == 0, low >> 32 == 0xFFFF {
            return (0..<4).map { String(low >> (24 - 8 * $0) & 0xFF) }.joined(separator: ".")
        }
        return [high, low].flatMap { half in (0..<4).map { half >> (48 - 16 * $0) & 0xFFFF } }
            .map { String($0, radix: 16) }.joined(separator: ":")
    }
}
