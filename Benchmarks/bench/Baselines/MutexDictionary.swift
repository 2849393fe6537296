import Synchronization

/// The memory cache one would write in five lines: a dictionary behind a lock, which never evicts.
final class MutexDictionary: Sendable {
    /// Stands for a decoded image: one reference.
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

    /// Look-ups that hit, of keys drawn uniformly.
    static func lookUps(entries: Int = 1_000, seed: UInt64 = 1) -> Workload {
        let keys = Key128.keys(entries, seed: seed)
        let draws = UniformDraws(from: keys, seed: seed + 1)
        let cache = MutexDictionary(keys: keys)
        return Workload { iterations in
            for index in 0..<iterations { blackHole(cache.value(for: draws[index])) }
        }
    }
}
