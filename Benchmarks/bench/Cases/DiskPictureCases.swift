import Alcedo
import AlcedoTestSupport
import CCodecLoops
import Foundation

/// Disk hits that are decoded to images, from JPEGs in the system's page cache.
enum DiskPictureCases {
    #if os(Linux) && JPEG && PNG
    static let all: [BenchCase] = [
        hit("disk/picture-10k", PhotoFile(width: 316, height: 237), bytes: 9_000...11_000),
        hit("disk/picture-200k", PhotoFile(width: 1_528, height: 1_146), bytes: 180_000...220_000),
    ]

    private static let files = 16

    private static func hit(_ name: String, _ photo: PhotoFile, bytes: ClosedRange<Int>) -> BenchCase {
        .timed(
            name, target: 1.3, ours: { try await hits(try file(photo, bytes)) },
            baseline: .init("read and libjpeg") { try bareHits(try file(photo, bytes), photo.bitmapBytes) })
    }

    private static func file(_ photo: PhotoFile, _ bytes: ClosedRange<Int>) throws -> Data {
        let file = try photo.jpeg()
        guard bytes.contains(file.count) else { throw BenchError("the JPEG has \(file.count) bytes") }
        return file
    }

    /// Loads through a loader without a memory cache, whose files were downloaded before.
    private static func hits(_ file: Data) async throws -> Workload {
        let directory = try TemporaryDirectory()
        let transport = ScriptedDataLoader { _ in .bytes(file) }
        let loader = Scripted.loader(transport) {
            $0.decode.decoders = .builtIn
            $0.memory.maximumBytes = 0
            $0.disk = .bare(directory.file("cache"), byteLimit: 1 << 30)
        }
        let urls = try (0..<files).map { try Scripted.url("photos/\($0)/large.jpg?width=1080") }
        for url in urls { blackHole(try await loader.image(for: url)) }
        await loader.flush()
        let draws = UniformDraws(from: urls, seed: 2)
        return Workload(tearDown: { directory.remove() }) { iterations in
            for index in 0..<iterations { blackHole(try await loader.image(for: draws[index])) }
            guard transport.callCount == files else { throw BenchError("\(transport.callCount) downloads") }
        }
    }

    private static func bareHits(_ file: Data, _ bitmapBytes: Int) throws -> Workload {
        let directory = try TemporaryDirectory()
        let all = (0..<files).map { BareFile(path: directory.file("file-\($0)")) }
        for one in all { try one.replace(with: Array(file), by: BareFile(path: directory.file("temporary"))) }
        let draws = UniformDraws(from: all, seed: 2)
        let pixels = ReusedBuffer(bytes: bitmapBytes)
        return Workload(tearDown: { directory.remove() }) { iterations in
            for index in 0..<iterations {
                let bytes = try draws[index].read()
                guard pixels.withBytes({ jpeg_loop_decode(bytes, bytes.count, $0.baseAddress, $0.count) }) else {
                    throw BenchError("libjpeg decodes nothing")
                }
            }
        }
    }
    #else
    static let all: [BenchCase] = []
    #endif
}
