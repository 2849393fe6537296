@testable import Alcedo

// Invariants of the queue of downloads between two calls.

extension HostTable {
    /// The reserved capacity.
    var capacity: Int {
        indices.capacity + rows.count + rows.reduce(0) { $0 + $1.queues.reduce(0) { $0 + $1.places.capacity } }
    }

    /// Describes a broken invariant, or nil when there is none.
    var brokenInvariant: String? {
        if indices.count + free.count != rows.count { return "an index is lost, or two hosts' at once" }
        if indices.contains(where: { names[$0.value.position] != $0.key }) { return "a host is at another's index" }
        let isSound = indices.allSatisfy { rows[$0.value.position].width == ownWidths[$0.key] ?? width }
        return isSound ? nil : "a host's width is not its own"
    }
}

extension DownloadQueue {
    /// The capacity reserved for waiting downloads and hosts.
    var capacity: Int {
        waiting.capacity + hosts.capacity + ready.reduce(0) { $0 + $1.newcomers.capacity + $1.holders.capacity }
    }

    /// The number of hosts considered for the next start, over all priorities.
    var readyCount: Int { ready.reduce(0) { $0 + $1.newcomers.count + $1.holders.count } }

    /// Describes a broken invariant, or nil when there is none.
    var brokenInvariant: String? {
        if running.values.count(where: \.priority.isBackground) != runningInBackground {
            return "the background downloads are miscounted"
        }
        if running.keys.contains(where: { waiting[$0] != nil }) { return "a download both runs and waits" }
        if nextPriority != nil, bucket?.hasToken ?? true { return "a download waits although it could start" }
        return hosts.brokenInvariant ?? brokenQueue ?? brokenHost ?? brokenList
    }

    private var brokenQueue: String? {
        var queued = 0
        for host in hosts.indices.values {
            for priority in RequestPriority.allCases {
                let places = hosts[host].queues[priority.rawValue].places
                if let broken = places.brokenInvariant { return broken }
                for (rank, id) in places.contents {
                    if waiting[id] != Place(host: host, priority: priority, rank: rank) {
                        return "a queue entry has no download"
                    }
                }
                queued += places.count
            }
        }
        return queued == waiting.count ? nil : "a waiting download is in no queue"
    }

    private var brokenHost: String? {
        let runningByHost = Dictionary(grouping: running.values, by: \.host)
        let present = Set(hosts.indices.values)
        if present.contains(where: { hosts[$0].isIdle }) { return "an idle host is still listed" }
        let isMiscounted = present.contains { host in
            let places = runningByHost[host, default: []]
            return hosts[host].runningCount != places.count
                || hosts[host].runningInBackground != places.count(where: \.priority.isBackground)
        }
        if isMiscounted { return "the running downloads of a host are miscounted" }
        return present.isSuperset(of: runningByHost.keys) ? nil : "one runs of an unknown host"
    }

    private var brokenList: String? {
        for priority in RequestPriority.allCases {
            let lists = ready[priority.rawValue]
            for (list, holdsSlots) in [(lists.newcomers, false), (lists.holders, true)] {
                if let broken = list.brokenInvariant { return broken }
                for (turn, host) in list.contents where hosts[host].turn(priority.rawValue) != turn {
                    return "a host is listed with a turn that it does not have"
                }
                let couldStart = hosts.indices.values.count {
                    hosts[$0].turn(priority.rawValue) != nil && hosts[$0].hasFreeSlot(for: priority)
                        && (hosts[$0].runningCount > 0) == holdsSlots
                }
                if list.count != couldStart { return "the hosts listed are not those that could start" }
            }
        }
        return nil
    }
}
