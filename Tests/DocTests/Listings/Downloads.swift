import Alcedo
import AlcedoTestSupport
import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// The listings about downloads, one function for each.
enum Downloads {
    static func request(_ url: URL, mirror: URL, token: String) -> ImageRequest {
        // region: request-options
        var request = ImageRequest(url: url)
        request.priority = .high
        request.headers["Accept-Language"] = "de"
        request.credentials = .init(user: "me", password: token)
        request.readPolicy = .reload
        request.fallbacks = [mirror]
        // endregion
        return request
    }

    static func sources(
        _ bytes: Data, _ picture: DecodedImage, fetch: @escaping @Sendable () async throws -> Data
    ) -> [ImageRequest] {
        // region: sources
        let icon = ImageRequest(data: bytes, id: "icon")
        let cover = ImageRequest(id: "cover") { try await fetch() }
        let frame = ImageRequest(image: picture, id: "video 3, 00:15")
        // endregion
        return [icon, cover, frame]
    }

    static func change(_ loader: ImageLoader) async throws(ImageLoaderError) {
        // region: change-settings
        try await loader.downloads.setTimeouts(idle: .seconds(5), total: .seconds(60))
        try await loader.downloads.setMaximumConcurrentDownloads(24)
        try await loader.diskCache?.setTimeToLive(.seconds(86_400))
        var memory = MemoryCache.Settings()
        memory.timeToLive = .seconds(600)
        try await loader.memoryCache.change(to: memory)
        // endregion
    }

    static func german(_ configuration: ImageLoader.Configuration, _ loader: ImageLoader) -> ImageLoader {
        var configuration = configuration
        // region: other-fields
        configuration.download.headers["Accept-Language"] = "de"
        let german = ImageLoader(
            configuration, memoryCache: loader.memoryCache, diskCache: loader.diskCache)
        // endregion
        return german
    }

    static func task(
        _ request: ImageRequest, with loader: ImageLoader, log: (String) -> Void
    ) async throws(ImageLoaderError) -> DecodedImage {
        // region: load-task
        let task = loader.imageTask(for: request)
        task.priority = .veryHigh
        for await event in task.events {
            if case .progress(let received, let expected?) = event {
                log("\(received) of \(expected) bytes")
            }
        }
        let image = try await task.image
        // endregion
        return image
    }

    static func settings(token: @escaping @Sendable () async throws -> String) -> ImageLoader.Configuration {
        // region: download-settings
        var configuration = ImageLoader.Configuration()
        configuration.download.maximumConcurrentDownloadsPerHost = 4  // at once from one host
        configuration.download.order = .lastInFirstOut
        configuration.download.startRate = StartRate(perSecond: 50, burst: 10)
        configuration.download.retry.attempts = 5
        configuration.download.failureLifetimes.notFound = .seconds(30)
        configuration.download.totalTimeout = .seconds(120)
        configuration.download.response.contentTypes = ["image/*"]
        configuration.download.redirects.secretHeaders = ["X-Token"]
        configuration.download.prepare = RequestPreparation(id: "token of user 7") { request in
            request.headers["X-Token"] = try await token()
        }
        // endregion
        return configuration
    }

    static func waiting(_ configuration: inout ImageLoader.Configuration, _ request: inout ImageRequest) {
        // region: connectivity-wait
        configuration.download.connectivityWait = .seconds(60)
        request.connectivityWait = .zero  // fails immediately
        // endregion
    }

    static func authentication(
        _ configuration: inout ImageLoader.Configuration,
        fetch: @escaping @Sendable (_ refused: String?) async throws -> String
    ) {
        @Sendable func token(replacing refused: String?) async throws -> String { try await fetch(refused) }
        // region: authentication
        configuration.download.authenticate = RequestAuthentication(id: "user 7") { question in
            guard question.origin == "https://images.example.org" else { return nil }
            return "Bearer " + (try await token(replacing: question.refused))
        }
        // endregion
    }

    static func control(
        _ request: ImageRequest, with loader: ImageLoader, origin: URL
    ) async throws(ImageLoaderError) {
        // region: download-control
        try await loader.downloads.setMaximumConcurrentDownloads(1, forHostOf: origin)
        await loader.downloads.pause()
        await loader.downloads.resume()
        await loader.downloads.forgetFailure(of: request)
        let statistics = await loader.downloads.statistics
        print(statistics.queuedByHost, statistics.retried, statistics.bytesReceived)
        // endregion
    }

    static func server() -> ImageLoader {
        // region: server
        let loader = ImageLoader(.server)
        // endregion
        return loader
    }
}

extension Downloads {
    static func internalOrigin() -> ImageLoader {
        // region: internal-origin
        var configuration = ImageLoader.Configuration.server
        configuration.download.network.allowedOrigins = ["http://images.internal:8080"]
        let loader = ImageLoader(configuration)
        // endregion
        return loader
    }

    static func allowedHosts(_ configuration: inout ImageLoader.Configuration) {
        // region: allowed-hosts
        configuration.download.network.schemes = ["https"]
        configuration.download.network.ports = [443]
        configuration.download.network.hosts = ["images.example.org", "*.cdn.example.org"]
        // endregion
    }

    static func urlSession() -> ImageLoader.Configuration {
        // region: url-session
        var configuration = ImageLoader.Configuration()
        configuration.dataLoader = URLSessionDataLoader()
        // endregion
        return configuration
    }

    static func ownSession(_ configuration: inout ImageLoader.Configuration, _ proxy: [AnyHashable: Any]) {
        // region: url-session-configuration
        let session = URLSessionConfiguration.default
        session.connectionProxyDictionary = proxy
        configuration.dataLoader = URLSessionDataLoader(configuration: session)
        // endregion
    }

    static func ignorePipeSignal() {
        // region: pipe-signal
        signal(SIGPIPE, SIG_IGN)
        // endregion
    }
}

#if os(Linux) && Curl
extension Downloads {
    static func authorities(_ configuration: inout ImageLoader.Configuration) -> TransportSettings {
        // region: authorities
        var settings = TransportSettings()
        settings.authorities = URL(filePath: "/etc/example/authorities.pem")
        // For development only:
        settings.insecureHostsWithUncheckedCertificates = ["localhost"]
        configuration.dataLoader = CurlDataLoader(settings)
        // endregion
        return settings
    }

    static func clientCertificate(_ settings: inout TransportSettings, password: String) {
        // region: client-certificate
        settings.clientCertificate = .init(
            certificate: URL(filePath: "/etc/example/client.pem"),
            key: URL(filePath: "/etc/example/client.key"),
            password: password, hosts: ["images.internal"])
        // endregion
    }
}
#endif
