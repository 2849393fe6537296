/// The waiting downloads of one priority in a ``DownloadQueue``: a line for each host. Hosts take turns.
struct HostTurns<ID: Sendable>: Sendable {
    /// Within a line, the lowest rank starts first.
    struct Rank: Comparable, Sendable {
        let load: Int
        let arrival: Int

        static func < (one: Rank, other: Rank) -> Bool { (one.load, one.arrival) < (other.load, other.arrival) }
    }

    /// The hosts with waiting downloads, the next one first.
    private(set) var hosts: [String] = []
    private(set) var lines: [String: SortedList<Rank, ID>] = [:]

    /// Adds a download. If it is the only one of its host, the host gets the last turn.
    mutating func insert(_ id: ID, rank: Rank, host: String) {
        if lines[host] == nil { hosts.append(host) }
        lines[host, default: SortedList()].insert(id, rank: rank)
    }

    /// Removes a download, which must be in its host's line.
    mutating func remove(rank: Rank, host: String) {
        lines.modify(host) { $0.remove(rank: rank) }
        guard lines[host]?.isEmpty == true else { return }
        lines[host] = nil
        if let position = hosts.firstIndex(of: host) { hosts.remove(at: position) }
    }

    /// Removes the first download of the host at a position. The host gets the last turn if it has more downloads.
    mutating func removeFirst(ofHostAt position: Int) -> ID? {
        let host = hosts.remove(at: position)
        let first = lines.modify(host) { $0.removeFirst() }
        if lines[host]?.isEmpty == true { lines[host] = nil } else { hosts.append(host) }
        return first ?? nil
    }

    /// Gives a host the last turn, if it has waiting downloads.
    mutating func postpone(_ host: String) {
        guard let position = hosts.firstIndex(of: host) else { return }
        hosts.append(hosts.remove(at: position))
    }
}
