import Alcedo
import Foundation

/// The directory of a cache, looked at without changing it.
struct CacheDirectory {
    /// It can't be used, and why.
    struct Unusable: Error {
        let reason: String
    }

    let url: URL
    private let files = FileSystem()

    init(_ place: CacheOptions.Place) {
        switch place {
        case .named(let name, nil): url = DiskStore.Settings(name: name).directory
        case .named(let name, let program?):
            url = DiskStore.Settings.directory(named: name, ofProgram: program)
        case .directory(let path): url = URL(fileURLWithPath: path, isDirectory: true)
        }
    }

    /// Throws unless there is a cache: opening one would make it.
    func requireCache() throws(Unusable) {
        guard try kind(of: url.path, followsLinks: true) == S_IFDIR else {
            throw Unusable(reason: "not a directory")
        }
        if try kind(of: entries) == S_IFDIR { return }
        guard try kind(of: entries) == nil, try kind(of: url.path + "/index") == S_IFREG else {
            throw Unusable(reason: "not a cache")
        }
    }

    /// Throws when there are other files than a cache's where all files are to be deleted.
    func requireNothingElse() throws(Unusable) {
        var stranger: String?
        do throws(FileError) {
            stranger = try files.names(entries).first { !$0.hasPrefix(".") && EntryName(fileName: $0) == nil }
        } catch {
            if !error.isNotFound { throw Unusable(reason: error.reason) }
        }
        if let stranger { throw Unusable(reason: "not a cache: entries/\(stranger) is no entry") }
    }

    /// Bytes of files that are being written, or were when a program was killed.
    var temporaryBytes: Int { bytes(in: url.path + "/temporary") }

    /// Bytes of files that are to be deleted.
    var discardedBytes: Int { bytes(in: url.path + "/discarded") }

    /// Bytes that the cache may take in a program that sets no limit, as much as is free now.
    func defaultByteLimit(held: Int) -> Int? {
        do throws(FileError) {
            return DiskStore.Settings.defaultByteLimit(free: try files.freeBytes(at: url.path), held: held)
        } catch {
            return nil
        }
    }

    private var entries: String { url.path + "/entries" }

    /// What there is at a path; nil when there is nothing.
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
            // Others delete them meanwhile: what was seen counts.
        }
        return .saturatingSum(sizes)
    }

    private func isDirectory(_ path: String) -> Bool {
        var status = stat()
        return lstat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
    }
}
