import Alcedo
import Foundation

/// A removal of entries from a disk cache, by `alcedo cache trim`, `clear` or `remove`.
struct CacheRemoval {
    /// The removed entries, or the ones that would be, and the arguments that match no entry.
    struct Outcome {
        var removed: [RemovedEntry] = []
        var problems: [(text: String, reason: String)] = []
    }

    private enum Target {
        case leastRecentlyUsed(beyondBytes: Int)
        case selection(CacheSelection)
        case unused(since: Date)
        case urls([String])
    }

    private let target: Target
    private let store: DiskStore

    /// Returns nil for an action that isn't a removal.
    init?(_ action: CacheOptions.Action, from store: DiskStore, at now: Date) {
        switch action {
        case .stats, .list, .verify: return nil
        case .trim(let bytes): target = .leastRecentlyUsed(beyondBytes: bytes)
        case .clear: target = .selection(.all)
        case .remove(.urls(let texts)): target = .urls(texts)
        case .remove(.prefix(let prefix)): target = .selection(.prefix(prefix))
        case .remove(.tag(let tag)): target = .selection(.tag(tag))
        case .remove(.expired): target = .selection(.expired)
        case .remove(.unused(let days)): target = .unused(since: now.addingTimeInterval(-86_400 * Double(days)))
        }
        self.store = store
    }

    /// Removes the entries, or with `isDryRun` only finds them.
    func run(isDryRun: Bool) async -> Outcome {
        switch target {
        case .leastRecentlyUsed(let bytes):
            return Outcome(
                removed: await isDryRun ? store.entries(beyondBytes: bytes) : store.trim(toBytes: bytes))
        case .selection(let selection): return Outcome(removed: await remove(selection, isDryRun))
        case .unused(let latest):
            let isUnused = { @Sendable (entry: DiskEntry) in entry.lastUsedAt <= latest }
            return Outcome(
                removed: await isDryRun ? store.entries(where: isUnused) : store.remove(where: isUnused))
        case .urls(let texts): return await remove(texts, isDryRun)
        }
    }

    private func remove(_ selection: CacheSelection, _ isDryRun: Bool) async -> [RemovedEntry] {
        await isDryRun ? store.entries(selectedBy: selection) : store.remove(selection)
    }

    private func remove(_ texts: [String], _ isDryRun: Bool) async -> Outcome {
        var outcome = Outcome()
        var seen: Set<String> = []
        for text in texts where seen.insert(text).inserted {
            do throws(ImageLoaderError) {
                guard let url = try ImageRequest(ArgumentText.percentEncoded(text)).url else { continue }
                // In a dry run, another spelling of a URL finds the same entries again.
                let gone = await remove(.url(url), isDryRun).filter { !outcome.removed.contains($0) }
                outcome.removed += gone
                if gone.isEmpty { outcome.problems.append((text, "not in the cache")) }
            } catch {
                outcome.problems.append((text, ErrorText.of(error)))
            }
        }
        return outcome
    }
}
