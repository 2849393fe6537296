import Alcedo
import AlcedoTestSupport
import Foundation

/// Encrypted stores, which are an optional trait on Linux.
enum EncryptionCases {
    #if canImport(Darwin) || os(Linux) && Encryption
    static let all: [BenchCase] = [
        .timed(
            "disk/encrypted-200k", target: 1.3, ours: { try await reads(encrypts: true) },
            baseline: .init("the disk cache alone") { try await reads(encrypts: false) })
    ]

    /// Reads entries of 200 KB, in the system's page cache, as a tier reads them.
    private static func reads(encrypts: Bool) async throws -> Workload {
        let (directory, key) = (try TemporaryDirectory(), EncryptionKey())
        let disk = DiskStore(valid: .bare(directory.file("cache"), byteLimit: 1 << 30), onEvent: DiskCases.printFailure)
        let store: any ImageStore =
            encrypts ? try EncryptedStore(wrapping: disk, keys: [key], naming: key) : disk
        let keys = (0..<16).map { StoredKey("http://host.test/\($0)") }
        let body = StoredBody(Data(BareFileRead.randomBytes(200_000, seed: 1)))
        for key in keys {
            try await store.store(body, StoredMetadata(EntryMetadata(source: key.source), for: key))
            await store.flush()
        }
        let draws = UniformDraws(from: keys, seed: 2)
        return Workload(tearDown: { directory.remove() }) { iterations in
            for index in 0..<iterations {
                let entry = try await store.entry(for: draws[index], reading: .whole)
                guard let entry, entry.body.count == body.count else { throw BenchError("no entry is found") }
                blackHole(entry.body)
            }
        }
    }
    #else
    static let all: [BenchCase] = []
    #endif
}
