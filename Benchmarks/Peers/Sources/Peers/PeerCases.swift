import AlcedoTestSupport
import Foundation
import Synchronization

/// The cases, with the server that they load from.
final class PeerCases: Sendable {
    private struct Missing: Error {}

    private let server: LoopbackServer
    private let number = Atomic(0)

    init() throws {
        guard let png = Data(base64Encoded: Self.png) else { throw Missing() }
        server = try LoopbackServer { _ in .bytes(png, contentType: "image/png") }
    }

    /// - Parameter photo: A JPEG to reduce; nil leaves that case out.
    func all(photo: URL?) -> [PeerCase] {
        let cases = [memoryHits, misses, atOnce]
        guard let photo else { return cases }
        return cases + [
            PeerCase(name: "12 MP to 800 px", operations: 1) { try await $0.reduce(photo, to: 800) }
        ]
    }

    func stop() { server.stop() }

    private var memoryHits: PeerCase {
        let urls = (0..<100).map { server.url("/kept/\($0).png") }
        return PeerCase(name: "memory hit", operations: 100 * urls.count) { peer in
            // Loads only in the first round.
            for url in urls where !peer.isInMemory(url) { try await peer.load(url) }
            for _ in 0..<100 {
                for url in urls where !peer.isInMemory(url) { throw Missing() }
            }
        }
    }

    private var misses: PeerCase {
        PeerCase(name: "miss", operations: 200) { peer in
            for url in self.freshURLs(200) { try await peer.load(url) }
        }
    }

    private var atOnce: PeerCase {
        PeerCase(name: "1,000 at once", operations: 1) { peer in
            try await withThrowingDiscardingTaskGroup { group in
                for url in self.freshURLs(1_000) { group.addTask { try await peer.load(url) } }
            }
        }
    }

    /// URLs that no round has used before.
    private func freshURLs(_ count: Int) -> [URL] {
        let first = number.add(count, ordering: .relaxed).oldValue
        return (first..<first + count).map { server.url("/fresh/\($0).png") }
    }

    /// A PNG of one pixel.
    private static let png =
        "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
}
