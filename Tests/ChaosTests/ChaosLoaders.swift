import Alcedo
import AlcedoTestSupport
import Foundation
import Synchronization

@testable import TestFixtures

/// Two loaders that share their owners, and a third that is closed and opened again on its own directory or store.
final class ChaosLoaders: Sendable {
    // These limits are so small that they are reached all the time.
    static let memoryLimit = 150 << 10
    static let diskLimit = 80 << 10
    static let width = 8
    static let idleTimeout = Duration.seconds(5)

    let memory: MemoryCache
    /// The disk cache; nil if a store of the program is in its place.
    let disk: DiskStore?
    let tier: StoredTier
    let downloads: DownloadCoordinator
    let calls = FaultySystemCalls()
    /// Concerns the store of the program.
    let trouble = ChaosTrouble()
    let directory: TemporaryDirectory
    private let shared: [ImageLoader]
    private let reopened: Mutex<ImageLoader>
    /// The tier of the third loader, if it is a store of the program.
    private let ownTier: StoredTier?

    /// - Parameter kind: The stores in place of the disk caches; nil for none.
    init(_ kind: StoreKind?) throws {
        directory = try TemporaryDirectory()
        memory = try MemoryCache(Self.configuration.memory)
        if let kind {
            let stores = (0..<2).map { [directory, calls] _ in
                kind.makeStore(in: directory, byteLimit: Self.diskLimit, calls: calls)
            }
            tier = try StoredTier(WrappedStore(stores[0], before: trouble.pass))
            (disk, ownTier) = (nil, try StoredTier(stores[1]))
        } else {
            let settings = DiskStore.Settings.bare(directory.file("shared"), byteLimit: Self.diskLimit)
            let disk = DiskStore(valid: settings, calls: calls)
            (self.disk, tier, ownTier) = (disk, try StoredTier(disk), nil)
        }
        downloads = try DownloadCoordinator(Self.configuration.download)
        // The shared owners keep their settings.
        shared = [memory, memory].map { [tier, downloads] memory in
            ImageLoader(memoryCache: memory, store: tier, downloads: downloads)
        }
        reopened = Mutex(Self.opened(directory, ownTier))
    }

    private static var configuration: ImageLoader.Configuration {
        var configuration = ImageLoader.Configuration()
        configuration.memory.maximumBytes = memoryLimit
        // Otherwise, a response with no-cache could be reused for ten seconds.
        configuration.memory.reuseWindow = .zero
        configuration.download.maximumConcurrentDownloads = width
        // The limit per host doesn't matter, because there is only one host.
        configuration.download.maximumConcurrentDownloadsPerHost = 2 * width
        // Makes many bodies be received into files.
        configuration.download.maximumBytesInMemory = 500
        configuration.download.idleTimeout = idleTimeout
        configuration.download.retry.attempts = 2
        configuration.download.retry.baseDelay = .milliseconds(5)
        configuration.download.retry.hostBudget = 1_000_000
        configuration.download.caching.defaultLifetime = .seconds(1)
        return configuration
    }

    private static func opened(_ directory: TemporaryDirectory, _ tier: StoredTier?) -> ImageLoader {
        if let tier { return ImageLoader(configuration, store: tier) }
        var configuration = configuration
        configuration.disk = .bare(directory.file("own"), byteLimit: diskLimit)
        return ImageLoader(configuration)
    }

    static let count = 3

    /// Whether a loader's caches are the shared ones.
    static func isShared(_ loader: Int) -> Bool { loader < 2 }

    subscript(_ loader: Int) -> ImageLoader { loader < 2 ? shared[loader] : reopened.withLock { $0 } }

    var all: [ImageLoader] { (0..<Self.count).map { self[$0] } }

    /// Closes the third loader, and opens a new one on its directory.
    func reopen() async {
        let next = Self.opened(directory, ownTier)
        let last = reopened.withLock { loader in
            defer { loader = next }
            return loader
        }
        await last.close()
    }

    /// Ends all faults.
    func heal() {
        calls.heal()
        trouble.end()
    }

    func close() async {
        for loader in all { await loader.close() }
    }
}
