#if os(Linux)
import Foundation

/// A socket to the part of the kernel that knows interfaces, addresses and routes (rtnetlink(7)).
struct NetlinkSocket: Sendable {
    enum Received {
        case datagram(byteCount: Int)
        /// There is nothing to read.
        case nothing
        /// Notifications were lost, because they weren't read in time.
        case overflow
        case failure
    }

    let descriptor: Int32

    // Constants that the system's module doesn't have, or whose names an optimized build confuses with libcurl's.
    private static let raw: Int32 = 3
    /// RTMGRP_LINK, RTMGRP_IPV4_IFADDR, RTMGRP_IPV4_ROUTE, RTMGRP_IPV6_IFADDR and RTMGRP_IPV6_ROUTE.
    private static let groups: UInt32 = 0x1 | 0x10 | 0x40 | 0x100 | 0x400
    /// The length of a `sockaddr_nl`: family, padding, port at 4, groups at 8.
    private static let addressLength = 12
    /// MSG_TRUNC: the length of a datagram is its own, even if it is too long to be read.
    private static let truncation: Int32 = 0x20

    /// Opens a socket that receives notifications of changes. Nil if the system doesn't permit it.
    init?() {
        // O_CLOEXEC and O_NONBLOCK are SOCK_CLOEXEC and SOCK_NONBLOCK. The protocol is NETLINK_ROUTE.
        descriptor = socket(AF_NETLINK, Self.raw | O_CLOEXEC | O_NONBLOCK, 0)
        guard descriptor >= 0 else { return nil }
        var address = sockaddr()
        address.sa_family = sa_family_t(AF_NETLINK)
        withUnsafeMutableBytes(of: &address) { $0.storeBytes(of: Self.groups, toByteOffset: 8, as: UInt32.self) }
        guard bind(descriptor, &address, socklen_t(Self.addressLength)) == 0 else {
            close()
            return nil
        }
    }

    func close() { Foundation.close(descriptor) }

    /// Asks for all objects of a kind. Returns false on failure.
    func ask(for kind: NetworkSurvey.Kind, number: UInt32) -> Bool {
        var question: [UInt8] = []
        // A `nlmsghdr`: length, type, NLM_F_REQUEST and NLM_F_DUMP, number, port.
        question.append(integer: UInt32(20))
        question.append(integer: kind.rawValue)
        question.append(integer: UInt16(0x301))
        question.append(integer: number)
        question.append(integer: UInt32(0))
        // A `rtgenmsg` for all families, padded.
        question.append(integer: UInt32(0))
        return send(descriptor, question, question.count, 0) == question.count
    }

    /// Reads a datagram without waiting.
    func receive(into buffer: inout [UInt8]) -> Received {
        while true {
            var sender = sockaddr()
            var length = socklen_t(MemoryLayout<sockaddr>.size)
            let count = recvfrom(descriptor, &buffer, buffer.count, Self.truncation, &sender, &length)
            if count >= 0 {
                if count > buffer.count { return .failure }
                // Other programs can send messages too. The kernel's port is 0.
                let port = withUnsafeBytes(of: sender) { $0.load(fromByteOffset: 4, as: UInt32.self) }
                if port == 0 { return .datagram(byteCount: count) }
                continue
            }
            switch errno {
            case EINTR: continue
            case EAGAIN: return .nothing
            case ENOBUFS: return .overflow
            default: return .failure
            }
        }
    }
}
#endif
