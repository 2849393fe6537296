import Alcedo
import Foundation
import Synchronization

/// A store that is being checked, and the problems found with it.
final class StoreTrial: Sendable {
    let store: any ImageStore
    private let found = Mutex<[StoreProblem]>([])

    init(_ store: any ImageStore) { self.store = store }

    var problems: [StoreProblem] { found.withLock { $0 } }

    func expect(_ rule: StoreProblem.Rule, _ isKept: Bool, _ detail: @autoclosure () -> String) {
        if isKept { return }
        let problem = StoreProblem(rule: rule, detail: detail())
        found.withLock { $0.append(problem) }
    }

    // MARK: Entries

    func key(_ number: Int) -> StoredKey { StoredKey("https://store.test/\(number)") }

    func body(_ number: Int, count: Int = 100) -> Data {
        Data((0..<count).map { UInt8(truncatingIfNeeded: $0 &* 7 &+ number) })
    }

    /// - Parameters:
    ///   - version: Also the number of the body.
    ///   - expires: In seconds since 1970.
    func metadata(
        _ key: StoredKey, _ version: Int? = 1, tags: Set<String> = [], madeOf original: StoredKey? = nil,
        expires: Int64? = nil
    ) -> StoredMetadata {
        var properties = EntryMetadata(source: key.source)
        properties.response = version.map {
            StoredResponse(
                headers: ["ETag": "\"\($0)\"", "Content-Type": "image/png"],
                freshness: Freshness(
                    ["Cache-Control": "max-age=60"], status: 200, Freshness.Exchange(request: 1_000, response: 1_000)),
                version: UInt64($0))
        }
        properties.tags = tags
        properties.original = original?.text
        properties.storedAt = 1_000
        properties.format = .png
        return StoredMetadata(properties, for: key, expires: expires)
    }

    func store(_ key: StoredKey, _ version: Int = 1) async throws(ImageLoaderError) {
        try await store.store(StoredBody(body(version)), metadata(key, version))
    }

    func find(_ key: StoredKey) async throws(ImageLoaderError) -> StoredEntry? {
        try await store.entry(for: key, reading: .whole)
    }

    func isThere(_ key: StoredKey) async throws(ImageLoaderError) -> Bool {
        let whole = try await find(key) != nil
        let head = try await store.entry(for: key, reading: .metadata) != nil
        expect(.entries, whole == head, "\(key.text) has \(whole ? "bytes" : "metadata") only")
        return whole
    }

    func expectEntry(
        _ rule: StoreProblem.Rule, _ body: Data, _ metadata: StoredMetadata, _ when: String
    ) async throws(ImageLoaderError) {
        let entry = try await find(metadata.key)
        expect(rule, entry != nil, "nothing is found \(when)")
        guard let entry else { return }
        expect(rule, entry.body == body, "other bytes are found \(when)")
        expect(rule, entry.metadata == metadata, "other metadata is found \(when)")
    }

    // MARK: One caller

    func checkEntries() async throws(ImageLoaderError) {
        expect(.entries, try await !isThere(key(0)), "an empty store has an entry")
        let metadata = metadata(key(0), tags: ["a", "ü\n\0"], expires: 4_000_000_000)
        try await store.store(StoredBody(body(1)), metadata)
        try await expectEntry(.entries, body(1), metadata, "after it was stored")
        let head = try await store.entry(for: key(0), reading: .metadata)
        expect(.entries, head?.metadata == metadata, "other metadata is found without the bytes")
        expect(.entries, try await !isThere(key(1)), "an entry is found under another key")
        let made = key(0).made(as: "10 × 10")
        expect(.entries, try await !isThere(made), "an entry is found under the key of an image made from it")
        await store.flush()
        try await expectEntry(.entries, body(1), metadata, "after a flush")
    }

    func checkBodies() async throws(ImageLoaderError) {
        for (number, count) in [0, 1, 4_095, 4_096, 300_000].enumerated() {
            let (body, metadata) = (body(number, count: count), metadata(key(number), nil))
            try await store.store(StoredBody(body), metadata)
            try await expectEntry(.bodies, body, metadata, "of \(count) bytes")
        }
        let bytes = body(9, count: 200_000)
        let metadata = metadata(key(9), nil)
        guard let file = StoredBody.inFile(bytes) else { return }
        try await store.store(file, metadata)
        try await expectEntry(.bodies, bytes, metadata, "of a body in a file")
    }

    func checkReplacement() async throws(ImageLoaderError) {
        for version in [1, 2, 1] {
            try await store(key(0), version)
            try await expectEntry(.replacement, body(version), metadata(key(0), version), "after a replacement")
        }
        try await store(key(1))
        try await expectEntry(.replacement, body(1), metadata(key(0)), "after another entry was stored")
    }

    func checkRenewal() async throws(ImageLoaderError) {
        try await store.store(nil, metadata(key(0)))
        expect(.renewal, try await !isThere(key(0)), "metadata without bytes is an entry")
        let old = metadata(key(0), tags: ["old"])
        try await store.store(StoredBody(body(1)), old)
        try await store.store(nil, metadata(key(0), 2, tags: ["new"]))
        try await expectEntry(.renewal, body(1), old, "after metadata of another version was stored")
        let renewed = metadata(key(0), tags: ["new"], expires: 4_000_000_000)
        try await store.store(nil, renewed)
        try await expectEntry(.renewal, body(1), renewed, "after its metadata was replaced")
        try await store.removeEntries(.tag("old"))
        expect(.renewal, try await isThere(key(0)), "an entry is found by a tag that was replaced")
        try await store.removeEntries(.tag("new"))
        expect(.renewal, try await !isThere(key(0)), "an entry isn't found by its new tag")
    }

    // MARK: Selections

    func checkSelections() async throws(ImageLoaderError) {
        let (first, second) = (key(0), key(1))
        let made = first.made(as: "10 × 10")
        let all = [metadata(first, tags: ["a", "b"]), metadata(second, tags: ["b"]), metadata(made, madeOf: first)]
        let cases: [(StoredSelection, StoreProblem.Rule, Set<Int>)] = [
            (.keys([second, key(9)]), .removalByKey, [1]), (.keys([]), .removalByKey, []),
            (.source(first.source), .removalByKey, [0, 2]), (.tag("a"), .removalByTag, [0]),
            (.tag("b"), .removalByTag, [0, 1]), (.tag("c"), .removalByTag, []),
            (.tag(all[2].tags.first ?? ""), .removalByTag, [2]),
        ]
        for (selection, rule, chosen) in cases {
            for metadata in all { try await store.store(StoredBody(body(1)), metadata) }
            try await checkListing(selection, Set(chosen.map { all[$0] }))
            try await store.removeEntries(selection)
            for (index, metadata) in all.enumerated() {
                let isThere = try await isThere(metadata.key)
                let fault = isThere ? "keeps" : "removes"
                expect(rule, isThere != chosen.contains(index), "removing \(selection) \(fault) entry \(index)")
            }
        }
        for metadata in all { try await store.store(StoredBody(body(1)), metadata) }
        try await checkListing(.all, Set(all))
    }

    private func checkListing(
        _ selection: StoredSelection, _ expected: Set<StoredMetadata>
    ) async throws(ImageLoaderError) {
        let listed = Mutex<[StoredMetadata]>([])
        do throws(ImageLoaderError) {
            try await store.listEntries(selection) { part in listed.withLock { $0 += part } }
        } catch {
            if case .tag = selection { throw error }
            return expect(.listing, error.kind == .unsupportedSelection, "\(selection): \(error)")
        }
        let entries = listed.withLock { $0 }
        let isExact = Set(entries) == expected && entries.count == expected.count
        expect(.listing, isExact, "\(selection) lists \(entries.map(\.key.text))")
    }

    func checkRemovalOfAll() async throws(ImageLoaderError) {
        for number in 0..<600 {
            let metadata = metadata(key(number), expires: number.isMultiple(of: 2) ? 1_000 : nil)
            try await store.store(StoredBody(body(1)), metadata)
        }
        try await store.removeEntries(.expired)
        for number in [1, 301, 599] {
            expect(.removalOfAll, try await isThere(key(number)), "removing expired entries removes others")
        }
        try await checkListing(.expired, [])
        try await store.removeEntries(.all)
        for number in [0, 1, 599] {
            expect(.removalOfAll, try await !isThere(key(number)), "an entry is left when all are removed")
        }
        try await checkListing(.all, [])
        try await store(key(1))
        expect(.removalOfAll, try await isThere(key(1)), "nothing can be stored once all entries were removed")
    }
}

extension StoredBody {
    /// A body in an unnamed file; nil if none can be made.
    fileprivate static func inFile(_ bytes: Data) -> StoredBody? {
        do {
            let file = try BodyFile(in: FileManager.default.temporaryDirectory.path, FileSystem())
            try bytes.withUnsafeBytes { bytes in try file.append(bytes) }
            return StoredBody(.file(file))
        } catch {
            return nil
        }
    }
}
