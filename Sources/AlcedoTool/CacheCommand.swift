import Alcedo
import Foundation
import Synchronization

/// `alcedo cache`: inspects, verifies and trims a disk cache, even while other programs use it.
struct CacheCommand {
    var options: CacheOptions
    var console: Console
    /// The time used for expiry and for the age of the last use.
    var now = Date()
    /// Reads the user's answer to a question; nil if there can be no answer, because standard input or output isn't a
    /// terminal.
    var answer: (@Sendable () async -> String?)?

    func run() async -> Int32 {
        let directory = CacheDirectory(options.place)
        do throws(CacheDirectory.Unusable) {
            try directory.requireCache()
            if options.action == .clear { try directory.requireNothingElse() }
        } catch {
            console.error("alcedo cache: \(directory.url.path): \(error.reason)")
            return 1
        }
        return await CacheSession(command: self, directory: directory).run()
    }
}

/// One run of `alcedo cache` on a valid cache directory.
private struct CacheSession {
    let command: CacheCommand
    let directory: CacheDirectory
    let store: DiskStore
    private let failures: CacheFailures

    private var options: CacheOptions { command.options }
    private var console: Console { command.console }
    private var now: Date { command.now }

    init(command: CacheCommand, directory: CacheDirectory) {
        self.command = command
        self.directory = directory
        let failures = CacheFailures()
        self.failures = failures
        // The store does no periodic work, so only entries that the command itself removes are removed and counted.
        let time = TimeSource(ClockWithoutAlarms())
        store = DiskStore(valid: directory.settingsWithoutLimits, time: time) { failures.receive($0) }
    }

    func run() async -> Int32 {
        // Opening the cache deletes its temporary and discarded files, so they are measured first.
        let (temporary, discarded) =
            options.action == .stats
            ? (directory.temporaryBytes, directory.discardedBytes) : (0, 0)
        let entries = await store.entries(includingExpired: true)
        if let failure = failures.all.first(where: { $0.operation == .open }) {
            console.error("alcedo cache: \(failure.path): \(failure.reason)")
            return 1
        }
        let isGood: Bool
        switch options.action {
        case .stats:
            var report = CacheStatsReport(entries, await store.statistics, in: directory, at: now)
            report.temporaryBytes = temporary
            report.discardedBytes = discarded
            isGood = show(report, lines: report.lines)
        case .list(let prefix, let tag):
            isGood = list(entries, prefix, tag)
        case .verify:
            isGood = await verify(entries)
        case .trim, .clear, .remove:
            isGood = await remove(entries)
        }
        await store.flush()
        return tellFailures() && isGood ? 0 : 1
    }

    // MARK: Actions

    private func list(_ entries: [DiskEntry], _ prefix: String?, _ tag: String?) -> Bool {
        // User names are ignored, as for removals.
        let prefix = prefix.map { ParsedURL.normalPrefix($0).splitUserInfo.text }
        let chosen = entries.filter { entry in
            (prefix.map { entry.url.hasPrefix($0) } ?? true) && (tag.map { entry.tags.contains($0) } ?? true)
        }
        let reports = chosen.map { CacheEntryReport($0, at: now) }
        return show(reports, lines: options.printsJSON ? [] : CacheEntryReport.lines(reports))
    }

    private func verify(_ entries: [DiskEntry]) async -> Bool {
        let outcome = await options.isDryRun ? store.verifyWithoutRemoving() : store.verify()
        let report = CacheVerifyReport(
            outcome, failures.take(.read), stuck: stuck, urls(of: entries), isDryRun: options.isDryRun)
        return show(report, lines: report.lines) && report.isGood
    }

    private func remove(_ entries: [DiskEntry]) async -> Bool {
        guard let removal = CacheRemoval(options.action, from: store, at: now) else { return true }
        let isAsking = RemovalConfirmation.isNeeded(options, isInteractive: command.answer != nil)
        var outcome = await removal.run(isDryRun: isAsking || options.isDryRun)
        // Without any entry there is nothing to ask and nothing to remove.
        if isAsking, !outcome.removed.isEmpty {
            guard await isConfirmed(outcome.removed) else {
                console.error("alcedo cache: nothing was removed")
                return false
            }
            outcome = await removal.run(isDryRun: false)
        }
        for problem in outcome.problems { console.error("\(ShownText.of(url: problem.text)): \(problem.reason)") }
        return show(outcome, of: entries) && outcome.problems.isEmpty
    }

    /// Asks the user whether to remove the entries.
    private func isConfirmed(_ planned: [RemovedEntry]) async -> Bool {
        let bytes = Int.saturatingSum(planned.map(\.byteCount))
        console.ask(
            RemovalConfirmation.question(entries: planned.count, bytes: bytes, directory: directory.url.path))
        let answer = await command.answer?()
        // At the end of the input, the cursor is still behind the question.
        if answer == nil { console.print("") }
        return RemovalConfirmation.isYes(answer)
    }

    // MARK: Reporting

    private func urls(of entries: [DiskEntry]) -> [String: String] {
        Dictionary(entries.map { ($0.digest, ShownText.of(url: $0.url)) }) { first, _ in first }
    }

    /// The names of files that couldn't be removed. The cache drops their entries from its index all the same.
    private var stuck: Set<String> { Set(failures.all.filter { $0.operation == .remove }.map(\.fileName)) }

    private func show(_ outcome: CacheRemoval.Outcome, of entries: [DiskEntry]) -> Bool {
        var report = CacheRemovalReport(outcome.removed.filter { !stuck.contains($0.digest) }, urls(of: entries))
        report.notFound = outcome.problems.map { ShownText.of(url: $0.text) }
        report.isDryRun = options.isDryRun
        return show(report, lines: report.lines)
    }

    /// - Returns: Whether the report could be printed.
    private func show(_ report: some Encodable, lines: [String]) -> Bool {
        guard options.printsJSON else {
            if !options.isQuiet { for line in lines { console.print(line) } }
            return true
        }
        do {
            try console.print(json: report)
            return true
        } catch {
            console.error("alcedo cache: \(error)")
            return false
        }
    }

    /// - Returns: Whether the cache could perform the requested action.
    private func tellFailures() -> Bool {
        let warnings = CacheWarnings(console: console)
        for failure in failures.all { warnings.receive(failure) }
        let harmless: Set<CacheFailure.Operation> =
            switch options.action {
            // Cleaning up and recording aren't part of a read-only action.
            case .stats, .list, .verify: [.remove, .write]
            case .trim, .clear, .remove: [.write]
            }
        return failures.all.allSatisfy { harmless.contains($0.operation) }
    }
}

/// A clock whose sleepers are woken only by cancellation, so that a store does no periodic work.
private struct ClockWithoutAlarms: Clock {
    var now: ContinuousClock.Instant { .now }
    var minimumResolution: Duration { .zero }

    func sleep(until deadline: ContinuousClock.Instant, tolerance: Duration?) async throws {
        while true { try await Task.sleep(for: .seconds(365 * 86_400)) }
    }
}

/// The failures that a cache reported.
private final class CacheFailures: Sendable {
    private let state = Mutex<[CacheFailure]>([])

    var all: [CacheFailure] { state.withLock { $0 } }

    func receive(_ event: DiskStore.Event) {
        if case .failed(let failure) = event { state.withLock { $0.append(failure) } }
    }

    /// Removes and returns the failures of one kind.
    func take(_ operation: CacheFailure.Operation) -> [CacheFailure] {
        state.withLock { failures in
            defer { failures.removeAll { $0.operation == operation } }
            return failures.filter { $0.operation == operation }
        }
    }
}
