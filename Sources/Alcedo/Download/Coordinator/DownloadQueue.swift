/// Decides which downloads run. Slots are limited over all hosts and per host. The most urgent downloads get them
/// first, and the hosts of one priority take turns; a host that misses its turn because its slots are taken keeps that
/// turn. Every event returns the downloads to start as a result, in order.
///
/// Finding the next host skips hosts that hold slots, of which there are few. A request or cancellation may move all
/// downloads that wait behind its own, or all hosts, which takes some microseconds for 10,000 of them.
package struct DownloadQueue<ID: Hashable & Sendable>: Sendable {
    package private(set) var isPaused = false
    /// The lowest priority of downloads for whose bytes there is room; nil if there is room for none.
    private var lowestPriority: RequestPriority? = .veryLow
    /// Whether there is room for the bytes of further downloads of any priority.
    package var hasRoom: Bool { lowestPriority == .veryLow }

    private(set) var width: Int
    private(set) var hostWidth: Int
    /// The widths of hosts that have their own.
    private var ownWidths: [String: Int] = [:]
    private var order: DownloadOrder

    struct Place: Sendable, Equatable {
        var host: String
        var priority: RequestPriority
        let rank: HostTurns<ID>.Rank
        /// When the download got its slot.
        var begun = Duration.zero
    }

    private(set) var running: [ID: Place] = [:]
    private(set) var waiting: [ID: Place] = [:]
    private(set) var total = DownloadCounts()
    /// Hosts with running or waiting downloads.
    private(set) var hosts: [String: DownloadCounts] = [:]
    /// The waiting downloads, by priority.
    private(set) var turns = RequestPriority.allCases.map { _ in HostTurns<ID>() }
    /// When a host without a slot began to wait or a download last started, whichever is later; nil if no such host
    /// waits.
    var stuckSince: Duration?
    private(set) var bucket: TokenBucket?
    private var lastArrival = 0
    private var lastMove = 0

    package init(
        width: Int, hostWidth: Int, order: DownloadOrder = .firstInFirstOut, startRate: StartRate? = nil
    ) {
        self.width = width
        self.hostWidth = hostWidth
        self.order = order
        bucket = startRate.map(TokenBucket.init)
    }

    package var runningCount: Int { running.count }
    package var waitingCount: Int { waiting.count }
    /// The number of waiting downloads, for each host that has any. O(hosts).
    package var waitingByHost: [String: Int] { hosts.mapValues(\.waiting).filter { $0.value > 0 } }
    /// When ``startWaiting(now:)`` is due because the start rate delays a download that could start; nil when it delays
    /// none.
    package var nextStart: Duration? { bucket.flatMap { nextPriority == nil ? nil : $0.nextToken } }

    // MARK: Events

    /// Requests a slot. Requesting it again changes nothing.
    ///
    /// Downloads are ordered by the numbers of their loads, some of which search the disk for longer than others, and
    /// those with the same number by arrival.
    package mutating func request(
        _ id: ID, host: String, load: UInt64 = 0, priority: RequestPriority, now: Duration
    ) -> [ID] {
        guard running[id] == nil, waiting[id] == nil else { return [] }
        lastArrival += 1
        let sign = order == .firstInFirstOut ? 1 : -1
        let rank = HostTurns<ID>.Rank(load: sign * Int(load), arrival: sign * lastArrival)
        addWaiting(id, Place(host: host, priority: priority, rank: rank))
        return startWaiting(now: now)
    }

    /// Releases a slot, or removes a waiting download. Unknown ids change nothing.
    package mutating func release(_ id: ID, now: Duration) -> [ID] {
        guard removeRunning(id) ?? removeWaiting(id) != nil else { return [] }
        return startWaiting(now: now)
    }

    /// Releases the slot of a download that yields. The other downloads of its host have their turn after those of all
    /// other hosts.
    package mutating func yield(_ id: ID, now: Duration) -> [ID] {
        if let host = running[id]?.host {
            for priority in turns.indices { turns[priority].postpone(host) }
        }
        return release(id, now: now)
    }

    /// Changes a download's priority. A waiting download moves to the position that its arrival gives it within the new
    /// priority. A running one continues and counts with the new priority. Unknown ids change nothing.
    package mutating func setPriority(_ id: ID, _ priority: RequestPriority, now: Duration) -> [ID] {
        guard let old = (running[id] ?? waiting[id])?.priority, old != priority else { return [] }
        if var place = removeRunning(id) {
            place.priority = priority
            addRunning(id, place)
        } else if var place = removeWaiting(id) {
            place.priority = priority
            addWaiting(id, place)
        }
        return startWaiting(now: now)
    }

    /// Starts no download until ``resume(now:)``. Running downloads continue.
    package mutating func pause() {
        isPaused = true
        stuckSince = nil
    }

    package mutating func resume(now: Duration) -> [ID] {
        isPaused = false
        return startWaiting(now: now)
    }

    /// Sets for which downloads' bytes there is room. Room is short while too many bytes wait to be decoded.
    ///
    /// - Parameter lowest: The lowest priority of the downloads that may start; nil if none may.
    package mutating func setRoom(from lowest: RequestPriority?, now: Duration) -> [ID] {
        guard lowest != lowestPriority else { return [] }
        lowestPriority = lowest
        return startWaiting(now: now)
    }

    /// Moves a running download to another host, where it continues immediately if that host has a free slot. Otherwise
    /// it releases its slot and waits for one there, ahead of all downloads of its priority. If it may continue, the
    /// returned ids include it.
    package mutating func move(_ id: ID, toHost host: String, now: Duration) -> [ID] {
        guard var place = running[id] else { return [] }
        if host == place.host { return [id] }
        _ = removeRunning(id)
        let hasSlot = hasFreeSlot(for: place.priority, of: host)
        if hasSlot {
            place.host = host
            addRunning(id, place)
        } else {
            lastMove += 1
            // Ranks below every load.
            let rank = HostTurns<ID>.Rank(load: .min, arrival: lastMove)
            addWaiting(id, Place(host: host, priority: place.priority, rank: rank))
        }
        return (hasSlot ? [id] : []) + startWaiting(now: now)
    }

    /// Sets the width of one host, at least 1; nil restores the default. Running downloads continue, even above it.
    package mutating func setHostWidth(_ host: String, _ width: Int?, now: Duration) -> [ID] {
        ownWidths[host] = width
        return startWaiting(now: now)
    }

    /// Changes the number of slots. Running downloads continue, even above it.
    package mutating func setWidth(_ width: Int, now: Duration) -> [ID] {
        self.width = width
        return startWaiting(now: now)
    }

    /// Changes the number of slots of each host that doesn't have its own width. Running downloads continue, even above
    /// it.
    package mutating func setHostWidth(_ width: Int, now: Duration) -> [ID] {
        hostWidth = width
        return startWaiting(now: now)
    }

    /// Changes the order of downloads that request a slot from now on.
    package mutating func setOrder(_ order: DownloadOrder) { self.order = order }

    // MARK: Starting

    /// Whether the slots over all hosts permit a download of a priority to start.
    func hasFreeSlot(for priority: RequestPriority) -> Bool { total.hasFreeSlot(for: priority, width: width) }

    /// Whether its host's slots permit a download of a priority to start.
    func hasFreeSlot(for priority: RequestPriority, of host: String) -> Bool {
        counts(of: host).hasFreeSlot(for: priority, width: width(of: host))
    }

    func counts(of host: String) -> DownloadCounts { hosts[host] ?? DownloadCounts() }

    func width(of host: String) -> Int { ownWidths[host] ?? hostWidth }

    /// Whether a host that holds a slot may take another one.
    func mayShare(running: Int, hosts: Int) -> Bool { running < width - width / 3 || hosts == 1 }

    /// The highest priority with a download that could start, ignoring the start rate.
    var nextPriority: RequestPriority? { next.flatMap { mayStart($0.priority) ? $0.priority : nil } }

    /// The highest priority with a download that could start if there were room for its bytes; nil if none lacks room.
    var priorityWithoutRoom: RequestPriority? { next.flatMap { mayStart($0.priority) ? nil : $0.priority } }

    private func mayStart(_ priority: RequestPriority) -> Bool { lowestPriority.map { $0 <= priority } ?? false }

    /// The highest priority with a download that slots permit to start, and the position of its host.
    private var next: (priority: RequestPriority, position: Int)? {
        if isPaused { return nil }
        for priority in RequestPriority.allCases.reversed() where hasFreeSlot(for: priority) {
            if let position = nextHost(priority) { return (priority, position) }
        }
        return nil
    }

    /// The position of the host whose turn it is.
    func nextHost(_ priority: RequestPriority) -> Int? {
        let mayShare = mayShare(running: running.count, hosts: hosts.count)
        return turns[priority.rawValue].hosts.firstIndex {
            counts(of: $0).running == 0 || mayShare && hasFreeSlot(for: priority, of: $0)
        }
    }

    /// Whether a host that holds no slot has a waiting download of a priority.
    func hasNewcomer(_ priority: RequestPriority) -> Bool {
        turns[priority.rawValue].hosts.contains { counts(of: $0).running == 0 }
    }

    /// Starts the downloads that may start now. Every event does so. When only time has passed, the call is due at
    /// ``nextStart``.
    package mutating func startWaiting(now: Duration) -> [ID] {
        bucket?.advance(to: now)
        var started: [ID] = []
        while let (priority, position) = next, mayStart(priority), bucket?.take() ?? true,
            let id = turns[priority.rawValue].removeFirst(ofHostAt: position),
            var place = waiting.removeValue(forKey: id)
        {
            count(place.host) { $0.waiting -= 1 }
            place.begun = now
            addRunning(id, place)
            started.append(id)
        }
        if !isStuck {
            stuckSince = nil
        } else if stuckSince == nil || !started.isEmpty {
            stuckSince = now
        }
        giveBackRoom()
        return started
    }

    // MARK: Places

    private mutating func addWaiting(_ id: ID, _ place: Place) {
        waiting[id] = place
        turns[place.priority.rawValue].insert(id, rank: place.rank, host: place.host)
        count(place.host) { $0.waiting += 1 }
    }

    private mutating func removeWaiting(_ id: ID) -> Place? {
        guard let place = waiting.removeValue(forKey: id) else { return nil }
        turns[place.priority.rawValue].remove(rank: place.rank, host: place.host)
        count(place.host) { $0.waiting -= 1 }
        return place
    }

    private mutating func addRunning(_ id: ID, _ place: Place) {
        running[id] = place
        count(place.host) { $0.addRunning(place.priority) }
    }

    private mutating func removeRunning(_ id: ID) -> Place? {
        guard let place = running.removeValue(forKey: id) else { return nil }
        count(place.host) { $0.removeRunning(place.priority) }
        return place
    }

    private mutating func count(_ host: String, _ change: (inout DownloadCounts) -> Void) {
        change(&total)
        change(&hosts[host, default: DownloadCounts()])
        if hosts[host] == DownloadCounts() { hosts[host] = nil }
    }

    /// Releases the memory that many downloads needed, once none waits.
    private mutating func giveBackRoom() {
        guard waiting.isEmpty, waiting.capacity > 64 else { return }
        waiting = [:]
        turns = turns.map { _ in HostTurns() }
        hosts.giveBackRoom()
    }
}
