import Alcedo
import Foundation

/// The disk store.
enum DiskCases {
    static let all: [BenchCase] = [
        .timed(
            "disk/hit-10k", target: 4, ours: { try await hits(bytes: 10_000) },
            baseline: .init("open + fstat + read + close") { try BareFileRead.reads(bytes: 10_000) })
    ]

    /// Reads through the actor, one after the other, of entries that are in the system's page cache.
    private static func hits(bytes: Int, entries: Int = 16) async throws -> Workload {
        let directory = try TemporaryDirectory()
        let store = DiskStore(directory: directory.file("cache"), byteLimit: 1 << 30)
        let body = Data(BareFileRead.randomBytes(bytes, seed: 1))
        let keys = (0..<entries).map { ResourceKey(text: "http://host.test/\($0)") }
        for key in keys { await store.store(body, for: key, begun: store.ticket()) }
        await store.flush()
        let draws = UniformDraws(from: keys, seed: 2)
        return Workload(tearDown: { directory.remove() }) { iterations in
            for index in 0..<iterations { blackHole(await store.body(for: draws[index])) }
        }
    }
}
