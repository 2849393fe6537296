import Alcedo
import Foundation

/// The directory of a cache, inspected without changing it.
struct CacheDirectory {
    /// The directory can't be used.
    struct Unusable: Error {
        let reason: String
    }

    let url: URL
    private let files = FileSystem()

    init(_ place: CacheOptions.Place) {
        switch place {
        case .named(let name, let program): url = DiskStore.Settings.directory(named: name, ofProgram: program)
        case .directory(let path): url = URL(fileURLWithPath: path, isDirectory: true)
        }
    }

    /// The settings of a cache that another program may own.
    ///
    /// They set no limits: opening a cache with lower limits than those of its program would evict entries.
    var settingsWithoutLimits: DiskStore.Settings {
        var settings = DiskStore.Settings(directory: url)
        settings.maximumBytes = .max
        settings.timeToLive = nil
        settings.minimumFreeBytes = 0
        return settings
    }

    /// Throws if there is no cache, because opening one would create it.
    func requireCache() throws(Unusable) {
        guard try kind(of: url.path, followsLinks: true) == S_IFDIR else {
            throw Unusable(reason: "not a directory")
        }
        if try kind(of: entries) == S_IFDIR { return }
        guard try kind(of: entries) == nil, try kind(of: url.path + "/index") == S_IFREG else {
            throw Unusable(reason: "not a cache")
        }
    }

    /// Throws if there are files that don't belong to a cache, because all files are about to be deleted.
    func requireNothingElse() throws(Unusable) {
        var stranger: String?
        do throws(FileError) {
            stranger = try files.names(entries).first { !$0.hasPrefix(".") && EntryName(fileName: $0) == nil }
        } catch {
            if !error.isNotFound { throw Unusable(reason: error.reason) }
        }
        if let stranger { throw Unusable(reason: "not a cache: entries/\(stranger) isn't an entry") }
    }

    /// The bytes of files that are being written, or were being written when a program was killed.
    var temporaryBytes: Int { bytes(in: url.path + "/temporary") }

    /// The bytes of files that are waiting to be deleted.
    var discardedBytes: Int { bytes(in: url.path + "/discarded") }

    /// The limit in bytes that a program's cache has by default, given the space that is free now.
    func defaultMaximumBytes(held: Int) -> Int? {
        do throws(FileError) {
            return DiskStore.Settings.defaultMaximumBytes(free: try files.freeBytes(at: url.path), held: held)
        } catch {
            return nil
        }
    }

    private var entries: String { url.path + "/entries" }

    /// The type of the file at a path; nil if there is none.
    private func kind(of path: String, followsLinks: Bool = false) throws(Unusable) -> mode_t? {
        var status = stat()
        let result = followsLinks ? stat(path, &status) : lstat(path, &status)
        if result == 0 { return status.st_mode & S_IFMT }
        let code = errno
        if code == ENOENT, path != url.path { return nil }
        throw Unusable(reason: ErrorText.of(systemCode: code))
    }

    private func bytes(in directory: String) -> Int {
        var sizes: [Int] = []
        do throws(FileError) {
            try files.list(directory) { sizes.append($1.allocated) }
            for name in try files.names(directory) {
                let path = directory + "/" + name
                if isDirectory(path) { sizes.append(bytes(in: path)) }
            }
        } catch {
            // Other processes may delete files in the meantime; the sum so far is used.
        }
        return .saturatingSum(sizes)
    }

    private func isDirectory(_ path: String) -> Bool {
        var status = stat()
        return lstat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
    }
}
