/// Decides which downloads run: a number of slots over all hosts and per host, the most urgent downloads first.
///
/// Within a priority, hosts take turns, so that a host with many or slow downloads doesn't hold up the others. A host
/// that misses its turn because its slots are taken keeps that turn. Within a host and priority, the download of the
/// first or the last load starts first. At most half of all slots and half of each host's, but at least one, are
/// available to the priorities meant for prefetching. The last third of all slots is available only to hosts that hold
/// none, unless there is but one host. Every event returns the downloads to start as a result, in order.
///
/// If a host that holds no slot has to wait too long, a transfer of another one yields; see ``nextYield``.
///
/// While there is no room for the bytes of further downloads, at most those of high priority start; see
/// ``setRoom(from:now:)``.
///
/// An event costs O(log n) in the number of waiting downloads. A host without a free slot costs the others nothing,
/// because only hosts with a download that could start are listed.
package struct DownloadQueue<ID: Hashable & Sendable>: Sendable {
    package private(set) var isPaused = false
    /// The lowest priority whose downloads may start as far as there is room for their bytes; nil if none may.
    private var lowestPriority: RequestPriority? = .veryLow
    /// Whether there is room for the bytes of further downloads, whatever their priority.
    package var hasRoom: Bool { lowestPriority == .veryLow }

    private(set) var width: Int
    private var order: DownloadOrder

    struct Place: Sendable, Equatable {
        let host: HostTable<ID>.Index
        var priority: RequestPriority
        let rank: Rank
        /// When it got its slot.
        var begun = Duration.zero
    }

    /// Hosts that have a waiting download and a free slot, ordered by turn.
    struct ReadyHosts: Sendable {
        /// Hosts that hold no slot.
        var newcomers = LazyHeap<Int, HostTable<ID>.Index>()
        /// Hosts that hold slots.
        var holders = LazyHeap<Int, HostTable<ID>.Index>()
    }

    /// Within a host and priority, the lowest rank starts first.
    struct Rank: Comparable, Hashable, Sendable {
        let load: Int
        let arrival: Int

        static func < (one: Rank, other: Rank) -> Bool { (one.load, one.arrival) < (other.load, other.arrival) }
    }

    private(set) var running: [ID: Place] = [:]
    private(set) var runningInBackground = 0
    private(set) var waiting: [ID: Place] = [:]
    /// Hosts with running or waiting downloads.
    private(set) var hosts: HostTable<ID>
    /// By priority.
    private(set) var ready = RequestPriority.allCases.map { _ in ReadyHosts() }
    /// Since when a host without a slot has waited and no download has started; nil if none waits.
    var stuckSince: Duration?
    private(set) var bucket: TokenBucket?
    private var lastArrival = 0
    private var lastTurn = 0
    private var lastMove = 0

    /// - Parameters:
    ///   - width: The maximum number of running downloads; at least 1.
    ///   - hostWidth: The maximum number of running downloads per host; at least 1.
    ///   - order: The order within a host and priority.
    ///   - startRate: How fast downloads may start; nil for no limit.
    package init(
        width: Int, hostWidth: Int, order: DownloadOrder = .firstInFirstOut, startRate: StartRate? = nil
    ) {
        self.width = width
        hosts = HostTable(width: hostWidth)
        self.order = order
        bucket = startRate.map(TokenBucket.init)
    }

    package var runningCount: Int { running.count }
    package var waitingCount: Int { waiting.count }
    /// The number of waiting downloads, for each host that has any. O(hosts).
    package var waitingByHost: [String: Int] {
        hosts.indices.mapValues { hosts[$0].waitingCount }.filter { $0.value > 0 }
    }
    /// When ``tick(now:)`` is due because the start rate delays a download that could start; nil when it delays none.
    package var nextStart: Duration? { bucket.flatMap { nextPriority == nil ? nil : $0.nextToken } }

    // MARK: Events

    /// Requests a slot. Requesting it again changes nothing.
    ///
    /// - Parameters:
    ///   - host: The key that the per-host limit counts by, such as "https://example.org".
    ///   - load: Orders the downloads by their loads, some of which search the disk for longer than others. Those with
    ///     the same number, such as all without one, are in the order of their arrival.
    ///   - now: The current time, on the clock used for all events.
    package mutating func request(
        _ id: ID, host: String, load: UInt64 = 0, priority: RequestPriority, now: Duration
    ) -> [ID] {
        guard running[id] == nil, waiting[id] == nil else { return [] }
        lastArrival += 1
        let sign = order == .firstInFirstOut ? 1 : -1
        let rank = Rank(load: sign * Int(load), arrival: sign * lastArrival)
        let host = hosts.index(of: host)
        waiting[id] = Place(host: host, priority: priority, rank: rank)
        let turn = takeTurn()
        change(host) { $0.add(id, rank: rank, priority: priority, turn: turn) }
        return startWaiting(now: now)
    }

    /// Releases a slot, or removes a waiting download. Unknown ids change nothing.
    package mutating func release(_ id: ID, now: Duration) -> [ID] {
        remove(id) ? startWaiting(now: now) : []
    }

    /// Releases the slot of a download that yields. The other downloads of its host have their turn after those of all
    /// other hosts.
    package mutating func yield(_ id: ID, now: Duration) -> [ID] {
        if let host = running[id]?.host {
            let turns = RequestPriority.allCases.map { _ in takeTurn() }
            change(host) { $0.setTurns(turns) }
        }
        return release(id, now: now)
    }

    /// Returns false for an unknown id.
    private mutating func remove(_ id: ID) -> Bool {
        if let place = running.removeValue(forKey: id) {
            if place.priority.isBackground { runningInBackground -= 1 }
            change(place.host) { $0.release(place.priority) }
        } else if let place = waiting.removeValue(forKey: id) {
            change(place.host) { $0.remove(rank: place.rank, priority: place.priority) }
        } else {
            return false
        }
        giveBackRoom()
        return true
    }

    /// Changes a download's priority. A waiting download moves to the position that its arrival gives it within the new
    /// priority. A running one continues and counts with the new priority. Unknown ids change nothing.
    package mutating func setPriority(_ id: ID, _ priority: RequestPriority, now: Duration) -> [ID] {
        guard let place = running[id] ?? waiting[id], place.priority != priority else { return [] }
        if running[id] != nil {
            running[id]?.priority = priority
            if place.priority.isBackground { runningInBackground -= 1 }
            if priority.isBackground { runningInBackground += 1 }
            change(place.host) {
                $0.release(place.priority)
                $0.take(priority)
            }
        } else {
            waiting[id]?.priority = priority
            let turn = takeTurn()
            change(place.host) {
                $0.remove(rank: place.rank, priority: place.priority)
                $0.add(id, rank: place.rank, priority: priority, turn: turn)
            }
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

    /// Sets for the bytes of which downloads there is room. There is little while too many wait to be decoded.
    ///
    /// - Parameter lowest: The lowest priority of the downloads that may start; nil if none may.
    package mutating func setRoom(from lowest: RequestPriority?, now: Duration) -> [ID] {
        guard lowest != lowestPriority else { return [] }
        lowestPriority = lowest
        return startWaiting(now: now)
    }

    /// Moves a running download to another host, where it continues at once if that host has a free slot. Otherwise it
    /// releases its slot and waits for one there, ahead of all downloads of its priority. If it may continue, the
    /// returned ids include it.
    package mutating func move(_ id: ID, toHost name: String, now: Duration) -> [ID] {
        guard let place = running[id] else { return [] }
        let host = hosts.index(of: name)
        if host == place.host { return [id] }
        let hasSlot = hosts[host].hasFreeSlot(for: place.priority)
        if hasSlot {
            running[id] = Place(host: host, priority: place.priority, rank: place.rank, begun: place.begun)
            change(host) { $0.take(place.priority) }
        } else {
            lastMove += 1
            // Below the rank of every load.
            let rank = Rank(load: .min, arrival: lastMove)
            let turn = takeTurn()
            running[id] = nil
            if place.priority.isBackground { runningInBackground -= 1 }
            waiting[id] = Place(host: host, priority: place.priority, rank: rank)
            change(host) { $0.add(id, rank: rank, priority: place.priority, turn: turn) }
        }
        change(place.host) { $0.release(place.priority) }
        giveBackRoom()
        return (hasSlot ? [id] : []) + startWaiting(now: now)
    }

    /// Sets the width of one host, at least 1; nil restores the default. Running downloads continue, even above it.
    package mutating func setHostWidth(_ host: String, _ width: Int?, now: Duration) -> [ID] {
        let index = hosts.indices[host]
        if let index { unlist(index) }
        hosts.setWidth(width, of: host)
        if let index { list(index) }
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
        let indices = hosts.indices.values
        for host in indices { unlist(host) }
        hosts.setWidth(width)
        for host in indices { list(host) }
        return startWaiting(now: now)
    }

    /// Changes the order of downloads that request a slot from now on.
    package mutating func setOrder(_ order: DownloadOrder) { self.order = order }

    /// Starts what may start after time has passed. It is due at ``nextStart`` and allowed at any time.
    package mutating func tick(now: Duration) -> [ID] { startWaiting(now: now) }

    // MARK: Starting

    private var backgroundWidth: Int { max(1, width / 2) }

    /// Whether a download of a priority may start as far as the others for prefetching go.
    func hasRoomInBackground(_ priority: RequestPriority) -> Bool {
        !priority.isBackground || runningInBackground < backgroundWidth
    }

    /// Whether a host that holds a slot may take another one.
    func mayShare(running: Int, hosts: Int) -> Bool { running < width - width / 3 || hosts == 1 }

    /// The highest priority with a download that could start, ignoring the start rate.
    var nextPriority: RequestPriority? { readyPriority.flatMap { mayStart($0) ? $0 : nil } }

    /// The highest priority with a download that could start if there were room for its bytes; nil if none lacks room.
    var priorityWithoutRoom: RequestPriority? { readyPriority.flatMap { mayStart($0) ? nil : $0 } }

    private func mayStart(_ priority: RequestPriority) -> Bool { lowestPriority.map { $0 <= priority } ?? false }

    private var readyPriority: RequestPriority? {
        guard !isPaused, running.count < width else { return nil }
        return RequestPriority.allCases.last { priority in
            nextHost(priority) != nil && hasRoomInBackground(priority)
        }
    }

    /// The host whose turn it is.
    func nextHost(_ priority: RequestPriority) -> HostTable<ID>.Index? {
        let newcomer = ready[priority.rawValue].newcomers.first
        guard let holder = ready[priority.rawValue].holders.first,
            mayShare(running: running.count, hosts: hosts.indices.count)
        else { return newcomer }
        guard let newcomer, let turn = hosts[newcomer].turn(priority.rawValue) else { return holder }
        return turn < hosts[holder].turn(priority.rawValue) ?? .max ? newcomer : holder
    }

    private mutating func startWaiting(now: Duration) -> [ID] {
        bucket?.advance(to: now)
        var started: [ID] = []
        while let priority = nextPriority, bucket?.take() ?? true, let id = startFirst(of: priority, now: now) {
            started.append(id)
        }
        if !started.isEmpty { giveBackRoom() }
        if !isStuck {
            stuckSince = nil
        } else if stuckSince == nil || !started.isEmpty {
            stuckSince = now
        }
        return started
    }

    private mutating func startFirst(of priority: RequestPriority, now: Duration) -> ID? {
        guard let host = nextHost(priority) else { return nil }
        let turn = takeTurn()
        guard let id = change(host, { $0.startFirst(of: priority, nextTurn: turn) }) else { return nil }
        running[id] = waiting.removeValue(forKey: id)
        running[id]?.begun = now
        if priority.isBackground { runningInBackground += 1 }
        return id
    }

    // MARK: Hosts

    /// Every change of a host goes through here, so that the host is listed exactly while one of its downloads could
    /// start.
    private mutating func change<Result>(
        _ host: HostTable<ID>.Index, _ body: (inout HostQueue<ID>) -> Result
    ) -> Result {
        unlist(host)
        let result = body(&hosts[host])
        list(host)
        if hosts[host].isIdle { hosts.remove(host) }
        return result
    }

    private mutating func giveBackRoom() {
        waiting.giveBackRoom()
        guard hosts.isSparse else { return }
        let moves = hosts.compact()
        func moved(_ place: Place) -> Place {
            Place(
                host: moves[place.host] ?? place.host, priority: place.priority, rank: place.rank, begun: place.begun)
        }
        running = running.mapValues(moved)
        waiting = waiting.mapValues(moved)
        ready = ready.map { _ in ReadyHosts() }
        for host in hosts.indices.values { list(host) }
    }

    private mutating func list(_ host: HostTable<ID>.Index) {
        for priority in RequestPriority.allCases where hosts[host].hasFreeSlot(for: priority) {
            let priority = priority.rawValue
            guard let turn = hosts[host].turn(priority) else { continue }
            if hosts[host].runningCount == 0 {
                ready[priority].newcomers.insert(host, rank: turn)
            } else {
                ready[priority].holders.insert(host, rank: turn)
            }
        }
    }

    private mutating func unlist(_ host: HostTable<ID>.Index) {
        for priority in RequestPriority.allCases where hosts[host].hasFreeSlot(for: priority) {
            let priority = priority.rawValue
            guard let turn = hosts[host].turn(priority) else { continue }
            if hosts[host].runningCount == 0 {
                ready[priority].newcomers.remove(rank: turn)
            } else {
                ready[priority].holders.remove(rank: turn)
            }
        }
    }

    private mutating func takeTurn() -> Int {
        lastTurn += 1
        return lastTurn
    }
}
