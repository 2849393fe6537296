import Alcedo
import Foundation
import Synchronization

/// A store in Redis or Valkey, which many processes share.
///
/// An entry is found whole or not at all, and expires by itself. With ``Settings/wait``, only one of several processes
/// that miss an image at the same time makes it, and the others wait for it.
///
/// The server may evict keys (`maxmemory-policy`). It must be one server, not a cluster, because an entry and its
/// indexes are changed in one step.
public final class RedisStore: ImageStore {
    /// The address of a server.
    public enum Address: Sendable, Hashable {
        /// The path of a Unix socket.
        case socket(String)
        /// A port, and an IPv4 address in numbers.
        case port(UInt16, host: String)
    }

    public struct Settings: Sendable {
        /// The beginning of all keys' names. It contains no special characters of Redis's patterns.
        public var prefix = "alcedo:"
        /// The lifetime of an entry, unless it expires earlier.
        public var timeToLive = Duration.seconds(7 * 86_400)
        /// The longest duration of a command, including its wait for a connection.
        public var timeout = Duration.milliseconds(200)
        /// The number of connections, each of which carries out one command at a time.
        public var connectionCount = 4
        /// The longest wait of a look-up while another process makes the image. Zero never waits.
        ///
        /// Only use this if made images are stored: with ``DiskContents/processed``, ``DiskContents/both``, or for
        /// ``ImageLoader/encoded(for:as:)``. Otherwise each look-up waits for an image that is never stored. The
        /// time-out of a `TieredStore` and the deadline of its tier must be longer.
        public var wait = Duration.zero
        /// The time after which a second process makes an image that the first one hasn't made yet.
        public var lease = Duration.seconds(10)

        public init() {}
    }

    private let settings: Settings
    private let connections: [RedisConnection]
    private let commandCount = Atomic(0)
    /// The name of this store among all that make images.
    private let name = Data(UUID().uuidString)

    public init(_ address: Address, _ settings: Settings = Settings()) {
        self.settings = settings
        connections = (0..<max(1, settings.connectionCount)).map { _ in RedisConnection(address) }
    }

    // MARK: Looking up

    public func entry(for key: StoredKey, reading part: StoredPart) async throws(ImageLoaderError) -> StoredEntry? {
        // The bytes of an original are downloaded, and not made.
        let mayWait = settings.wait > .zero && part == .whole && key.isProcessed
        let end = ContinuousClock.now + settings.wait
        var pause = Duration.milliseconds(5)
        while true {
            switch try await find(key, part, lease: mayWait ? settings.lease : .zero) {
            case .entry(let entry): return entry
            case .nothing: return nil
            case .lease: break
            }
            guard ContinuousClock.now < end, await sleep(pause) else { return nil }
            pause = min(pause * 2, .milliseconds(40))
        }
    }

    /// Returns false if the Task was cancelled.
    private func sleep(_ duration: Duration) async -> Bool {
        do {
            try await Task.sleep(for: duration)
            return true
        } catch {
            return false
        }
    }

    private enum Answer {
        case entry(StoredEntry)
        case nothing
        /// There is no entry, but another process is making it.
        case lease
    }

    private func find(
        _ key: StoredKey, _ part: StoredPart, lease: Duration
    ) async throws(ImageLoaderError) -> Answer {
        let whole = part == .whole
        let reply = try await run(
            RedisScripts.find, [entryName(key.digest), leaseName(key.digest)],
            [Data(key.digest), Data(whole ? "1" : "0"), name, lease.milliseconds])
        if let number = reply.integer { return number == 0 ? .nothing : .lease }
        guard let parts = reply.array, let bytes = parts.first?.bytes, let metadata = StoredMetadata(bytes: bytes)
        else { return .nothing }
        return .entry(StoredEntry(metadata, body: whole ? parts.last?.bytes ?? Data() : Data()))
    }

    // MARK: Storing

    public func store(_ body: StoredBody?, _ metadata: StoredMetadata) async throws(ImageLoaderError) {
        let (key, now) = (metadata.key, Date())
        let left = metadata.expires.map { Duration.seconds($0.timeIntervalSince(now)) } ?? settings.timeToLive
        let sets = [setName(ofSource: key.source)] + metadata.tags.map { setName(ofTag: $0) }
        var arguments = [
            Data(key.digest), min(left, settings.timeToLive).milliseconds,
            Data(metadata.version.map { "\($0)" } ?? ""), metadata.bytes,
        ]
        arguments += sets
        if let body { arguments.append(try await body.data) }
        let script = body == nil ? RedisScripts.renew : RedisScripts.store
        _ = try await run(script, [entryName(key.digest), leaseName(key.digest)], arguments)
    }

    // MARK: Removing and listing

    public func removeEntries(_ selection: StoredSelection) async throws(ImageLoaderError) {
        switch selection {
        // They are gone already.
        case .expired: break
        case .keys(let keys):
            for start in stride(from: 0, to: keys.count, by: 256) {
                let digests = keys[start..<min(start + 256, keys.count)].map(\.digest)
                _ = try await send([Data("UNLINK")] + digests.flatMap { [entryName($0), leaseName($0)] })
            }
        case .source(let source): try await remove(setName(ofSource: source))
        case .tag(let tag): try await remove(setName(ofTag: tag))
        case .all:
            var cursor = Self.start
            repeat {
                let page = try await run(RedisScripts.removeAll, [], [Data(settings.prefix), cursor]).array
                cursor = page?.first?.bytes ?? Self.start
            } while cursor != Self.start
        }
    }

    /// The cursor of the first page, which comes after the last one.
    private static let start = Data("0")

    private func remove(_ set: Data) async throws(ImageLoaderError) {
        while try await run(RedisScripts.remove, [set], [entryName(""), Data("256")]).integer ?? 0 > 0 {}
    }

    public func listEntries(
        _ selection: StoredSelection, _ body: @Sendable ([StoredMetadata]) -> Void
    ) async throws(ImageLoaderError) {
        switch selection {
        case .expired: break
        case .keys(let keys):
            for key in Set(keys) {
                if case .entry(let entry) = try await find(key, .metadata, lease: .zero) { body([entry.metadata]) }
            }
        case .source(let source): try await list(RedisScripts.list, [setName(ofSource: source)], body)
        case .tag(let tag): try await list(RedisScripts.list, [setName(ofTag: tag)], body)
        case .all: try await list(RedisScripts.listAll, [], body)
        }
    }

    private func list(
        _ script: String, _ keys: [Data], _ body: @Sendable ([StoredMetadata]) -> Void
    ) async throws(ImageLoaderError) {
        // A page may repeat entries of another one.
        var seen: Set<StoredKey> = []
        var cursor = Self.start
        repeat {
            let page = try await run(script, keys, [entryName(""), cursor]).array ?? []
            let found = page.dropFirst().compactMap { $0.bytes.flatMap { StoredMetadata(bytes: $0) } }
            body(found.filter { seen.insert($0.key).inserted })
            cursor = page.first?.bytes ?? Self.start
        } while cursor != Self.start
    }

    // MARK: Names and commands

    private func entryName(_ digest: String) -> Data { Data("\(settings.prefix)entry:\(digest)") }
    private func leaseName(_ digest: String) -> Data { Data("\(settings.prefix)lease:\(digest)") }
    private func setName(ofSource source: String) -> Data { Data("\(settings.prefix)source:\(source)") }
    private func setName(ofTag tag: String) -> Data { Data("\(settings.prefix)tag:\(tag)") }

    /// The server keeps the compiled form of a script, so only its text is sent each time.
    private func run(
        _ script: String, _ keys: [Data], _ arguments: [Data]
    ) async throws(ImageLoaderError) -> RedisReply {
        try await send([Data("EVAL"), Data(script), Data("\(keys.count)")] + keys + arguments)
    }

    private func send(_ command: [Data]) async throws(ImageLoaderError) -> RedisReply {
        let number = commandCount.wrappingAdd(1, ordering: .relaxed).newValue
        let connection = connections[number % connections.count]
        do {
            return try await connection.send(command, by: ContinuousClock.now + settings.timeout)
        } catch {
            throw .storeFailed(UnderlyingError(error))
        }
    }
}

extension Data {
    fileprivate init(_ text: String) { self.init(text.utf8) }
}

extension Duration {
    /// In whole milliseconds, as text.
    fileprivate var milliseconds: Data { Data("\(Int64(self / .milliseconds(1)))") }
}
