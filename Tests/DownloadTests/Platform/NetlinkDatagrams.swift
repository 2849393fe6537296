#if os(Linux)
import Foundation

/// The kernel's messages, recorded in a namespace with a pair of virtual interfaces (Linux 6.18), and made ones.
enum NetlinkDatagrams {
    /// The answer about addresses: 10.207.0.1 on link 3; fe80:: on links 2 and 3, and fd00:207::1 on link 3, which are
    /// being checked for duplicates.
    static let addresses = bytes(
        """
        5000000014000200050000008e7800000218800003000000080001000acf0001080002000acf0001090003006e65743000000000
        080008008000000014000600ffffffffffffffffbdf24c00bdf24c005000000014000200050000008e7800000a40c0fd02000000
        14000100fe800000000000007c09fafffea85e1d14000600ffffffffffffffffbdf24c00bdf24c0008000800c000000005000b00
        030000004800000014000200050000008e7800000a40c0000300000014000100fd00020700000000000000000000000114000600
        ffffffffffffffffbef24c00bef24c0008000800c00000005000000014000200050000008e7800000a40c0fd0300000014000100
        fe8000000000000000cf62fffe3d80c214000600ffffffffffffffffbdf24c00bdf24c0008000800c000000005000b0003000000
        """)
    /// The first part of the answer about routes: the default route over link 3, 10.207.0.0/24, and fd00:207::/64.
    static let routes = bytes(
        """
        3400000018000200060000008e78000002000000fe0300010000000008000f00fe000000080005000acf00020800040003000000
        3c00000018000200060000008e78000002180000fe02fd010000000008000f00fe000000080001000acf0000080007000acf0001
        08000400030000007400000018000200060000008e7800000a400000fe0200010000000008000f00fe00000014000100fd000207
        0000000000000000000000000800060000010000080004000300000024000c000000000000000000000000000000000000000000
        0000000000000000000000000500140000000000
        """)
    static let end = bytes("1400000003000200060000008e78000000000000")
    /// The notification of the default route.
    static let newRoute = bytes(
        """
        34000000180000062a3e0d6bbc78000002000000fe0300010000000008000f00fe000000080005000acf00020800040003000000
        """)
    /// The notification of a multicast route.
    static let newLinkRoute = bytes(
        """
        740000001800000600000000000000000a080000ff0200050000000008000f00ff00000014000100ff0000000000000000000000
        000000000800060000010000080004000300000024000c0000000000000000000000000000000000000000000000000000000000
        000000000500140000000000
        """)

    /// The answer about a link, with the name and the kind from a recorded one.
    static func link(
        _ index: UInt8, flags: String = "43100100", kind: String = "09000100766574680000 0000", number: UInt8 = 1
    ) -> [UInt8] {
        let body = bytes("00000100") + [index, 0, 0, 0] + bytes(flags) + bytes("00000000090003006e65743000000000")
        let info = bytes(kind)
        let attribute = info.isEmpty ? [] : [UInt8(info.count + 4), 0, 0x12, 0] + info
        return message(16, number: number, body + attribute)
    }

    static func address(_ link: UInt8, scope: UInt8 = 0, flags: UInt8 = 0x80, number: UInt8 = 2) -> [UInt8] {
        message(20, number: number, [2, 24, flags, scope, link, 0, 0, 0])
    }

    /// - Parameter link: Nil for a route over several links.
    static func route(_ link: UInt8?, type: UInt8 = 1, prefix: UInt8 = 0, number: UInt8 = 3) -> [UInt8] {
        let attribute: [UInt8] = link.map { [8, 0, 4, 0, $0, 0, 0, 0] } ?? [8, 0, 9, 0, 0, 0, 0, 0]
        return message(24, number: number, [2, prefix, 0, 0, 254, 3, 0, type, 0, 0, 0, 0] + attribute)
    }

    static func end(_ number: UInt8, error: UInt8 = 0) -> [UInt8] { message(3, number: number, [error, 0, 0, 0]) }

    /// A message that is part of an answer, unless it has other flags.
    static func message(_ type: UInt8, flags: UInt8 = 2, number: UInt8 = 0, _ body: [UInt8]) -> [UInt8] {
        let length = UInt16(16 + body.count)
        let start = [UInt8(length & 0xFF), UInt8(length >> 8), 0, 0, type, 0, flags, 0, number]
        return start + [UInt8](repeating: 0, count: 7) + body
    }

    private static func bytes(_ hexadecimal: String) -> [UInt8] {
        let digits = hexadecimal.filter(\.isHexDigit).compactMap { $0.hexDigitValue }
        return stride(from: 0, to: digits.count, by: 2).map { UInt8(digits[$0] << 4 | digits[$0 + 1]) }
    }
}
#endif
