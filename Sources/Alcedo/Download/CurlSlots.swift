#if os(Linux) && Curl
/// Which transfers may have a connection, by origin: the others wait here, where their idle time does not run, and not
/// inside curl, where it would.
struct CurlSlots<ID: Hashable> {
    private struct Origin {
        var active = 0 { didSet { note() } }
        var waiting: [ID] = []
        var isMultiplexed = false { didSet { note() } }
        /// Whether several of those who are active share a connection, or others did with the last of them.
        private(set) var isShared = false

        private mutating func note() { isShared = isMultiplexed && (active > 1 || isShared && active > 0) }
    }

    /// Transfers that share one HTTP/2 connection; servers allow some 100.
    private static var streamsPerOrigin: Int { 100 }

    private let connectionsPerHost: Int
    private var origins: [String: Origin] = [:]

    init(connectionsPerHost: Int) {
        self.connectionsPerHost = connectionsPerHost
    }

    /// Whether there are transfers that share a connection, or the last of those that did.
    var isSharing: Bool { origins.values.contains(where: \.isShared) }

    /// Whether `id` may start now; otherwise it waits for its turn.
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

    /// Gives the place of one that started back, and returns who starts now.
    mutating func leave(_ name: String) -> [ID] {
        guard let index = origins.index(forKey: name) else { return [] }
        origins.values[index].active -= 1
        return admit(index)
    }

    /// Takes out one that waits.
    mutating func remove(_ id: ID, _ name: String) {
        guard let index = origins.index(forKey: name) else { return }
        origins.values[index].waiting.removeAll { $0 == id }
    }

    /// The origin speaks HTTP/2: many transfers go over one connection. Returns who starts now.
    mutating func multiplex(_ name: String) -> [ID] {
        guard let index = origins.index(forKey: name), !origins.values[index].isMultiplexed else { return [] }
        origins.values[index].isMultiplexed = true
        return admit(index)
    }

    /// An origin that nobody uses is forgotten.
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
