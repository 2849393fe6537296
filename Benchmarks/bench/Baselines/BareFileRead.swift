import AlcedoTestSupport

/// Reads of files that are in the system's page cache.
enum BareFileRead {
    /// Reads one of `files` files of `bytes` bytes each, drawn uniformly.
    static func reads(bytes: Int, files: Int = 16, seed: UInt64 = 1) throws -> Workload {
        let directory = try TemporaryDirectory()
        let contents = randomBytes(bytes, seed: seed)
        let all = (0..<files).map { BareFile(path: directory.file("file-\($0)")) }
        let temporary = BareFile(path: directory.file("temporary"))
        do {
            for file in all { try file.replace(with: contents, by: temporary) }
        } catch {
            directory.remove()
            throw error
        }
        let draws = UniformDraws(from: all, seed: seed + 1)
        return Workload(tearDown: { directory.remove() }) { iterations in
            for index in 0..<iterations { blackHole(try draws[index].read()) }
        }
    }

    /// Returns incompressible bytes.
    static func randomBytes(_ count: Int, seed: UInt64) -> [UInt8] {
        var generator = SeededRandom(seed: seed)
        return (0..<count).map { _ in UInt8(truncatingIfNeeded: generator.next()) }
    }
}
