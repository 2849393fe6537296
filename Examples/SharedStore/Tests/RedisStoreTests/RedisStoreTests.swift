import Alcedo
import AlcedoTestSupport
import Foundation
import Synchronization
import Testing

@testable import RedisStore

/// The store with a real server.
@Suite(.enabled(if: RedisServer.program != nil, "redis-server isn't installed"), .timeLimit(.minutes(2)))
struct RedisStoreTests {
    private let temporary: TemporaryDirectory

    init() throws { temporary = try TemporaryDirectory() }

    private func url(_ number: Int) throws -> URL { try #require(URL(string: "https://host.test/\(number)")) }

    /// A loader of a machine that has nothing stored. The width of an image is the number in its URL.
    private func makeLoader(_ store: any ImageStore, _ control: String = "max-age=60") throws -> ImageLoader {
        var configuration = ImageLoader.Configuration()
        configuration.dataLoader = ScriptedDataLoader { (request) throws(ImageLoaderError) in
            let width = Int(request.url.lastPathComponent) ?? 0
            return .bytes(
                try Pictures.png(width: width, height: 20), headers: ["Cache-Control": control, "ETag": "\"\(width)\""])
        }
        configuration.memory.maximumBytes = 0
        return ImageLoader(configuration, store: try StoredTier(store))
    }

    @Test func requirementsOfAStore_areMet() async throws {
        let server = try await RedisServer(in: temporary.url)
        let number = Atomic(0)
        let check = StoreCheck {
            var settings = RedisStore.Settings()
            settings.prefix = "\(number.wrappingAdd(1, ordering: .relaxed).newValue):"
            settings.timeout = .seconds(10)
            return RedisStore(.socket(server.socket), settings)
        }
        #expect(await check.problems() == [])
        let tiered = StoreCheck { () throws(ImageLoaderError) in
            var settings = RedisStore.Settings()
            settings.prefix = "\(number.wrappingAdd(1, ordering: .relaxed).newValue):"
            settings.timeout = .seconds(10)
            settings.wait = .milliseconds(1)
            return try TieredStore(local: InMemoryStore(), shared: RedisStore(.socket(server.socket), settings))
        }
        #expect(await tiered.problems() == [])
    }

    @Test func entries_expire() async throws {
        let server = try await RedisServer(in: temporary.url)
        var settings = RedisStore.Settings()
        settings.timeToLive = .milliseconds(1)
        let store = RedisStore(.socket(server.socket), settings)
        let loader = try makeLoader(store)
        for _ in 0..<2 {
            #expect(try await loader.response(for: ImageRequest(url: url(30))).source == .network)
            await loader.flush()
            // Nothing tells of it.
            try await Task.sleep(for: .milliseconds(20))
        }
        // The server removes them from time to time, and their indexes, too.
        let connection = RedisConnection(.socket(server.socket))
        while try await connection.send([Data("DBSIZE".utf8)], by: .now + .seconds(10)) != .integer(0) {
            try await Task.sleep(for: .milliseconds(20))
        }
    }

    /// An entry whose index was evicted couldn't be removed, so it isn't found.
    @Test func evictedIndex_hidesItsEntries() async throws {
        let server = try await RedisServer(in: temporary.url)
        let store = RedisStore(.socket(server.socket))
        let loader = try makeLoader(store)
        _ = try await loader.image(for: url(30))
        #expect(try await makeLoader(store).response(for: ImageRequest(url: url(30))).source == .disk)
        let connection = RedisConnection(.socket(server.socket))
        let set = Data("alcedo:source:https://host.test/30".utf8)
        #expect(try await connection.send([Data("DEL".utf8), set], by: .now + .seconds(10)) == .integer(1))
        #expect(try await makeLoader(store).response(for: ImageRequest(url: url(30))).source == .network)
    }

    @Test func serverThatEvictsKeys_servesNoWrongImage() async throws {
        let server = try await RedisServer(in: temporary.url)
        let connection = RedisConnection(.socket(server.socket))
        func send(_ command: String...) async throws -> RedisReply {
            try await connection.send(command.map { Data($0.utf8) }, by: .now + .seconds(10))
        }
        func number(_ name: String) async throws -> Int {
            let text = String(decoding: try await send("INFO").bytes ?? Data(), as: UTF8.self)
            let line = try #require(text.split(separator: "\r\n").first { $0.hasPrefix(name + ":") })
            return try #require(Int(line.dropFirst(name.count + 1)))
        }
        // Room for about every other image.
        let limit = try await number("used_memory") + 150_000
        _ = try await send("CONFIG", "SET", "maxmemory-policy", "allkeys-random", "maxmemory", "\(limit)")
        let loader = try makeLoader(RedisStore(.socket(server.socket)))
        for round in 0..<600 {
            let width = 20 + (round * 7) % 150
            #expect(try await loader.image(for: url(width)).size.width == width)
        }
        #expect(try await number("evicted_keys") > 0)
    }

    // MARK: Failures

    @Test func deafServer_isAnError_byTheTimeout() async throws {
        let server = try await RedisServer(in: temporary.url)
        server.signal(SIGSTOP)
        defer { server.signal(SIGCONT) }
        let store = RedisStore(.socket(server.socket))
        let error = await #expect(throws: ImageLoaderError.self) { try await store.removeEntries(.tag("t")) }
        #expect(error == .storeFailed(UnderlyingError(RedisError.timeout)))
    }

    @Test func serverKilledUnderLoad_failsNoLoad_andIsUsedAgain() async throws {
        var server = try await RedisServer(in: temporary.url)
        let events = Mutex<[TieredStore.Event]>([])
        var settings = TieredStore.Settings()
        settings.pause = .milliseconds(20)
        let redis = RedisStore(.socket(server.socket))
        // It keeps so little that most look-ups reach the server.
        let local = InMemoryStore(maximumBytes: 2_000)
        let store = try TieredStore(local: local, shared: redis, settings) { event in
            events.withLock { $0.append(event) }
        }
        let loader = try makeLoader(store)
        let load = Load()
        async let loads: Void = load.run(with: loader) { try self.url($0) }
        for round in 1...3 {
            try await Self.until { load.loaded >= 300 * round }
            server.kill()
            try await Self.until { events.withLock { $0.count { $0 == .paused } } >= round }
            server = try await RedisServer(in: temporary.url)
            try await Self.until { events.withLock { $0.count { $0 == .resumed } } >= round }
        }
        _ = try await loader.image(for: url(90))
        load.stop()
        try await loads
        await loader.flush()
        // On another machine.
        let other = try makeLoader(TieredStore(local: InMemoryStore(), shared: redis))
        #expect(try await other.response(for: ImageRequest(url: url(90))).source == .disk)
        withExtendedLifetime(server) {}
    }

    private static func until(_ condition: () -> Bool) async throws {
        while !condition() { try await Task.sleep(for: .milliseconds(2)) }
    }
}

/// Loads images until ``stop`` is called, and counts them.
private final class Load: Sendable {
    private let count = Atomic(0)
    private let isOver = Atomic(false)

    var loaded: Int { count.load(ordering: .relaxed) }

    func stop() { isOver.store(true, ordering: .relaxed) }

    /// - Parameter url: The URL of an image with this width.
    func run(with loader: ImageLoader, _ url: @escaping @Sendable (Int) throws -> URL) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            for task in 0..<4 {
                group.addTask { [self] in
                    var width = 20 + task
                    while !isOver.load(ordering: .relaxed), !Task.isCancelled {
                        width = 20 + (width + 7) % 50
                        let image = try await loader.image(for: url(width))
                        #expect(image.size.width == width)
                        count.wrappingAdd(1, ordering: .relaxed)
                    }
                }
            }
            try await group.waitForAll()
        }
    }
}
