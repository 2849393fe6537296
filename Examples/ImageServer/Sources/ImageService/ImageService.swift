import Adapters
import Alcedo
import Foundation
import Hummingbird
import Logging
import ServiceLifecycle

/// Resizes images from other servers: `GET /{signature}/{options}/{source}`.
package enum ImageService {
    /// Runs the server. Returns after SIGTERM or SIGINT, once the clients have their responses.
    ///
    /// - Parameter makeSource: Creates the source of files. Default: a loader.
    package static func run(from makeSource: @Sendable (ImageLoader) -> any FileSource = { $0 }) async throws {
        let logger = Logger(label: "image-server")
        do {
            try await run(try Settings(from: ProcessInfo.processInfo.environment), logger, makeSource)
        } catch let error as Settings.Problem {
            logger.critical("\(error)")
            exit(78)  // EX_CONFIG
        }
    }

    private static func run(
        _ settings: Settings, _ logger: Logger, _ makeSource: (ImageLoader) -> any FileSource
    ) async throws {
        let loader = ImageLoader(configuration(settings, logger))
        let router = Router(context: ConnectionContext.self)
        let routes = ImageRoutes(source: makeSource(loader), settings: settings)
        let (responses, connections) = (ResponseCounts(), Connections())
        router.add(middleware: responses)
        router.add(middleware: MetricsMiddleware())
        router.get("health") { _, _ in "ok\n" }
        router.get("metrics") { _, _ in
            Response(
                status: .ok, headers: [.contentType: "text/plain; version=0.0.4"],
                body: ResponseBody(
                    byteBuffer: ByteBuffer(string: responses.text + (await loader.metrics.prometheusText))))
        }
        router.get(":signature/:options/:source") { request, context in
            try await connections.respond(on: context.channel) { await routes.image(request, context) }
        }
        var application = Application(
            router: router,
            server: .http1(configuration: .init(additionalChannelHandlers: [ClosedInput(of: connections)])),
            configuration: .init(address: .hostname(settings.host, port: settings.port)),
            logger: logger)
        // This service stops last, when all connections have drained.
        application.addServices(LoaderService(loader: loader))
        try await application.runService()
    }

    private static func configuration(_ settings: Settings, _ logger: Logger) -> ImageLoader.Configuration {
        var configuration = ImageLoader.Configuration.server
        configuration.disk?.directory = settings.cacheDirectory
        configuration.disk?.maximumBytes = settings.cacheBytes
        // Each source is decoded for only a few sizes, so its pixels aren't kept.
        configuration.memory.maximumBytes = 0
        configuration.download.network.allowedOrigins = settings.allowedOrigins
        configuration.download.network.hosts = settings.allowedHosts
        configuration.maximumConcurrentLoads = settings.maximumLoads
        configuration.eventSinks = [LogSink(logger), MetricsSink(), TracingSink()]
        return configuration
    }
}

/// A service that closes the loader when the server has stopped.
struct LoaderService: Service {
    let loader: ImageLoader

    func run() async throws {
        try? await gracefulShutdown()
        await loader.flush()
        await loader.close()
    }
}
