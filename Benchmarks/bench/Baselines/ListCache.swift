import Alcedo
import Foundation
import Synchronization

/// A typical cache: a dictionary, and a list in order of use (LRU) or in order of arrival with marks (CLOCK).
struct ListCache<Key: Hashable & Sendable, Value: Sendable>: Sendable {
    enum Order { case lru, clock }

    private struct Node: Sendable {
        let key: Key
        var value: Value
        let cost: Int
        var isMarked = false
        var newer = 0
        var older = 0
    }

    private let order: Order
    private let limit: Int
    private var total = 0
    private var places: [Key: Int] = [:]
    /// The nodes of the list. Its ends are stored as the index after the last node.
    private var nodes: [Node] = []
    private var free: [Int] = []
    private var newest = -1
    private var oldest = -1

    init(_ order: Order, limit: Int) {
        self.order = order
        self.limit = limit
    }

    mutating func lookUp(_ key: Key) -> Value? {
        guard let place = places[key] else { return nil }
        if order == .clock {
            nodes[place].isMarked = true
        } else if place != newest {
            unlink(place)
            pushNewest(place)
        }
        return nodes[place].value
    }

    mutating func store(_ value: Value, cost: Int, for key: Key) {
        guard cost <= limit else { return }
        if let place = places.removeValue(forKey: key) { remove(place) }
        while total > limit - cost { evictOne() }
        let node = Node(key: key, value: value, cost: cost)
        let place = free.popLast() ?? nodes.count
        if place == nodes.count { nodes.append(node) } else { nodes[place] = node }
        places[key] = place
        total += cost
        pushNewest(place)
    }

    private mutating func evictOne() {
        while nodes[oldest].isMarked {
            let place = oldest
            nodes[place].isMarked = false
            unlink(place)
            pushNewest(place)
        }
        places[nodes[oldest].key] = nil
        remove(oldest)
    }

    private mutating func remove(_ place: Int) {
        total -= nodes[place].cost
        unlink(place)
        free.append(place)
    }

    private mutating func pushNewest(_ place: Int) {
        nodes[place].older = newest
        nodes[place].newer = -1
        if newest >= 0 { nodes[newest].newer = place } else { oldest = place }
        newest = place
    }

    private mutating func unlink(_ place: Int) {
        let (newer, older) = (nodes[place].newer, nodes[place].older)
        if newer >= 0 { nodes[newer].older = older } else { newest = older }
        if older >= 0 { nodes[older].newer = newer } else { oldest = newer }
    }
}

/// A memory cache that is a plain actor: each look-up is an actor call.
actor PlainActorCache {
    private var cache: ListCache<ImageKey, MemoryEntry>
    private var removals = RemovalLog<ResourceKey>()
    private let now: @Sendable () -> Duration

    init(limit: Int, now: @escaping @Sendable () -> Duration) {
        cache = ListCache(.lru, limit: limit)
        self.now = now
    }

    func ticket() -> RemovalLog<ResourceKey>.Ticket { removals.ticket() }

    func lookUp(_ key: ImageKey) -> MemoryEntry? { cache.lookUp(key) }

    func store(_ entry: MemoryEntry, for key: ImageKey, begun ticket: RemovalLog<ResourceKey>.Ticket) {
        guard removals.permits(ticket, key.resource) else { return }
        // Alcedo's cache reads the time too, to begin a time to live.
        blackHole(now())
        cache.store(entry, cost: entry.cost, for: key)
    }
}

/// Foundation's cache, which requires objects.
final class FoundationCache: Sendable {
    private final class Key: NSObject {
        let key: Key128

        init(_ key: Key128) { self.key = key }

        override var hash: Int { Int(truncatingIfNeeded: key.low) }
        override func isEqual(_ object: Any?) -> Bool { (object as? Key)?.key == key }
    }

    private let cache: Mutex<NSCache<Key, MutexDictionary.Value>>

    init(keys: [Key128]) {
        let fresh = NSCache<Key, MutexDictionary.Value>()
        for (number, key) in keys.enumerated() { fresh.setObject(.init(number: number), forKey: Key(key), cost: 1) }
        cache = Mutex(fresh)
    }

    func value(for key: Key128) -> MutexDictionary.Value? {
        cache.withLock { $0.object(forKey: Key(key)) }
    }
}
