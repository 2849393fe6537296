import AlcedoTestSupport
import Foundation
import Testing

@testable import Alcedo
@testable import TestFixtures

/// A value out of range is an error from the first load on, and an event, and never clamped.
@Suite(.timeLimit(.minutes(1))) struct ConfigurationErrorTests {
    private typealias Change = @Sendable (inout ImageLoader.Configuration) -> Void

    private static let invalid: [(String, Change)] = [
        ("memory.maximumBytes is -1", { $0.memory.maximumBytes = -1 }),
        ("memory.maximumCount is -1", { $0.memory.maximumCount = -1 }),
        ("memory.maximumBytesPerImage is -1", { $0.memory.maximumBytesPerImage = -1 }),
        ("memory.timeToLive is -1.0 seconds", { $0.memory.timeToLive = .seconds(-1) }),
        ("memory.reuseWindow is 0.5 seconds", { $0.memory.reuseWindow = .milliseconds(500) }),
        (
            "download.caching.defaultLifetime is 0.5 seconds",
            { $0.download.caching.defaultLifetime = .milliseconds(500) }
        ),
        ("download.caching.staleIfError is 1.5 seconds", { $0.download.caching.staleIfError = .milliseconds(1_500) }),
        ("disk.maximumBytes is -1", { $0.disk?.maximumBytes = -1 }),
        ("disk.maximumEntryCount is -1", { $0.disk?.maximumEntryCount = -1 }),
        ("disk.timeToLive is -1.0 seconds", { $0.disk?.timeToLive = .seconds(-1) }),
        ("disk.minimumFreeBytes is -1", { $0.disk?.minimumFreeBytes = -1 }),
        (
            "https://host.test/a is no file URL",
            { if let url = URL(string: "https://host.test/a") { $0.disk?.directory = url } }
        ),
        ("maximumConcurrentLoads is 0", { $0.maximumConcurrentLoads = 0 }),
        ("download.maximumConcurrentDownloads is 0", { $0.download.maximumConcurrentDownloads = 0 }),
        ("download.maximumConcurrentDownloadsPerHost is -3", { $0.download.maximumConcurrentDownloadsPerHost = -3 }),
        ("download.maximumResumableBytes is -1", { $0.download.maximumResumableBytes = -1 }),
        ("download.bodyBudget.byteLimit is 0", { $0.download.bodyBudget = BodyBudget(byteLimit: 0) }),
        ("download.idleTimeout is 0.0 seconds", { $0.download.idleTimeout = .zero }),
        ("download.totalTimeout is 0.0 seconds", { $0.download.totalTimeout = .zero }),
        ("download.connectivityWait is -1.0 seconds", { $0.download.connectivityWait = .seconds(-1) }),
        ("download.redirects.limit is -1", { $0.download.redirects.limit = -1 }),
        ("download.response.maximumBytes is 0", { $0.download.response.maximumBytes = 0 }),
        ("download.response.maximumHeaderBytes is 0", { $0.download.response.maximumHeaderBytes = 0 }),
        ("download.minimumRate.bytesPerSecond is 0", { $0.download.minimumRate?.bytesPerSecond = 0 }),
        ("download.minimumRate.period is 0.0 seconds", { $0.download.minimumRate?.period = .zero }),
        ("download.startRate.perSecond is 0.0", { $0.download.startRate = StartRate(perSecond: 0) }),
        ("download.startRate.perSecond is nan", { $0.download.startRate = StartRate(perSecond: .nan) }),
        ("download.startRate.burst is 0", { $0.download.startRate = StartRate(perSecond: 1, burst: 0) }),
        ("download.startRate.burst is 1000001", { $0.download.startRate = StartRate(perSecond: 1, burst: 1_000_001) }),
        ("download.retry.attempts is 0", { $0.download.retry.attempts = 0 }),
        ("download.retry.baseDelay is -1.0 seconds", { $0.download.retry.baseDelay = .seconds(-1) }),
        ("download.retry.delayLimit is 86401.0 seconds", { $0.download.retry.delayLimit = .seconds(86_401) }),
        ("download.retry.retryAfterLimit is -1.0 seconds", { $0.download.retry.retryAfterLimit = .seconds(-1) }),
        ("download.retry.hostBudget is -1", { $0.download.retry.hostBudget = -1 }),
        (
            "download.failureLifetimes.notFound is -1.0 seconds",
            { $0.download.failureLifetimes.notFound = .seconds(-1) }
        ),
        (
            "download.failureLifetimes.gone is 31536001.0 seconds",
            { $0.download.failureLifetimes.gone = .seconds(31_536_001) }
        ),
        ("decode.maximumConcurrentDecodes is 0", { $0.decode.maximumConcurrentDecodes = 0 }),
        ("decode.limits.pixels is -1", { $0.decode.limits.pixels = -1 }),
        ("previews.interval is -1.0 seconds", { $0.previews.interval = .seconds(-1) }),
        ("previews.maximumTimeShare is 1.5", { $0.previews.maximumTimeShare = 1.5 }),
        ("previews.minimumBytes is -1", { $0.previews.minimumBytes = -1 }),
        ("previews.maximumMemoryBytes is -1", { $0.previews.maximumMemoryBytes = -1 }),
    ]

    @Test(arguments: invalid.indices) func settingOutOfRange_isNamed_byEveryLoad(index: Int) async throws {
        let (text, change) = Self.invalid[index]
        var fixture = try LoaderFixture(ScriptedDataLoader())
        change(&fixture.configuration)
        let loader = fixture.makeLoader()
        let request = try ImageRequest.test()
        let png = try Pictures.png()
        for load in [
            { _ = try await loader.image(for: request) }, { _ = try await loader.data(for: request) },
            { _ = try await loader.image(for: URL.test()) }, { try await loader.store(png, for: request) },
        ] as [() async throws -> Void] {
            let error = await #expect(throws: ImageLoaderError.self) { try await load() }
            #expect(error?.kind == .unsupportedConfiguration)
            #expect("\(String(describing: error))".contains(text), "\(String(describing: error))")
        }
        let told = fixture.events.values.compactMap { event in
            if case .misconfigured(let error) = event { "\(error)" } else { nil }
        }
        #expect(told.count == 1 && told[0].contains(text))
        #expect(fixture.transport.callCount == 0)
        #expect(!FileManager.default.fileExists(atPath: fixture.temporary.file("cache")))
    }

    @Test func unsendableHeader_isConfigurationError() async throws {
        var fixture = try LoaderFixture(ScriptedDataLoader())
        fixture.configuration.download.headers["X-A"] = "a\r\nX-B: b"
        let loader = fixture.makeLoader()
        await #expect(throws: ImageLoaderError.invalidHeader(name: "X-A")) { try await loader.image(for: .test()) }
    }

    @Test func settingsForGivenOwner_areConfigurationError() async throws {
        let transport = ScriptedDataLoader()
        var configurations: [(String, ImageLoader)] = []
        var configuration = ImageLoader.Configuration()
        configuration.memory.maximumCount = 5
        configurations.append(("Configuration.memory", ImageLoader(configuration, memoryCache: MemoryCache())))
        configuration = ImageLoader.Configuration()
        configuration.disk = nil
        configurations.append(("Configuration.disk", ImageLoader(configuration, diskCache: DiskStore())))
        let downloads = DownloadCoordinator(dataLoader: transport)
        configuration = ImageLoader.Configuration()
        configuration.download.idleTimeout = .seconds(1)
        configurations.append(("Configuration.download", ImageLoader(configuration, downloads: downloads)))
        configuration = ImageLoader.Configuration()
        configuration.dataLoader = transport
        configurations.append(("Configuration.dataLoader", ImageLoader(configuration, downloads: downloads)))
        for (name, loader) in configurations {
            let error = await #expect(throws: ImageLoaderError.self) { try await loader.image(for: .test()) }
            #expect(error?.kind == .unsupportedConfiguration)
            #expect("\(String(describing: error))".contains(name))
        }
        #expect(transport.callCount == 0)
    }

    @Test func ownersAlone_refuseSameSettings() async throws {
        var memory = MemoryCache.Settings()
        memory.maximumBytes = -1
        #expect(failure { try MemoryCache(memory) } == .unsupportedConfiguration)
        var disk = DiskStore.Settings()
        disk.minimumFreeBytes = -1
        #expect(failure { try DiskStore(disk) } == .unsupportedConfiguration)
        var download = DownloadCoordinator.Settings()
        download.maximumConcurrentDownloads = 0
        #expect(failure { try DownloadCoordinator(download) } == .unsupportedConfiguration)
    }

    @Test func defaultAndServerConfigurations_areValid() throws {
        #expect(ImageLoader.Configuration().problem == nil)
        #expect(ImageLoader.Configuration.server.problem == nil)
        #expect(ImageLoader.shared === ImageLoader.shared)
    }
}
