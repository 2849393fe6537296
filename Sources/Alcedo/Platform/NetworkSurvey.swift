#if os(Linux)
/// Asks the kernel for all interfaces, addresses and routes, and decides whether there is a network.
///
/// Notifications only start another survey: the kernel doesn't report everything that a change removes, and messages
/// may be lost.
struct NetworkSurvey: Sendable {
    /// The kinds of things to ask for, in this order. The raw values are the types of the questions: RTM_GETLINK,
    /// RTM_GETADDR and RTM_GETROUTE.
    enum Kind: UInt16, Sendable {
        case links = 18
        case addresses = 22
        case routes = 26
    }

    enum Step: Sendable, Hashable {
        case ask(Kind, number: UInt32)
        /// A survey is complete.
        case report(isConnected: Bool)
        /// The kernel doesn't answer, so it isn't known whether there is a network.
        case giveUp
    }

    private struct Link: Sendable {
        let isRunning: Bool
        let isBridge: Bool
    }

    private var links: [Int: Link] = [:]
    /// The links with an address that reaches beyond them.
    private var addressed: Set<Int> = []
    /// The links with a default route; nil for a route over several links.
    private var routed: Set<Int?> = []
    private var number: UInt32 = 0
    /// Nil between two surveys.
    private var kind: Kind?
    /// Whether something has changed since the survey began.
    private var isOutdated = false

    /// Begins the first survey.
    mutating func begin() -> Step {
        (links, addressed, routed, isOutdated) = ([:], [], [], false)
        return ask(.links)
    }

    /// Decides what follows from a datagram.
    ///
    /// - Parameter messages: Its messages; nil if it is damaged.
    mutating func take(_ messages: [NetlinkMessage]?) -> [Step] {
        guard let messages else { return [.giveUp] }
        var steps: [Step] = []
        for message in messages {
            if let question = message.question {
                if question == number { take(answer: message, &steps) }
            } else if message.content != .irrelevant {
                isOutdated = true
            }
        }
        if isOutdated, kind == nil { steps.append(begin()) }
        return steps
    }

    /// Begins another survey, because notifications were lost.
    mutating func missedNotifications() -> [Step] {
        isOutdated = true
        return take([])
    }

    private mutating func take(answer: NetlinkMessage, _ steps: inout [Step]) {
        if answer.isInterrupted { isOutdated = true }
        switch answer.content {
        case .link(let index, let isRunning, let isBridge):
            links[index] = Link(isRunning: isRunning, isBridge: isBridge)
        case .address(let link): addressed.insert(link)
        case .defaultRoute(let link): routed.insert(link)
        case .end: steps.append(next())
        case .failure: steps.append(.giveUp)
        case .change, .irrelevant: break
        }
    }

    private mutating func next() -> Step {
        switch kind {
        case .links: return ask(.addresses)
        case .addresses: return ask(.routes)
        case .routes, nil:
            kind = nil
            return .report(isConnected: isConnected)
        }
    }

    private mutating func ask(_ kind: Kind) -> Step {
        number &+= 1
        self.kind = kind
        return .ask(kind, number: number)
    }

    /// Whether a link that is running has a default route, or an address that reaches beyond it. The address of a
    /// bridge doesn't count: on most machines with one, it leads to their own containers and virtual machines.
    private var isConnected: Bool {
        links.contains { index, link in
            link.isRunning
                && (routed.contains(index) || routed.contains(nil) || addressed.contains(index) && !link.isBridge)
        }
    }
}
#endif
