// Downloads that wait for others to end.

extension DownloadQueue {
    /// Whether there is a waiting download that could start only if a running one ended.
    package var isShort: Bool { !isPaused && !waiting.isEmpty && nextPriority == nil }

    /// Whether a waiting download could start if the running download `id` ended, or would at least get closer to its
    /// start: after the width was reduced, more downloads may run than there are slots.
    package func holdsUp(_ id: ID) -> Bool {
        guard !isPaused, let place = running[id] else { return false }
        // The bytes of `id` take up the room, or too many downloads run.
        guard hasRoom, running.count <= width else { return !waiting.isEmpty }
        return RequestPriority.allCases.contains { priority in
            !(hasFreeSlot(for: priority) && nextHost(priority) != nil)
                && couldStart(priority, afterEndOf: place)
        }
    }

    private func couldStart(_ priority: RequestPriority, afterEndOf place: Place) -> Bool {
        let freesBackground = place.priority.isBackground
        guard freesBackground || total.hasRoomInBackground(for: priority, width: width) else { return false }
        if hasNewcomer(priority) { return true }
        let (host, turns) = (counts(of: place.host), turns[priority.rawValue])
        let isNext =
            turns.lines[place.host] != nil
            && (freesBackground || host.hasRoomInBackground(for: priority, width: width(of: place.host)))
        if host.running == 1, isNext { return true }
        let isGone = host.running == 1 && host.waiting == 0
        return (isNext || turns.hosts.contains { hasFreeSlot(for: priority, of: $0) })
            && mayShare(running: running.count - 1, hosts: hosts.count - (isGone ? 1 : 0))
    }

    // MARK: Yielding

    /// The time for which a host waits before another host's transfer yields to it.
    private static var patience: Duration { .seconds(60) }
    /// The longest time for which a transfer keeps its slot if yielding would lose its bytes.
    private static var longPatience: Duration { .seconds(600) }

    /// The facts that decide whether a running transfer may yield.
    package struct Transfer: Sendable {
        /// The number of bytes received in its slot.
        package let bytes: Int
        /// The time for which the transfer was paused because there was no room for its bytes.
        package let pausedTime: Duration
        /// Whether yielding loses no bytes: the transfer can be continued later, or has received none.
        package let keepsBytes: Bool
        /// Whether its request may be sent again.
        package let isRepeatable: Bool

        package init(bytes: Int, pausedTime: Duration = .zero, keepsBytes: Bool, isRepeatable: Bool) {
            self.bytes = bytes
            self.pausedTime = pausedTime
            self.keepsBytes = keepsBytes
            self.isRepeatable = isRepeatable
        }
    }

    /// Whether all slots are taken, or more than there are, and a host without any slot has a waiting download.
    ///
    /// This doesn't depend on room: if there is none, yielding frees the memory of the transfer's bytes, and its slot
    /// is kept for the waiting download, which starts as soon as there is room for it.
    var isStuck: Bool { !isPaused && running.count >= width && RequestPriority.allCases.contains(where: hasNewcomer) }

    /// When ``yielding(now:_:)`` is due: after a minute in which a host without a slot has waited and no download has
    /// started. Nil while no such host waits.
    package var nextYield: Duration? { stuckSince.map { $0 + Self.patience } }

    /// Returns the transfer that must yield its slot now, by ``yield(_:now:)``; nil if there is none. The next one
    /// follows after a minute at the earliest. O(n²) in the number of running downloads.
    ///
    /// It is a transfer of the host that holds the most slots, preferably one that loses no bytes, and the oldest of
    /// these. It isn't more urgent than the waiting download. A transfer that would lose its bytes yields only to a
    /// more urgent download, if another host's transfer is more than twice as fast, or after ten minutes: if all are
    /// equally slow, the network is the cause, and another transfer would be no faster.
    package mutating func yielding(now: Duration, _ transfer: (ID) -> Transfer) -> ID? {
        guard let due = nextYield, due <= now,
            let waiting = RequestPriority.allCases.last(where: hasNewcomer)
        else { return nil }
        stuckSince = now
        let all = running.map { (id: $0.key, place: $0.value, transfer($0.key)) }
        let candidates = all.filter { _, place, transfer in
            guard place.priority <= waiting, transfer.isRepeatable else { return false }
            return transfer.keepsBytes || place.priority < waiting || now - place.begun >= Self.longPatience
                || isSlow(transfer, place, all, now)
        }
        func rank(_ place: Place, _ transfer: Transfer) -> (Int, Int, Duration) {
            (-counts(of: place.host).running, transfer.keepsBytes ? 0 : 1, place.begun)
        }
        return candidates.min { rank($0.place, $0.2) < rank($1.place, $1.2) }?.id
    }

    /// Whether another host's transfer is more than twice as fast.
    private func isSlow(
        _ transfer: Transfer, _ place: Place, _ others: [(id: ID, place: Place, Transfer)], _ now: Duration
    ) -> Bool {
        func rate(_ transfer: Transfer, _ place: Place) -> Double {
            Double(transfer.bytes) / max(1, (now - place.begun - transfer.pausedTime) / .seconds(1))
        }
        let own = rate(transfer, place)
        return others.contains { $0.place.host != place.host && rate($0.2, $0.place) > 2 * own }
    }
}
