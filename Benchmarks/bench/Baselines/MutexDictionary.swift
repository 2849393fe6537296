import AlcedoTestSupport
import Synchronization

/// A five-line memory cache: a dictionary behind a lock, which never evicts.
final class MutexDictionary: Sendable {
    /// Represents a decoded image: one reference.
    final class Value: Sendable {
        let number: Int

        init(number: Int) {
            self.number = number
        }
    }

    private let table: Mutex<[Key128: Value]>

    init(keys: [Key128]) {
        var entries: [Key128: Value] = [:]
        for (number, key) in keys.enumerated() { entries[key] = Value(number: number) }
        table = Mutex(entries)
    }

    func value(for key: Key128) -> Value? {
        table.withLock { $0[key] }
    }

    private func store(_ value: Value, for key: Key128) {
        table.withLock { $0[key] = value }
    }

    /// Stores new values under keys drawn uniformly from all keys.
    static func overwrites(entries: Int) -> Workload {
        let cache = MutexDictionary(keys: (0..<entries).map { Key128(number: $0) })
        let values = (0..<entries).map { Value(number: $0) }
        let draws = Mutex(SeededRandom(seed: 4))
        return Workload { iterations in
            draws.withLock { random in
                for _ in 0..<iterations {
                    let value = values[random.place(among: entries)]
                    cache.store(value, for: Key128(number: random.place(among: entries)))
                }
            }
        }
    }

    /// Look-ups that hit, with uniformly drawn keys.
    static func lookUps(entries: Int = 1_000, seed: UInt64 = 1) -> Workload {
        let keys = Key128.keys(entries, seed: seed)
        let draws = UniformDraws(from: keys, seed: seed + 1)
        let cache = MutexDictionary(keys: keys)
        return Workload { iterations in
            for index in 0..<iterations { blackHole(cache.value(for: draws[index])) }
        }
    }
}
