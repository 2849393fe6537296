import Alcedo
import Foundation

/// Which cache a command uses, and when it asks the server: `--cache`, `--revalidate` and `--offline`.
struct CacheAccess: Equatable {
    /// Nil for the default cache.
    var directory: String?
    var readPolicy = CacheReadPolicy.http

    init(_ given: Arguments) throws(UsageError) {
        directory = given.value("--cache")
        if given.has("--revalidate") { readPolicy = .revalidate }
        if given.has("--offline") {
            if readPolicy != .http { throw given.refusal("--revalidate and --offline exclude each other") }
            readPolicy = .cachedOnly
        }
    }

    func apply(to configuration: inout ImageLoader.Configuration) {
        configuration.readPolicy = readPolicy
        configuration.disk =
            if let directory { CacheDirectory(.directory(directory)).settingsWithoutLimits } else {
                .init(directory: CacheDirectory(.named()).url)
            }
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
