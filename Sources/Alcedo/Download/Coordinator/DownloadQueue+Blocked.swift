// Downloads that wait for others to end.

extension DownloadQueue {
    /// Whether there is a waiting download that could start only if a running one ended.
    package var isShort: Bool { !isPaused && !waiting.isEmpty && nextPriority == nil }

    /// Whether a waiting download could start if the running download `id` ended, or its end would bring that nearer:
    /// after a width was reduced, more may run than there are slots.
    package func holdsUp(_ id: ID) -> Bool {
        guard !isPaused, let place = running[id] else { return false }
        // The bytes of `id` take up the room, or it is one of too many.
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

    /// How long a host waits before a transfer of another one yields to it.
    private static var patience: Duration { .seconds(60) }
    /// How long a transfer keeps its slot at most if yielding costs it its bytes.
    private static var longPatience: Duration { .seconds(600) }

    /// The facts that decide whether a running transfer may yield.
    package struct Transfer: Sendable {
        /// The bytes that it has received in its slot.
        package let bytes: Int
        /// How long it couldn't receive any, because there was no room for them.
        package let pausedTime: Duration
        /// Whether it loses none of its bytes: it continues with them later, or has none.
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

    /// Whether all slots are taken, or more than there are, and a download of a host waits that holds none of them.
    ///
    /// That doesn't depend on room. If there is none, the bytes of the transfer that yields leave the memory, and the
    /// free slot is kept for what waits, which starts as soon as there is room for it.
    var isStuck: Bool { !isPaused && running.count >= width && RequestPriority.allCases.contains(where: hasNewcomer) }

    /// When ``yielding(now:_:)`` is due: when for a minute, a host that holds no slot has waited, and no download has
    /// started. Nil while no such host waits.
    package var nextYield: Duration? { stuckSince.map { $0 + Self.patience } }

    /// The transfer that gives up its slot now, for ``yield(_:now:)``; nil if there is none. If there is one, the next
    /// follows after a minute at the earliest. O(n²) in the number of running downloads.
    ///
    /// It is a transfer of the host that holds the most slots, and its oldest. It is none that is more urgent than what
    /// waits. One that would lose its bytes yields only to a more urgent download, or if a transfer of another host is
    /// twice as fast, or after ten minutes: if all are as slow, the network is, and another transfer would be no
    /// faster.
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

    /// Whether a transfer of another host is at least twice as fast.
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
