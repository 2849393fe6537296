#if os(Linux)
/// A message of the kernel about the network (rtnetlink(7)), reduced to what decides whether there is one.
///
/// The numbers in it have the machine's byte order, which is little-endian wherever Swift runs on Linux.
struct NetlinkMessage: Sendable, Hashable {
    enum Content: Sendable, Hashable {
        /// An interface. A loopback interface counts as not running.
        case link(Int, isRunning: Bool, isBridge: Bool)
        /// An address of a link that reaches beyond it.
        case address(ofLink: Int)
        /// A route to all addresses; nil if it has several links.
        case defaultRoute(overLink: Int?)
        /// A removal, or an address or route that can't be used.
        case change
        /// The end of an answer.
        case end
        case failure
        case irrelevant
    }

    /// The number of the question that this answers; nil for a notification.
    let question: UInt32?
    /// Whether something changed while the answer was being collected, so that it may be incomplete.
    let isInterrupted: Bool
    let content: Content

    /// The messages in a datagram; nil if it is damaged.
    static func all(in datagram: Span<UInt8>) -> [NetlinkMessage]? {
        var messages: [NetlinkMessage] = []
        var offset = 0
        while offset < datagram.count {
            guard let length = datagram.littleLong(at: offset), length >= headerLength,
                length <= datagram.count - offset,
                let message = NetlinkMessage(datagram.extracting(offset..<offset + length))
            else { return nil }
            messages.append(message)
            offset += (length + 3) & ~3
        }
        return messages
    }

    private static var headerLength: Int { 16 }

    private init?(_ message: Span<UInt8>) {
        guard let type = message.littleWord(at: 4), let flags = message.littleWord(at: 6),
            let number = message.littleLong(at: 8),
            let content = Self.content(type, message.extracting(Self.headerLength..<message.count))
        else { return nil }
        // NLM_F_MULTI distinguishes answers from notifications, which carry the numbers of the programs that made the
        // change. An error has no such flag, but is sent to the program that asked.
        let isAnswer = flags & 2 != 0 || type == 2
        question = isAnswer ? UInt32(truncatingIfNeeded: number) : nil
        // NLM_F_DUMP_INTR
        isInterrupted = flags & 0x10 != 0
        self.content = content
    }

    /// The content of a message; nil if it is too short. The types are from linux/netlink.h and linux/rtnetlink.h.
    private static func content(_ type: Int, _ body: Span<UInt8>) -> Content? {
        switch type {
        // NLMSG_ERROR and NLMSG_DONE, which begin with an error number.
        case 2: body.littleLong(at: 0).map { $0 == 0 ? .irrelevant : .failure }
        case 3: body.littleLong(at: 0) ?? 0 == 0 ? .end : .failure
        // RTM_NEWLINK and RTM_DELLINK
        case 16: link(body)
        case 17: .change
        // RTM_NEWADDR and RTM_DELADDR
        case 20: address(body)
        case 21: .change
        // RTM_NEWROUTE and RTM_DELROUTE
        case 24: route(body)
        case 25: route(body).map { $0 == .irrelevant ? .irrelevant : .change }
        default: .irrelevant
        }
    }

    /// Reads an `ifinfomsg` and its attributes.
    private static func link(_ body: Span<UInt8>) -> Content? {
        guard let index = body.littleLong(at: 4), let flags = body.littleLong(at: 8), body.count >= 16,
            let attributes = Attributes(body.extracting(16..<body.count))
        else { return nil }
        // IFF_UP and IFF_RUNNING without IFF_LOOPBACK
        let isRunning = flags & 0x49 == 0x41
        // IFLA_LINKINFO with IFLA_INFO_KIND
        guard let info = attributes.range(of: 18) else {
            return .link(index, isRunning: isRunning, isBridge: false)
        }
        let kinds = body.extracting(16..<body.count).extracting(info)
        guard let nested = Attributes(kinds) else { return nil }
        let isBridge = nested.range(of: 1).map { kinds.extracting($0).has("bridge\0", at: 0) } ?? false
        return .link(index, isRunning: isRunning, isBridge: isBridge)
    }

    /// Reads an `ifaddrmsg` and its attributes.
    private static func address(_ body: Span<UInt8>) -> Content? {
        guard let family = body.byte(at: 0), let byteFlags = body.byte(at: 2), let scope = body.byte(at: 3),
            let index = body.littleLong(at: 4), let attributes = Attributes(body.extracting(8..<body.count))
        else { return nil }
        // IFA_FLAGS, which has more flags than the byte.
        let flags = number(attributes.range(of: 8), in: body, from: 8) ?? Int(byteFlags)
        // IFA_F_DADFAILED, and IFA_F_TENTATIVE without IFA_F_OPTIMISTIC.
        let isTentative = flags & 0x08 != 0 || flags & 0x44 == 0x40
        // From RT_SCOPE_LINK on, it reaches no further than the link.
        return isInternet(family) && scope < 253 && !isTentative ? .address(ofLink: index) : .change
    }

    /// Reads an `rtmsg` and its attributes.
    private static func route(_ body: Span<UInt8>) -> Content? {
        guard let family = body.byte(at: 0), let prefix = body.byte(at: 1), let type = body.byte(at: 7),
            body.count >= 12, let attributes = Attributes(body.extracting(12..<body.count))
        else { return nil }
        guard isInternet(family), prefix == 0 else { return .irrelevant }
        // RTN_UNICAST; others refuse packets.
        guard type == 1 else { return .change }
        // RTA_OIF
        return .defaultRoute(overLink: number(attributes.range(of: 4), in: body, from: 12))
    }

    /// The number that is an attribute's value; nil if there is none.
    private static func number(_ range: Range<Int>?, in body: Span<UInt8>, from start: Int) -> Int? {
        guard let range, range.count >= 4 else { return nil }
        return body.littleLong(at: start + range.lowerBound)
    }

    /// AF_INET and AF_INET6.
    private static func isInternet(_ family: UInt8) -> Bool { family == 2 || family == 10 }

    /// The attributes that follow the fixed part of a message.
    private struct Attributes {
        private var ranges: [Int: Range<Int>] = [:]

        /// Nil if they are damaged.
        init?(_ bytes: Span<UInt8>) {
            var offset = 0
            while bytes.count - offset >= 4 {
                guard let length = bytes.littleWord(at: offset), let type = bytes.littleWord(at: offset + 2),
                    length >= 4, length <= bytes.count - offset
                else { return nil }
                // The upper two bits say how the value is written.
                ranges[type & 0x3FFF] = offset + 4..<offset + length
                offset += (length + 3) & ~3
            }
        }

        /// The place of an attribute's value, counted from the first attribute; nil if there is none.
        func range(of type: Int) -> Range<Int>? { ranges[type] }
    }
}
#endif
