import AlcedoTestSupport
import Foundation
import Testing

@testable import RedisStore

/// Four processes on two machines, each of which has a directory that its two processes share.
@Suite(.enabled(if: RedisServer.program != nil, "redis-server isn't installed"), .timeLimit(.minutes(2)))
struct FleetTests {
    private let temporary: TemporaryDirectory

    init() throws { temporary = try TemporaryDirectory() }

    /// Runs a process of the fleet, and returns the lines that it prints.
    private func run(
        _ urls: [URL], _ server: RedisServer, _ origin: LoopbackServer, process: Int
    ) async throws -> [String] {
        // Files, because the processes would inherit pipes from each other.
        let files = ["input", "output"].map { temporary.url.appending(path: "\($0) \(process)") }
        try Data(urls.map { "\($0)\n" }.joined().utf8).write(to: files[0])
        try Data().write(to: files[1])
        let worker = Process()
        worker.executableURL = Bundle.main.bundleURL.appending(path: "FleetWorker")
        worker.arguments = [
            server.socket, temporary.url.appending(path: "machine \(process / 2)").path,
            "http://127.0.0.1:\(origin.port)",
        ]
        worker.standardInput = try FileHandle(forReadingFrom: files[0])
        worker.standardOutput = try FileHandle(forWritingTo: files[1])
        try await withCheckedThrowingContinuation { continuation in
            worker.terminationHandler = { _ in continuation.resume() }
            do {
                try worker.run()
            } catch {
                continuation.resume(throwing: error)
            }
        }
        return try String(contentsOf: files[1], encoding: .utf8).split(separator: "\n").map(String.init)
    }

    @Test func processesThatMissAtOnce_makeEachThumbnailOnce() async throws {
        let redis = try await RedisServer(in: temporary.url)
        let origin = try LoopbackServer { request in
            let width = Int(request.path.dropFirst()) ?? 0
            guard let png = try? Pictures.png(width: width, height: 30) else { return .status(404) }
            return .bytes(png, contentType: "image/png").header("Cache-Control", "max-age=600")
        }
        let urls = (0..<40).map { origin.url("/\(32 + $0)") }
        let lines = try await withThrowingTaskGroup(of: [String].self) { group in
            for process in 0..<4 {
                group.addTask { try await run(urls, redis, origin, process: process) }
            }
            return try await group.reduce(into: []) { $0 += $1 }
        }
        let fields = lines.map { $0.split(separator: " ").map(String.init) }
        #expect(fields.count == 160 && fields.allSatisfy { $0.first == "thumbnail" }, "\(lines.prefix(3))")
        let made = fields.filter { $0[2] == "network" }.map { $0[1] }
        #expect(made.count == 40 && Set(made).count == 40)
        #expect(origin.statistics.requests == 40)
        // The processes have the same thumbnails.
        #expect(Set(fields.map { $0[1] + " " + $0[3] }).count == 40)
    }
}
