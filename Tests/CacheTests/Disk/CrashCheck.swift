import Alcedo
import AlcedoTestSupport
import Foundation
import Testing

@testable import TestFixtures

/// What killed processes have left, looked at by one that goes on.
struct CrashCheck {
    let temporary: TemporaryDirectory
    let comment: Comment

    func check(_ scripts: [CrashScript]) async throws {
        let byteLimit = try #require(scripts.first).byteLimit
        let failures = Recorder<CacheFailure>()
        let store = DiskStore(
            valid: .bare(temporary.file("cache"), byteLimit: byteLimit),
            time: TimeSource { CrashScript.start + Int64(CrashScript.stepCount) },
            onEvent: { failures.record($0) })
        _ = await store.statistics
        await store.flush()
        var kept: [Int: StoredEntry] = [:]
        for key in scripts.flatMap(\.keys) { kept[key] = await store.entry(for: CrashScript.key(key)) }
        for script in scripts { expectOwn(script, kept) }
        let verified = await store.verify()
        #expect(verified.damaged.isEmpty, comment)
        #expect(failures.values.isEmpty, comment)
        #expect(try temporary.names(in: "cache/temporary").isEmpty, comment)
        let bytes = try allocated()
        #expect(bytes <= byteLimit, comment)
        #expect(await store.statistics.byteCount >= bytes, "files are not counted; \(comment)")
        for script in scripts {
            try expectFlushed(script, kept)
            await expectTags(script, kept, in: store)
        }
    }

    private func allocated() throws -> Int {
        try temporary.names(in: "cache/entries").reduce(0) { sum, name in
            var status = stat()
            return stat(temporary.file("cache/entries/" + name), &status) == 0 ? sum + Int(status.st_blocks) * 512 : sum
        }
    }

    /// Each entry is what the script has stored under its key, and has not expired.
    private func expectOwn(_ script: CrashScript, _ kept: [Int: StoredEntry]) {
        for key in script.keys {
            guard let entry = kept[key] else { continue }
            let isOwn = script.steps.enumerated().contains { number, step in
                guard case .store(let store) = step, store.key == key, store.bytes == entry.body.count else {
                    return false
                }
                return store.expires.map { $0 > CrashScript.stepCount } ?? true
                    && entry.metadata.decoded == script.metadata(store)
                    && entry.body == script.body(store, step: number)
            }
            #expect(isOwn, "\(key) has other bytes or tags, or has expired; \(comment)")
        }
    }

    private func expectFlushed(_ script: CrashScript, _ kept: [Int: StoredEntry]) throws {
        // Beside another it is not known what had to make room. One without the file was killed before it began.
        guard script.company != .tight, try temporary.names().contains(script.progress) else { return }
        let flushed = try Data(contentsOf: temporary.url.appendingPathComponent(script.progress))
        guard let last = flushed.last else { return }
        for (key, body) in CrashModel.mustBeThere(script, afterFlushAt: Int(last)) {
            #expect(kept[key]?.body == body, "\(key) is missing; \(comment)")
        }
    }

    /// Tags find what they should, whatever is left of the index file.
    private func expectTags(_ script: CrashScript, _ kept: [Int: StoredEntry], in store: DiskStore) async {
        for tag in Set(script.keys.compactMap { kept[$0]?.metadata.tags.first }) {
            let removed = await Set(store.remove(.tag(tag)).map(\.digest))
            for key in script.keys where kept[key]?.metadata.tags == [tag] {
                #expect(removed.contains(CrashScript.key(key).name.text), "\(tag) has not found \(key); \(comment)")
            }
        }
        for key in script.keys { #expect(await store.entry(for: CrashScript.key(key)) == nil, comment) }
    }
}
