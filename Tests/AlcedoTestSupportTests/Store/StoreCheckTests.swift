import Alcedo
import AlcedoTestSupport
import Foundation
import Synchronization
import Testing

/// The check finds what is wrong with a store, and nothing where nothing is.
@Suite(.timeLimit(.minutes(2))) struct StoreCheckTests {
    @Test func storeInMemory_hasNoProblems() async {
        #expect(await StoreCheck { InMemoryStore() }.problems() == [])
        #expect(await StoreCheck { InMemoryStore(listsAll: false) }.problems() == [])
        let limit = 1_000_000
        #expect(await StoreCheck(maximumBytes: limit) { InMemoryStore(maximumBytes: limit) }.problems() == [])
    }

    @Test func diskCache_hasNoProblems() async throws {
        let temporary = try TemporaryDirectory()
        let number = Atomic(0)
        let limit = 4 << 20
        let check = StoreCheck(maximumBytes: limit) { () throws(ImageLoaderError) in
            let name = "cache \(number.add(1, ordering: .relaxed).newValue)"
            var settings = DiskStore.Settings.bare(temporary.file(name), byteLimit: limit)
            settings.synchronization = .never
            return try DiskStore(settings)
        }
        #expect(await check.problems() == [])
    }

    @Test(arguments: StoreProblem.Rule.allCases)
    func storeThatBreaksARule_isFoundOut(_ rule: StoreProblem.Rule) async {
        let limit = rule == .limits ? 1_000_000 : nil
        let problems = await StoreCheck(maximumBytes: limit) { FlawedStore(rule) }.problems()
        #expect(problems.contains { $0.rule == rule && !$0.detail.isEmpty }, "\(problems)")
    }
}

/// Keeps entries in memory, and breaks one rule.
private final class FlawedStore: ImageStore {
    private let broken: StoreProblem.Rule
    private let good = InMemoryStore()
    /// The bytes of all entries, by the texts of their keys, which are stored apart from the metadata.
    private let bodies = Mutex<[String: Data]>([:])
    private let removed = Mutex<[String: (Data, StoredMetadata)]>([:])

    init(_ broken: StoreProblem.Rule) { self.broken = broken }

    func entry(for key: StoredKey, reading part: StoredPart) async throws(ImageLoaderError) -> StoredEntry? {
        if broken == .errors { throw .storeFailed(UnderlyingError(CocoaError(.fileReadUnknown))) }
        var entry = try await good.entry(for: key, reading: part)
        if broken == .entries { entry?.body = Data() }
        if broken == .bodies, let body = entry?.body { entry?.body = body.prefix(4_095) }
        let keepsApart = broken == .concurrentWriters || broken == .cancellation
        if keepsApart, part == .whole, let body = bodies.withLock({ $0[key.text] }) {
            entry?.body = body
        }
        return entry
    }

    func store(_ body: StoredBody?, _ metadata: StoredMetadata) async throws(ImageLoaderError) {
        let old = try await good.entry(for: metadata.key, reading: .whole)
        let data = try await body?.data
        switch broken {
        case .replacement where old != nil && data != nil: return
        case .renewal where data == nil: return try await good.store(StoredBody(old?.body ?? Data()), metadata)
        case .concurrentWriters:
            if let data { bodies.withLock { $0[metadata.key.text] = data } }
            await Task.yield()
        case .cancellation:
            if let data { bodies.withLock { $0[metadata.key.text] = Task.isCancelled ? data.prefix(9) : data } }
        case .removedEntries where data == nil:
            if let (data, metadata) = removed.withLock({ $0[metadata.key.text] }) {
                return try await good.store(StoredBody(data), metadata)
            }
        default: break
        }
        try await good.store(body, metadata)
    }

    func removeEntries(_ selection: StoredSelection) async throws(ImageLoaderError) {
        switch (broken, selection) {
        case (.removalByKey, .keys), (.removalByTag, .tag), (.removalOfAll, .all): return
        case (.removedEntries, .keys(let keys)):
            for key in keys {
                guard let entry = try await good.entry(for: key, reading: .whole) else { continue }
                removed.withLock { $0[key.text] = (entry.body, entry.metadata) }
            }
        default: break
        }
        try await good.removeEntries(selection)
    }

    func listEntries(
        _ selection: StoredSelection, _ body: @Sendable ([StoredMetadata]) -> Void
    ) async throws(ImageLoaderError) {
        try await good.listEntries(selection) { [broken] found in
            body(broken == .listing ? Array(found.dropLast()) : found)
        }
    }
}
