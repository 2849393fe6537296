import Foundation
import Synchronization

// The keys of a store's directories.

extension DiskWork {
    /// The key of the store's own directory, if it was already read. Doesn't block.
    var knownKey: DirectoryKey? { keys.withLock { $0[directory.path] } }

    /// The key of the store's own directory, created if there is none. A failure is reported and yields nil.
    func ownKey() -> DirectoryKey? {
        if let key = knownKey { return key }
        do throws(FileError) {
            let key = try makingDirectories { () throws(FileError) in try readOrMakeKey() }
            keys.withLock { $0[directory.path] = key }
            return key
        } catch {
            onFailure(CacheFailure(.open, error))
            return nil
        }
    }

    /// An entry's key in a read-only directory; nil when that directory has no key for the entry's secret.
    func key(_ key: StoredKey, in bundle: DiskDirectory) -> StoredKey? {
        if key.secret.isEmpty { return key }
        if let known = keys.withLock({ $0[bundle.path] }) { return key.under(known) }
        let found = reporting(.read) { () throws(FileError) in try readKey(bundle.key) }
        guard let found else { return nil }
        keys.withLock { $0[bundle.path] = found }
        return key.under(found)
    }

    /// Reads the key, or creates one. A damaged key file is moved away; entries stored under the old key are never
    /// found again.
    private func readOrMakeKey() throws(FileError) -> DirectoryKey {
        do throws(FileError) {
            return try readKey(directory.key)
        } catch {
            guard error.isNotFound || error.code == Self.isDamaged else { throw error }
            if error.code == Self.isDamaged { try moveAwayDamagedKey() }
        }
        do throws(FileError) {
            try makeKey()
        } catch {
            // Another process may have removed the new file while cleaning up abandoned ones.
            guard error.code == EWOULDBLOCK else { throw error }
            try makeKey()
        }
        // Another store may have been faster: the key in the file counts.
        return try readKey(directory.key)
    }

    private static let isDamaged = EBADMSG

    /// Reads the file again under the lock, because another process may have replaced it.
    private func moveAwayDamagedKey() throws(FileError) {
        try index.lockedApart { () throws(FileError) in
            do throws(FileError) {
                _ = try readKey(directory.key)
            } catch {
                if error.isNotFound { return }
                guard error.code == Self.isDamaged else { throw error }
                try moveAway(directory.key)
            }
        }
    }

    private func readKey(_ path: String) throws(FileError) -> DirectoryKey {
        do throws(FileError) {
            if let key = DirectoryKey(file: try files.read(path, byteLimit: DirectoryKey.fileLength)) { return key }
        } catch {
            guard error.isNoFile || error.length != nil else { throw error }
        }
        throw FileError(call: "read", path: path, code: Self.isDamaged, reason: "not a whole key")
    }

    /// Creates the key's file unless another store does so first. The file gets its name once it is complete.
    private func makeKey() throws(FileError) {
        try makeDirectory(directory.temporary)
        var generator = SystemRandomNumberGenerator()
        let key = DirectoryKey(using: &generator)
        let temporary = directory.freshTemporary()
        _ = try files.publish([key.file], by: temporary, synchronizes: synchronization != .never) {
            (file) throws(FileError) in
            do throws(FileError) {
                // Renaming would replace another store's key.
                try files.link(file.path, to: directory.key)
            } catch {
                guard error.code == EEXIST else { throw error }
            }
            return false
        }
        noteNames(in: [directory.path])
    }
}
