#if os(Linux) && Curl
/// Decides which transfers may use a connection, by origin.
///
/// The other transfers wait here, where their idle time doesn't count, rather than inside curl, where it would.
struct CurlSlots<ID: Hashable> {
    private struct Origin {
        var active = 0 { didSet { note() } }
        var waiting: [ID] = []
        var isMultiplexed = false { didSet { note() } }
        /// Whether several active transfers share a connection, or the last active one has shared it with others.
        private(set) var isShared = false

        private mutating func note() { isShared = isMultiplexed && (active > 1 || isShared && active > 0) }
    }

    /// The number of transfers that share one HTTP/2 connection; servers allow about 100.
    private static var streamsPerOrigin: Int { 100 }

    private let connectionsPerHost: Int
    private var origins: [String: Origin] = [:]

    init(connectionsPerHost: Int) { self.connectionsPerHost = connectionsPerHost }

    /// Whether any transfers share a connection, or the last active one has.
    var isSharing: Bool { origins.values.contains(where: \.isShared) }

    /// Whether `id` may start now. Otherwise it waits in the queue.
    mutating func enter(_ id: ID, _ name: String) -> Bool {
        guard let index = origins.index(forKey: name) else {
            origins[name] = Origin(active: 1)
            return true
        }
        guard origins.values[index].active < limit(origins.values[index]) else {
            origins.values[index].waiting.append(id)
            return false
        }
        origins.values[index].active += 1
        return true
    }

    /// Releases a started transfer's slot, and returns the transfers that start now.
    mutating func leave(_ name: String) -> [ID] {
        guard let index = origins.index(forKey: name) else { return [] }
        origins.values[index].active -= 1
        return admit(index)
    }

    /// Removes a waiting transfer.
    mutating func remove(_ id: ID, _ name: String) {
        guard let index = origins.index(forKey: name) else { return }
        origins.values[index].waiting.removeAll { $0 == id }
    }

    /// Records that the origin supports HTTP/2, so many transfers share one connection. Returns the transfers that
    /// start now.
    mutating func multiplex(_ name: String) -> [ID] {
        guard let index = origins.index(forKey: name), !origins.values[index].isMultiplexed else { return [] }
        origins.values[index].isMultiplexed = true
        return admit(index)
    }

    /// Starts waiting transfers within the limit, and removes an unused origin.
    private mutating func admit(_ index: Dictionary<String, Origin>.Index) -> [ID] {
        let origin = origins.values[index]
        let count = min(max(0, limit(origin) - origin.active), origin.waiting.count)
        if origin.active + count == 0 { origins.remove(at: index) }
        guard count > 0 else { return [] }
        origins.values[index].waiting.removeFirst(count)
        origins.values[index].active += count
        return Array(origin.waiting.prefix(count))
    }

    private func limit(_ origin: Origin) -> Int {
        origin.isMultiplexed ? max(Self.streamsPerOrigin, connectionsPerHost) : connectionsPerHost
    }
}
#endif
