import AlcedoTestSupport

/// The events at each tier in a part of the experiment.
struct ServerSidePart: Sendable {
    let shares: [Share]
    let proxyAnswers: [CachingProxy.Answer]
    let originRequests: [PictureOrigin.Request]
    let duration: Duration

    private var all: Share { Share.sum(of: shares, name: "all") }

    /// The number of requests by the program's callers.
    var requests: Int { shares.reduce(0) { $0 + $1.answers.count } }
    /// The different images that were requested.
    var pictures: Set<Int> { Set(shares.flatMap(\.answers).map(\.number)) }
    /// The number of answers that the proxy had without waiting for the origin.
    var fromProxyCache: Int { proxyAnswers.count { $0.outcome?.isFromCache == true } }
    /// The number of requests for which the origin sent an image, not a confirmation.
    var sentByOrigin: Int { originRequests.count { !$0.isConfirmation } }

    /// The combined loads of a machine's processes.
    func share(ofMachine machine: Int, name: String) -> Share {
        Share.sum(of: shares.filter { $0.name.hasPrefix("\(machine)") }, name: name)
    }

    /// A tier, with the requests that reached it and those that it answered.
    struct Tier {
        let name: String
        let requests: Int
        let answered: Int
    }

    /// The tiers, from the callers to the origin.
    var tiers: [Tier] {
        let (all, waited) = (all, proxyAnswers.count - fromProxyCache)
        let onDisk = requests - all.count(.memory)
        let shared = onDisk - all.count(.disk)
        return [
            Tier(name: "memory", requests: requests, answered: all.count(.memory)),
            Tier(name: "disk", requests: onDisk, answered: all.count(.disk)),
            Tier(name: "a load under way", requests: shared, answered: all.count(.shared)),
            Tier(name: "proxy", requests: proxyAnswers.count, answered: fromProxyCache),
            Tier(name: "origin", requests: waited, answered: waited),
        ]
    }
}
