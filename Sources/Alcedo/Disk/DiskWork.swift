import Foundation

/// What a store's threads do: the system calls, in their order, and the reports of those that only fail to remove a file.
struct DiskWork: Sendable {
    enum Defect: Error {
        case file(FileError)
        case entry(EntryFile.Defect)
    }

    struct WriteOutcome: Sendable {
        var isWritten = false
        var failure: FileError?
        /// Files that should be gone and are not.
        var leftovers: [DiskIndex.Item] = []
    }

    let directory: String
    let files: any FileSystem
    let onFailure: @Sendable (CacheFailure) -> Void

    func path(of name: EntryName) -> String { directory + "/" + name.text }

    /// Makes the directory and reads it: what it holds, oldest first.
    func open() throws(FileError) -> [DiskIndex.Item] {
        try files.createDirectory(directory)
        return try DiskJanitor.tidy(directory, files, onFailure).sorted { $0.modified < $1.modified }.compactMap {
            file in
            EntryName(fileName: file.name).map { DiskIndex.Item(name: $0, bytes: Self.allocated(file.length)) }
        }
    }

    func read(_ name: EntryName, _ key: ResourceKey, byteLimit: Int) -> Result<Data, Defect> {
        do throws(FileError) {
            let file = try files.read(path(of: name), byteLimit: byteLimit)
            do throws(EntryFile.Defect) {
                return .success(try EntryFile.body(of: file, key: key))
            } catch {
                return .failure(.entry(error))
            }
        } catch {
            return .failure(.file(error))
        }
    }

    /// Makes room, and writes the body unless nobody wants it any more.
    func write(_ body: PendingBody, _ key: ResourceKey, _ plan: DiskIndex.Plan) -> WriteOutcome {
        var outcome = WriteOutcome()
        outcome.leftovers = remove(plan.victims)
        // Without the room the limit would be exceeded; why there is none has been reported.
        if outcome.leftovers.isEmpty, let body = body.take() {
            do throws(FileError) {
                try publish(body, key, at: path(of: plan.mayRemain.name))
                outcome.isWritten = true
                return outcome
            } catch {
                outcome.failure = error
            }
        }
        // An earlier file of that name is counted no longer.
        outcome.leftovers += remove([plan.mayRemain])
        return outcome
    }

    /// Removes entries; those that could not be are returned.
    func remove(_ items: [DiskIndex.Item]) -> [DiskIndex.Item] {
        items.filter { !remove(path(of: $0.name)) }
    }

    /// Removes all entries; those that could not be are returned.
    func removeAll() -> [DiskIndex.Item] {
        do throws(FileError) {
            return remove(
                try files.list(directory).compactMap { file in
                    EntryName(fileName: file.name).map { .init(name: $0, bytes: Self.allocated(file.length)) }
                })
        } catch {
            if !error.isNotFound { onFailure(CacheFailure(.remove, error)) }
            return []
        }
    }

    /// Bytes in whole blocks. A length is whatever the file says: the largest ones are cut, so that nothing overflows.
    static func allocated(_ length: Int) -> Int { (min(max(0, length), .max - 4095) + 4095) & ~4095 }

    /// Writes a file of another name and renames it, so that the entry is never there in part.
    private func publish(_ body: Data, _ key: ResourceKey, at path: String) throws(FileError) {
        let temporary = directory + "/" + DiskJanitor.temporaryName()
        do throws(FileError) {
            let parts = [body, EntryFile.tail(of: body, key: key)]
            do throws(FileError) {
                try files.create(temporary, parts)
            } catch  where error.isNotFound {
                // The directory was deleted under our feet.
                try files.createDirectory(directory)
                try files.create(temporary, parts)
            }
            try files.rename(temporary, to: path)
        } catch {
            remove(temporary)
            throw error
        }
    }

    /// Whether the file is gone.
    @discardableResult
    private func remove(_ path: String) -> Bool {
        do throws(FileError) {
            try files.remove(path)
            return true
        } catch {
            if !error.isNotFound { onFailure(CacheFailure(.remove, error)) }
            return error.isNotFound
        }
    }
}
