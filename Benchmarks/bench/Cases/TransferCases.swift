import Alcedo
import AlcedoTestSupport
import Foundation

/// Downloads over real transports from a server in another process.
enum TransferCases {
    static let all: [BenchCase] = urlSession + curl

    private static let urlSession: [BenchCase] = [
        small("urlsession", width: 6, target: 1.15, URLSessionDataLoader.self, { .bareSession(width: 6) }),
        small("urlsession", width: 32, target: 1.2, URLSessionDataLoader.self, { .bareSession(width: 32) }),
        .peak("download/large-urlsession-peak", ours: { _ in try await loadLarge(URLSessionDataLoader.self) }),
    ]

    #if os(Linux) && Curl
    private static let curl: [BenchCase] = [
        small("curl", width: 6, target: 1.2, CurlDataLoader.self, { .curlProgram(width: 6) }),
        small("curl", width: 32, target: 1.2, CurlDataLoader.self, { .curlProgram(width: 32) }),
        bare("curl", width: 6, CurlDataLoader.self, { .curlProgram(width: 6) }),
        bare("curl", width: 32, CurlDataLoader.self, { .curlProgram(width: 32) }),
        // Bodies are received into files.
        .peak("download/large-curl-peak", target: 60e6, ours: { _ in try await loadLarge(CurlDataLoader.self) }),
    ]
    #else
    private static let curl: [BenchCase] = []
    #endif

    // MARK: Small files

    private static func small(
        _ name: String, width: Int, target: Double, _ transport: any BenchTransport.Type,
        _ baseline: @escaping @Sendable () -> SmallFilesBaseline
    ) -> BenchCase {
        .timed(
            "download/small-\(name)-\(width)", target: target, operationsPerCall: SmallFiles.count,
            iterationsPerSample: 1,
            ours: { try loads(width: width, transport) },
            baseline: .init(baseline().name) { try baseline().workload(SmallFiles.shared) })
    }

    /// Loads all files concurrently through a loader with that many connections, with caches off.
    private static func loads(width: Int, _ transport: any BenchTransport.Type) throws -> Workload {
        let files = try SmallFiles.shared
        var settings = TransportSettings()
        settings.maximumConnectionsPerHost = width + 2
        let loader = ImageLoader(configuration(width: width, transport.init(settings)))
        let requests = files.urls.map { ImageRequest(url: $0) }
        return Workload { iterations in
            for _ in 0..<iterations {
                try await withThrowingDiscardingTaskGroup { group in
                    for request in requests {
                        group.addTask {
                            let count = try await loader.data(for: request).count
                            if count != SmallFiles.bytes { throw BenchError("a body of \(count) bytes") }
                        }
                    }
                }
            }
        }
    }

    /// Loads the same files with the transport alone, one Task per connection: the minimum for any loader that uses it.
    private static func bare(
        _ name: String, width: Int, _ transport: any BenchTransport.Type,
        _ baseline: @escaping @Sendable () -> SmallFilesBaseline
    ) -> BenchCase {
        .timed(
            "download/transport-\(name)-\(width)", operationsPerCall: SmallFiles.count, iterationsPerSample: 1,
            ours: { try transfers(width: width, transport) },
            baseline: .init(baseline().name) { try baseline().workload(SmallFiles.shared) })
    }

    private static func transfers(width: Int, _ transport: any BenchTransport.Type) throws -> Workload {
        let urls = try SmallFiles.shared.urls
        var settings = TransportSettings()
        settings.maximumConnectionsPerHost = width + 2
        let loader = transport.init(settings)
        return Workload { iterations in
            for _ in 0..<iterations {
                try await withThrowingTaskGroup(of: Void.self) { group in
                    for first in 0..<width {
                        group.addTask {
                            for number in stride(from: first, to: urls.count, by: width) {
                                let sink = ResponseSink(maximumBytes: 1 << 20)
                                try await loader.load(DataRequest(url: urls[number]), into: sink)
                            }
                        }
                    }
                    try await group.waitForAll()
                }
            }
        }
    }

    private static func configuration(width: Int, _ transport: any DataLoading) -> ImageLoader.Configuration {
        var configuration = ImageLoader.Configuration()
        configuration.disk = nil
        configuration.memory.maximumBytes = 0
        configuration.download.maximumConcurrentDownloads = width
        configuration.download.maximumConcurrentDownloadsPerHost = width
        configuration.dataLoader = transport
        return configuration
    }

    // MARK: Large files

    /// Loads 20 files of 50 MB, six at a time. Each is released when it has arrived.
    private static func loadLarge(_ transport: any BenchTransport.Type) async throws {
        let server = try FileServer(name: "large", bytes: 50_000_000)
        let loader = ImageLoader(configuration(width: 6, transport.init(TransportSettings())))
        try await withThrowingTaskGroup(of: Int.self) { group in
            for number in 0..<20 {
                let request = ImageRequest(url: server.url("large?\(number)"))
                group.addTask { try await loader.data(for: request).count }
            }
            for try await count in group where count != 50_000_000 { throw BenchError("a body of \(count) bytes") }
        }
        server.stop()
    }
}

/// A transport that the cases can create.
protocol BenchTransport: DataLoading {
    init(_ settings: TransportSettings)
}

extension URLSessionDataLoader: BenchTransport {}
#if os(Linux) && Curl
extension CurlDataLoader: BenchTransport {}
#endif
