public import Alcedo
public import Foundation
import Synchronization

/// A store in memory, for tests of programs that pass a `StoredTier` to their loader.
///
/// It keeps bytes and metadata as a store on another medium would, so what is found was really stored.
public final class InMemoryStore: ImageStore {
    private struct Item: Sendable {
        let key: StoredKey
        let body: Data
        var metadata: Data
        let tags: Set<String>
        var expires: Date?
        var version: UInt64?
        /// Increases with each use.
        var lastUse: Int

        var byteCount: Int { body.count + metadata.count }

        func isIn(_ selection: StoredSelection, at now: Date) -> Bool {
            switch selection {
            case .all: true
            case .expired: expires.map { $0 <= now } ?? false
            case .keys(let keys): keys.contains(key)
            case .source(let source): key.source == source
            case .tag(let tag): tags.contains(tag)
            }
        }
    }

    private struct State {
        var items: [String: Item] = [:]
        var byteCount = 0
        var uses = 0
        var failure: ImageLoaderError?

        mutating func insert(_ item: Item, within maximumBytes: Int?) {
            remove(item.key)
            if let maximumBytes {
                guard item.byteCount <= maximumBytes else { return }
                while byteCount > maximumBytes - item.byteCount,
                    let oldest = items.values.min(by: { $0.lastUse < $1.lastUse })
                {
                    remove(oldest.key)
                }
            }
            items[item.key.text] = item
            byteCount += item.byteCount
        }

        mutating func remove(_ key: StoredKey) {
            if let old = items.removeValue(forKey: key.text) { byteCount -= old.byteCount }
        }
    }

    private let state = Mutex(State())
    private let maximumBytes: Int?
    private let listsAll: Bool
    private let now: @Sendable () -> Date

    /// Creates an empty store.
    ///
    /// - Parameters:
    ///   - maximumBytes: The bytes that all entries may take together. The least recently used are removed first, and
    ///     a larger entry isn't stored. Default: nil, which sets no limit.
    ///   - listsAll: Whether the store can list all entries. Default: true. Otherwise, it finds entries by their tags
    ///     and keys only, and removing by a prefix throws `ImageLoaderError.unsupportedSelection`.
    ///   - now: The time of day.
    public init(
        maximumBytes: Int? = nil, listsAll: Bool = true, now: @escaping @Sendable () -> Date = { Date() }
    ) {
        self.maximumBytes = maximumBytes
        self.listsAll = listsAll
        self.now = now
    }

    /// The error that all calls throw; nil, the default, if they succeed.
    public var failure: ImageLoaderError? {
        get { state.withLock { $0.failure } }
        set { state.withLock { $0.failure = newValue } }
    }

    /// The number of entries.
    public var entryCount: Int { state.withLock { $0.items.count } }

    /// The bytes of all entries and their metadata.
    public var byteCount: Int { state.withLock { $0.byteCount } }

    public func entry(for key: StoredKey, reading part: StoredPart) async throws(ImageLoaderError) -> StoredEntry? {
        let item = try change { state -> Item? in
            state.uses += 1
            state.items[key.text]?.lastUse = state.uses
            return state.items[key.text]
        }
        guard let item, let metadata = StoredMetadata(bytes: item.metadata) else { return nil }
        return StoredEntry(metadata, body: part == .whole ? item.body : Data())
    }

    public func store(_ body: StoredBody?, _ metadata: StoredMetadata) async throws(ImageLoaderError) {
        let data = try await body?.data
        try change { state in
            state.uses += 1
            let old = state.items[metadata.key.text]
            guard let body = data ?? (old?.version == metadata.version ? old?.body : nil) else { return }
            if data == nil, metadata.version == nil { return }
            let item = Item(
                key: metadata.key, body: body, metadata: metadata.bytes, tags: metadata.tags,
                expires: metadata.expires, version: metadata.version, lastUse: state.uses)
            state.insert(item, within: maximumBytes)
        }
    }

    public func removeEntries(_ selection: StoredSelection) async throws(ImageLoaderError) {
        let now = now()
        try change { state in
            for item in state.items.values where item.isIn(selection, at: now) { state.remove(item.key) }
        }
    }

    public func listEntries(
        _ selection: StoredSelection, _ body: @Sendable ([StoredMetadata]) -> Void
    ) async throws(ImageLoaderError) {
        switch selection {
        case .tag, .keys: break
        case .all, .expired, .source: if !listsAll { throw .unsupportedSelection("\(selection)") }
        }
        let now = now()
        let found = try change { state in state.items.values.filter { $0.isIn(selection, at: now) } }
        body(found.compactMap { StoredMetadata(bytes: $0.metadata) })
    }

    private func change<Value: Sendable>(
        _ change: (inout State) -> Value
    ) throws(ImageLoaderError) -> Value {
        let outcome = state.withLock { state -> Result<Value, ImageLoaderError> in
            if let failure = state.failure { return .failure(failure) }
            return .success(change(&state))
        }
        return try outcome.get()
    }
}
