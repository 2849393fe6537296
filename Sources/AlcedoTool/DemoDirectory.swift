import Foundation

/// The demo's output directory. It contains the sheet, which is kept, and the disk cache, which isn't.
struct DemoDirectory {
    let url: URL

    /// - Parameter url: The directory. By default, each user has a separate one in the temporary directory.
    init(_ url: URL? = nil) {
        self.url =
            url ?? FileManager.default.temporaryDirectory.appendingPathComponent("alcedo-demo-\(getuid())")
    }

    var sheet: URL { url.appendingPathComponent("contact-sheet.png") }
    var cache: URL { url.appendingPathComponent(Self.cachePrefix + "\(getpid())") }

    /// Creates the directory, and removes the caches left by demos that were killed.
    func prepare() throws {
        let files = FileManager.default
        try files.createDirectory(
            at: url, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        for name in try files.contentsOfDirectory(atPath: url.path) where Self.isAbandoned(name) {
            try files.removeItem(at: url.appendingPathComponent(name))
        }
    }

    func removeCache() throws {
        guard FileManager.default.fileExists(atPath: cache.path) else { return }
        try FileManager.default.removeItem(at: cache)
    }

    private static let cachePrefix = "cache-"

    private static func isAbandoned(_ name: String) -> Bool {
        guard name.hasPrefix(cachePrefix), let process = pid_t(name.dropFirst(cachePrefix.count)), process > 0 else {
            return false
        }
        // Signal 0 only checks whether the process exists.
        return kill(process, 0) == -1 && errno == ESRCH
    }
}
