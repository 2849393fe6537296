import Alcedo
import AlcedoTestSupport
import CCodecLoops
import Foundation

/// Images from a real server that a loader doesn't have yet, with its default transport, codecs, memory and disk cache.
enum DefaultMissCases {
    #if os(Linux) && JPEG && Curl
    static let all: [BenchCase] = [
        .timed(
            "pipeline/miss-default", target: 1.35, operationsPerCall: count, iterationsPerSample: 1, time: .processor,
            ours: { try misses() },
            baseline: .init("the transport, libjpeg and a file") { try bareMisses() })
    ]

    private static let count = 2_000
    /// The number of concurrent loads, which is the default for one host.
    private static let width = 6
    private static let photo = PhotoFile(width: 316, height: 237)

    private static func server() throws -> (FileServer, [URL]) {
        let server = try FileServer(name: "photo.jpg", contents: try photo.jpeg())
        return (server, (0..<count).map { server.url("photo.jpg?\($0)") })
    }

    private static func misses() throws -> Workload {
        let (server, urls) = try server()
        let directory = try TemporaryDirectory()
        var configuration = ImageLoader.Configuration()
        configuration.disk = .init(directory: URL(filePath: directory.file("cache")))
        let loader = ImageLoader(configuration)
        return Workload(
            prepare: { _ in
                await loader.removeAll()
                await loader.flush()
            },
            tearDown: {
                await loader.close()
                directory.remove()
                server.stop()
            }
        ) { _ in
            try await each(of: urls) { url in blackHole(try await loader.image(for: url)) }
            await loader.flush()
        }
    }

    /// The work that no loader can avoid.
    private static func bareMisses() throws -> Workload {
        let (server, urls) = try server()
        let directory = try TemporaryDirectory()
        let transport = CurlDataLoader(TransportSettings())
        let pixels = (0..<width).map { _ in ReusedBuffer(bytes: photo.bitmapBytes) }
        let turn = Turn()
        return Workload(
            tearDown: {
                directory.remove()
                server.stop()
            }
        ) { _ in
            try await each(of: urls) { url in
                let number = turn.next()
                let sink = ResponseSink(maximumBytes: 1 << 20)
                try await transport.load(DataRequest(url: url), into: sink)
                let body = Array(sink.body)
                let isDecoded = pixels[number % width].withBytes {
                    jpeg_loop_decode(body, body.count, $0.baseAddress, $0.count)
                }
                if !isDecoded { throw BenchError("libjpeg decodes nothing") }
                let temporary = BareFile(path: directory.file("temporary-\(number)"))
                try BareFile(path: directory.file("file-\(number % count)")).replace(with: body, by: temporary)
            }
        }
    }

    private static func each(
        of urls: [URL], _ load: @escaping @Sendable (URL) async throws -> Void
    ) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            for first in 0..<width {
                group.addTask {
                    for number in stride(from: first, to: urls.count, by: width) { try await load(urls[number]) }
                }
            }
            try await group.waitForAll()
        }
    }
    #else
    static let all: [BenchCase] = []
    #endif
}
