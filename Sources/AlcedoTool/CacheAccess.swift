import Alcedo
import Foundation

/// The cache options of a command that loads: `--cache`, `--revalidate` and `--offline`.
struct CacheAccess: Equatable {
    /// The directory of the cache; nil for the default one.
    var directory: String?
    var readPolicy = CacheReadPolicy.http

    init(_ given: Arguments) throws(UsageError) {
        directory = try given.cacheDirectory("--cache")
        if given.has("--revalidate") { readPolicy = .revalidate }
        if given.has("--offline") {
            if readPolicy != .http { throw given.refusal("--revalidate and --offline can't be used together") }
            readPolicy = .cachedOnly
        }
    }

    func apply(to configuration: inout ImageLoader.Configuration) {
        configuration.readPolicy = readPolicy
        if let directory { configuration.disk = CacheDirectory(.directory(directory)).settingsWithoutLimits }
    }

    /// With `--offline`, returns whether the cache exists. Prints an error if it doesn't; opening it would create it.
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
    /// A configuration with the cache that all commands share, whatever the name of the program's file.
    static var ofCommands: Self {
        var configuration = Self()
        configuration.disk = .init(directory: CacheDirectory(.named()).url)
        return configuration
    }
}
