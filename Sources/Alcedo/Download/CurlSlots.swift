#if os(Linux) && Curl
/// Which transfers may have a connection, by origin: the others wait here, where their idle time does not run, and not
/// inside curl, where it would.
struct CurlSlots<ID: Hashable> {
    private struct Origin {
        var active = 0
        var waiting: [ID] = []
        var isMultiplexed = false
    }

    /// Transfers that share one HTTP/2 connection; servers allow some 100.
    private static var streamsPerOrigin: Int { 100 }

    private let connectionsPerHost: Int
    private var origins: [String: Origin] = [:]

    init(connectionsPerHost: Int) {
        self.connectionsPerHost = connectionsPerHost
    }

    /// Whether `id` may start now; otherwise it waits for its turn.
    mutating func enter(_ id: ID, _ name: String) -> Bool {
        let limit = limit(name)
        return modify(name) { origin in
            guard origin.active < limit else {
                origin.waiting.append(id)
                return false
            }
            origin.active += 1
            return true
        }
    }

    /// Gives the place of one that started back, and returns who starts now.
    mutating func leave(_ name: String) -> [ID] {
        modify(name) { $0.active -= 1 }
        return admit(name)
    }

    /// Takes out one that waits.
    mutating func remove(_ id: ID, _ name: String) {
        modify(name) { origin in origin.waiting.removeAll { $0 == id } }
    }

    /// The origin speaks HTTP/2: many transfers go over one connection. Returns who starts now.
    mutating func multiplex(_ name: String) -> [ID] {
        guard origins[name]?.isMultiplexed == false else { return [] }
        modify(name) { $0.isMultiplexed = true }
        return admit(name)
    }

    private mutating func admit(_ name: String) -> [ID] {
        let limit = limit(name)
        return modify(name) { origin in
            let count = min(max(0, limit - origin.active), origin.waiting.count)
            let admitted = Array(origin.waiting.prefix(count))
            origin.waiting.removeFirst(count)
            origin.active += count
            return admitted
        }
    }

    private func limit(_ name: String) -> Int {
        origins[name]?.isMultiplexed == true ? max(Self.streamsPerOrigin, connectionsPerHost) : connectionsPerHost
    }

    /// An origin that nobody uses is forgotten.
    private mutating func modify<Result>(_ name: String, _ change: (inout Origin) -> Result) -> Result {
        var origin = origins.removeValue(forKey: name) ?? Origin()
        defer { if origin.active > 0 || !origin.waiting.isEmpty { origins[name] = origin } }
        return change(&origin)
    }
}
#endif
