import Alcedo
import AlcedoTestSupport
import Synchronization

/// The memory cache's table alone, without a lock or an actor.
///
/// This program compiles the table again, from the same files (the links in `Table`). The library's own code is
/// specialized for its keys and images; for other types it is unspecialized generic code, which is several times
/// slower.
enum MemoryTableCases {
    static let all: [BenchCase] = [
        .timed(
            "memory/insert-evict-1k", target: 5, ours: { insertions(entries: 1_000) },
            baseline: .init("the table's look-up") { lookUps(entries: 1_000) }),
        againstDictionary("memory/insert-evict-1k-overwrite", entries: 1_000),
        againstDictionary("memory/insert-evict-100k", entries: 100_000, target: 1.5),
        againstDictionary("memory/insert-evict-1M", entries: 1_000_000, target: 1.5),
        .timed(
            "memory/table-hit", ours: { lookUps(entries: 1_000) },
            baseline: .init("Mutex<Dictionary>") { MutexDictionary.lookUps(entries: 1_000) }),
    ]

    /// - Parameter target: The factor by which the ratio may exceed the one with 1,000 entries.
    private static func againstDictionary(_ name: String, entries: Int, target: Double? = nil) -> BenchCase {
        .timed(
            name, target: target, timesRatioOf: target == nil ? nil : "memory/insert-evict-1k-overwrite",
            ours: { insertions(entries: entries) },
            baseline: .init("Mutex<Dictionary> overwrite") { MutexDictionary.overwrites(entries: entries) })
    }

    private typealias Table = EvictionTable<Key128, MutexDictionary.Value>

    private static func full(entries: Int) -> (table: Table, values: [MutexDictionary.Value]) {
        var table = Table(limits: EvictionLimits(cost: entries))
        let values = (0..<entries).map { MutexDictionary.Value(number: $0) }
        var departures = Table.Departures()
        for number in 0..<entries {
            table.store(values[number], cost: 1, for: Key128(number: number), into: &departures)
        }
        return (table, values)
    }

    /// Look-ups that hit, with uniformly drawn keys.
    private static func lookUps(entries: Int) -> Workload {
        let keys = (0..<entries).map { Key128(number: $0) }
        let draws = UniformDraws(from: keys, seed: 2)
        let state = Mutex(full(entries: entries).table)
        return Workload { iterations in
            state.withLock { table in
                for index in 0..<iterations { blackHole(table.lookUp(draws[index], now: .zero)) }
            }
        }
    }

    /// Stores under new keys into a full table; each evicts one entry.
    private static func insertions(entries: Int) -> Workload {
        let (table, values) = full(entries: entries)
        let departures = Table.Departures()
        let state = Mutex((table: table, random: SeededRandom(seed: 3), next: entries, departures: departures))
        return Workload { iterations in
            state.withLock { state in
                for _ in 0..<iterations {
                    state.table.store(
                        values[state.random.place(among: entries)], cost: 1, for: Key128(number: state.next),
                        into: &state.departures)
                    blackHole(state.departures.removeLast().cost)
                    state.next += 1
                }
            }
        }
    }
}

extension Key128: GroupedKey {
    var group: Key128 { self }
}
