@testable import Alcedo

// Invariants of the download queue between two calls.

extension HostTurns {
    /// The reserved capacity.
    var capacity: Int { hosts.capacity + lines.capacity + lines.values.reduce(0) { $0 + $1.entries.capacity } }

    /// Describes a broken invariant, or nil when there is none.
    var brokenInvariant: String? {
        if Set(hosts).count != hosts.count || Set(hosts) != Set(lines.keys) { return "a host has not one turn" }
        if lines.values.contains(where: \.isEmpty) { return "an empty line has a turn" }
        return lines.values.lazy.compactMap(\.brokenInvariant).first
    }
}

extension DownloadQueue {
    /// The capacity reserved for waiting downloads and hosts.
    var capacity: Int { waiting.capacity + hosts.capacity + turns.reduce(0) { $0 + $1.capacity } }

    /// Describes a broken invariant, or nil when there is none.
    var brokenInvariant: String? {
        if running.keys.contains(where: { waiting[$0] != nil }) { return "a download both runs and waits" }
        if nextPriority != nil, bucket?.hasToken ?? true { return "a download waits although it could start" }
        return turns.lazy.compactMap(\.brokenInvariant).first ?? brokenLine ?? brokenCount
    }

    private var brokenLine: String? {
        var count = 0
        for priority in RequestPriority.allCases {
            for (host, line) in turns[priority.rawValue].lines {
                for (rank, id) in line.entries
                where waiting[id] != Place(host: host, priority: priority, rank: rank) {
                    return "an entry of a line has no download"
                }
                count += line.entries.count
            }
        }
        return count == waiting.count ? nil : "a waiting download is in no line"
    }

    private var brokenCount: String? {
        var (total, hosts) = (DownloadCounts(), [String: DownloadCounts]())
        for place in running.values {
            total.addRunning(place.priority)
            hosts[place.host, default: DownloadCounts()].addRunning(place.priority)
        }
        for place in waiting.values {
            total.waiting += 1
            hosts[place.host, default: DownloadCounts()].waiting += 1
        }
        return total == self.total && hosts == self.hosts ? nil : "the downloads are miscounted"
    }
}
