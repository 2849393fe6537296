import Alcedo
import AlcedoTestSupport
import Foundation

/// The work of a service that makes files for its clients.
enum ServerCases {
    static let all: [BenchCase] = [
        .timed(
            "server/encoded-warm", ours: { try await files() },
            baseline: .init("open + fstat + read + close") { try BareFileRead.reads(bytes: bytes) })
    ]

    private static let (bytes, count) = (100_000, 16)

    /// Requests files that a loader has already encoded and stored, from fresh sources.
    private static func files() async throws -> Workload {
        let directory = try TemporaryDirectory()
        let transport = ScriptedDataLoader { _ in
            .bytes(Scripted.body, headers: ["Cache-Control": "max-age=86400", "ETag": "\"1\""])
        }
        let loader = Scripted.loader(transport) {
            $0.memory.maximumBytes = 0
            $0.disk = .bare(directory.file("cache"), byteLimit: 1 << 30)
            $0.deadline = .seconds(30)
        }
        let requests = try (0..<count).map { ImageRequest(url: try Scripted.url("photos/\($0)/large.jpg")) }
        for request in requests { blackHole(try await loader.encoded(for: request, as: RandomBytes())) }
        await loader.flush()
        let draws = UniformDraws(from: requests, seed: 2)
        return Workload(tearDown: { directory.remove() }) { iterations in
            for index in 0..<iterations {
                blackHole(try await loader.encoded(for: draws[index], as: RandomBytes()))
            }
            guard transport.callCount == count else { throw BenchError("\(transport.callCount) downloads") }
        }
    }

    /// An encoder whose files are as large as those of a thumbnail.
    private struct RandomBytes: FileEncoding {
        var identity: String { "random" }

        func file(of image: DecodedImage, _ cancellation: DecodeCancellation) throws(ImageLoaderError) -> Data {
            Data(BareFileRead.randomBytes(ServerCases.bytes, seed: 1))
        }
    }
}
