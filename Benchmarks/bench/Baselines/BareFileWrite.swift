/// Stores of files, whole or absent: create, write, rename.
enum BareFileWrite {
    /// Writes a file of `bytes` bytes and renames it over one of `files` names in turn, so the directory stays small.
    static func writes(bytes: Int, files: Int = 256, seed: UInt64 = 1) throws -> Workload {
        let directory = try TemporaryDirectory()
        let contents = BareFileRead.randomBytes(bytes, seed: seed)
        let all = (0..<files).map { BareFile(path: directory.file("file-\($0)")) }
        let temporary = BareFile(path: directory.file("temporary"))
        return Workload(tearDown: { directory.remove() }) { iterations in
            for index in 0..<iterations { try all[index % files].replace(with: contents, by: temporary) }
        }
    }
}
