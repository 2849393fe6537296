import Alcedo
import AlcedoTestSupport
import Foundation
import Synchronization

/// The cost of HTTP's caching rules.
enum HTTPCases {
    static let all: [BenchCase] = [
        .timed(
            "http/hit-fresh", target: 1.2, ours: { try await hits(HTTPCases.headers) },
            baseline: .init("a hit of an image without a response") { try await hits(nil) }),
        .timed("http/decide", target: 1_000, ours: { decisions() }),
        .timed("http/freshness", ours: { freshness() }),
        .timed("http/revalidate-304", target: 30_000, ours: { try revalidations(onDisk: false) }),
        .timed("http/revalidate-304-disk", ours: { try revalidations(onDisk: true) }),
    ]

    private static let headers: HTTPHeaders = [
        "Date": "Fri, 15 Jan 2027 08:00:00 GMT", "Content-Type": "image/jpeg", "Content-Length": "123456",
        "Cache-Control": "public, max-age=86400, stale-while-revalidate=60", "ETag": "\"5f3c-61a0c2b4d8e40\"",
        "Last-Modified": "Sun, 06 Nov 2025 08:49:37 GMT", "Vary": "Accept", "Age": "120", "Server": "nginx",
    ]
    private static let now: Int64 = 1_800_000_000
    private static let exchange = Freshness.Exchange(request: now - 1, response: now)

    /// Synchronous look-ups of an image in memory. Its freshness is checked if it was made from a response.
    private static func hits(_ headers: HTTPHeaders?) async throws -> Workload {
        let transport = ScriptedDataLoader { _ in .bytes(Scripted.body, headers: headers ?? [:]) }
        let loader = Scripted.loader(transport)
        let url = try Scripted.url("fresh.jpg")
        if headers == nil {
            try await loader.store(Scripted.picture(), for: ImageRequest(url: url))
        } else {
            _ = try await loader.image(for: url)
        }
        return Workload { count in
            for _ in 0..<count {
                guard let image = loader.cachedImage(for: url) else { throw BenchError("no image in memory") }
                blackHole(image)
            }
        }
    }

    /// The decision whether to use a fresh response.
    private static func decisions() -> Workload {
        let (query, freshness) = (CacheQuery(.http), Freshness(headers, status: 200, exchange))
        return Workload { count in
            for step in 0..<count { blackHole(query.decision(on: freshness, at: now + Int64(step & 63))) }
        }
    }

    /// The computation of a response's freshness from its header fields, which happens once per response.
    private static func freshness() -> Workload {
        Workload { count in for _ in 0..<count { blackHole(Freshness(headers, status: 200, exchange)) } }
    }

    /// Revalidations of an image in memory that is stale each time, and that the server confirms.
    private static func revalidations(onDisk: Bool) throws -> Workload {
        let clock = Clock()
        let transport = ScriptedDataLoader { request in
            request.headers["If-None-Match"] == nil
                ? .bytes(Scripted.body, headers: headers) : .status(304, headers: headers)
        }
        let directory = try TemporaryDirectory()
        let loader = Scripted.loader(transport) { configuration in
            configuration.timeOfDay = { clock.second.load(ordering: .relaxed) }
            if onDisk { configuration.disk = .init(directory: URL(fileURLWithPath: directory.path)) }
        }
        let url = try Scripted.url("confirmed.jpg")
        return Workload { count in
            for _ in 0..<count {
                clock.second.add(100_000, ordering: .relaxed)
                blackHole(try await loader.image(for: url))
            }
            withExtendedLifetime(directory) {}
        }
    }

    private final class Clock: Sendable {
        let second = Atomic(now)
    }
}
