/// Atomic stores of files: create, write, rename.
enum BareFileWrite {
    /// Writes a file of `bytes` bytes and renames it to one of `files` names in turn, so the directory stays small.
    static func writes(bytes: Int, files: Int = 256, seed: UInt64 = 1) throws -> Workload {
        let directory = try TemporaryDirectory()
        let contents = BareFileRead.randomBytes(bytes, seed: seed)
        let all = (0..<files).map { BareFile(path: directory.file("file-\($0)")) }
        let temporary = BareFile(path: directory.file("temporary"))
        return Workload(tearDown: { directory.remove() }) { iterations in
            for index in 0..<iterations { try all[index % files].replace(with: contents, by: temporary) }
        }
    }

    /// Writes a file with a new name and removes the oldest of `files`.
    static func writesAndRemovals(bytes: Int, files: Int, seed: UInt64 = 1) throws -> Workload {
        let directory = try TemporaryDirectory()
        let contents = BareFileRead.randomBytes(bytes, seed: seed)
        let temporary = BareFile(path: directory.file("temporary"))
        let turn = Turn()
        @Sendable func file(_ number: Int) -> BareFile { BareFile(path: directory.file("file-\(number)")) }
        for _ in 0..<files { try file(turn.next()).replace(with: contents, by: temporary) }
        return Workload(tearDown: { directory.remove() }) { iterations in
            for _ in 0..<iterations {
                let number = turn.next()
                try file(number - files).remove()
                try file(number).replace(with: contents, by: temporary)
            }
        }
    }
}
