import Alcedo
import Foundation

/// Which cache a command uses, and when it asks the server: `--cache`, `--revalidate` and `--offline`.
struct CacheAccess: Equatable {
    /// Nil for the default cache.
    var directory: String?
    var readPolicy = CacheReadPolicy.http

    init(_ given: Arguments) throws(UsageError) {
        directory = try given.cacheDirectory("--cache")
        if given.has("--revalidate") { readPolicy = .revalidate }
        if given.has("--offline") {
            if readPolicy != .http { throw given.refusal("--revalidate and --offline exclude each other") }
            readPolicy = .cachedOnly
        }
    }

    func apply(to configuration: inout ImageLoader.Configuration) {
        configuration.readPolicy = readPolicy
        if let directory { configuration.disk = CacheDirectory(.directory(directory)).settingsWithoutLimits }
    }

    /// Whether the cache exists, if no server may be asked. Prints an error if it doesn't; opening it would create it.
    func isThere(_ command: String, _ console: Console) -> Bool {
        guard let directory, readPolicy == .cachedOnly else { return true }
        let cache = CacheDirectory(.directory(directory))
        do throws(CacheDirectory.Unusable) {
            try cache.requireCache()
            return true
        } catch {
            console.error("alcedo \(command): \(cache.url.path): \(error.reason)")
            return false
        }
    }
}

extension ImageLoader.Configuration {
    /// With the cache that all commands share, whatever the program's file is called.
    static var ofCommands: Self {
        var configuration = Self()
        configuration.disk = .init(directory: CacheDirectory(.named()).url)
        return configuration
    }
}
