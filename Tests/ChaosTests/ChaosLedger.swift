import Alcedo
import Foundation
import Synchronization

/// The history of each image, and the versions that a caller may therefore see.
final class ChaosLedger: Sendable {
    /// A call that is running.
    struct Ticket: Sendable {
        let number: Int
        let language: String?
        /// The beginning of the oldest load with which this one may share a download.
        let oldest: ContinuousClock.Instant
        /// The beginning of the last finished removal, after which no earlier load can be joined; nil if there is none.
        let removal: ContinuousClock.Instant?
        /// The number of times that all loads had been cancelled or a loader closed when this call began.
        let ends: Int
    }

    private struct Entry {
        var running = 0
        var busySince = ContinuousClock.now
        var lastCancellation = ContinuousClock.now
        /// The latest removals.
        var removals: [Removal] = []
        var log: [(ContinuousClock.Instant, String)] = []
    }

    private struct Removal {
        let began: ContinuousClock.Instant
        let ended: ContinuousClock.Instant
        let loader: Int
        let languages: [String?]
    }

    private struct State {
        var entries = [Entry](repeating: Entry(), count: ChaosSite.count)
        var ends = (begun: 0, finished: 0)
        /// The numbers of removals that don't name a single URL.
        var sweeps = (begun: 0, finished: 0)
        var problems: [String] = []
        var calls = 0
        var outcomes: [String: Int] = [:]
    }

    private let state = Mutex(State())
    private let site: ChaosSite
    private let start = ContinuousClock.now
    /// The tolerance for lifetimes, which are counted in whole seconds from a date that is rounded down.
    private static let slack = Duration.milliseconds(1_100)

    /// The time during which other callers can join a load after its last caller has cancelled.
    private static let windDown = Duration.milliseconds(500)

    init(_ site: ChaosSite) { self.site = site }

    // MARK: Calls

    func begin(_ number: Int, _ what: String, _ language: String? = nil, on loader: Int) -> Ticket {
        note([number], "begin \(what) \(language ?? "") on \(loader)")
        return state.withLock { state in
            state.calls += 1
            let (last, now) = (state.entries[number].lastCancellation, ContinuousClock.now)
            if state.entries[number].running == 0, now - last > Self.windDown { state.entries[number].busySince = now }
            state.entries[number].running += 1
            let entry = state.entries[number]
            let removal = entry.removals.last { $0.languages.contains(language) }
            return Ticket(
                number: number, language: language, oldest: entry.busySince,
                removal: ChaosLoaders.isShared(loader) ? removal?.began : nil,
                ends: state.ends.finished)
        }
    }

    func end(_ ticket: Ticket, _ outcome: String) {
        note([ticket.number], "end: \(outcome)")
        state.withLock { state in
            state.entries[ticket.number].running -= 1
            if outcome == "cancelled" || outcome == "prefetched" {
                state.entries[ticket.number].lastCancellation = .now
            }
            state.outcomes[outcome.prefix { $0 != "(" && $0 != ":" }.description, default: 0] += 1
        }
    }

    /// The numbers of images that are being loaded.
    var running: [Int] { state.withLock { state in state.entries.indices.filter { state.entries[$0].running > 0 } } }

    /// Calls `work`. After that, no version that was replaced before may be seen.
    func remove(
        _ numbers: [Int], _ what: String, on loader: Int, _ languages: [String?] = ChaosSite.languages,
        _ work: () async -> Void
    ) async {
        note(numbers, "\(what) on \(loader)")
        let (began, isSweep) = (ContinuousClock.now, languages == ChaosSite.languages)
        if isSweep { state.withLock { $0.sweeps.begun += 1 } }
        await work()
        if isSweep { state.withLock { $0.sweeps.finished += 1 } }
        note(numbers, "\(what) has ended")
        let removal = Removal(began: began, ended: .now, loader: loader, languages: languages)
        state.withLock { state in
            for number in numbers {
                if state.entries[number].removals.count >= 20 { state.entries[number].removals.removeFirst(10) }
                state.entries[number].removals.append(removal)
            }
        }
    }

    /// The number of finished sweeps; nil while one runs. A load that began before a sweep isn't joined after it.
    var sweeps: Int? { state.withLock { $0.sweeps.begun == $0.sweeps.finished ? $0.sweeps.finished : nil } }

    /// The number of times that all loads were cancelled or a loader closed, counting both beginnings and ends.
    var ends: Int { state.withLock { $0.ends.begun + $0.ends.finished } }

    /// Calls `work`, which ends any load that is running.
    func end(_ work: () async -> Void) async {
        state.withLock { $0.ends.begun += 1 }
        await work()
        state.withLock { $0.ends.finished += 1 }
    }

    // MARK: Judging

    /// - Parameter isStale: Whether the response says that it is stale, or the request accepted any cached response.
    func judge(_ color: PixelColor, _ ticket: Ticket, _ detail: String, isStale: Bool) {
        guard let version = site.version(of: color, number: ticket.number, ticket.language) else {
            return report("the picture has the color \(color)", ticket.number)
        }
        judge(version, ticket, detail, isStale: isStale)
    }

    func judge(_ version: Int, _ ticket: Ticket, _ detail: String, isStale: Bool) {
        let (number, picture) = (ticket.number, site.picture(ticket.number))
        must(picture.served.contains(version), "version \(version) was never served", number)
        guard version + 1 < picture.versions.count else { return }
        let replaced = picture.versions[version + 1]
        if let removal = ticket.removal {
            must(replaced >= removal, "version \(version) came back after it was removed, \(detail)", number)
        }
        guard !isStale else { return }
        let age = ticket.oldest - replaced
        let lifetime = ChaosSite.rule(number).lifetime
        must(
            age <= (lifetime == .zero ? .zero : lifetime + Self.slack),
            "version \(version) was shown \(age) after it was replaced, \(detail)", number)
    }

    func judge(_ error: ImageLoaderError, _ ticket: Ticket, isCancelled: Bool, cachedOnly: Bool) {
        let wasEnded = state.withLock { $0.ends.begun > ticket.ends }
        let isExpected =
            switch error {
            case .cancelled: isCancelled || wasEnded
            case .closed: wasEnded
            case .notCached: cachedOnly
            case .corruptImage, .notAnImage: site.picture(ticket.number).wasDamaged
            case .badStatus, .connectionFailed, .timedOut, .truncated, .malformedResponse: true
            default: false
            }
        must(isExpected, "the load failed: \(error)", ticket.number)
    }

    // MARK: Problems

    func note(_ numbers: [Int], _ event: String) {
        state.withLock { state in
            for number in numbers {
                if state.entries[number].log.count >= 80 { state.entries[number].log.removeFirst(40) }
                state.entries[number].log.append((.now, event))
            }
        }
    }

    func must(_ holds: Bool, _ problem: @autoclosure () -> String, _ number: Int? = nil) {
        if !holds { report(problem(), number) }
    }

    func report(_ problem: String, _ number: Int? = nil) {
        state.withLock { state in
            guard state.problems.count < 5 else { return }
            var lines = [problem]
            if let number {
                lines[0] = "picture \(number), \(ChaosSite.rule(number)): \(problem)"
                let log = (state.entries[number].log + site.picture(number).log).sorted { $0.0 < $1.0 }
                lines += log.suffix(60).map { time, event in "    \((time - start) / .seconds(1)) \(event)" }
            }
            state.problems.append(lines.joined(separator: "\n"))
        }
    }

    var problems: [String] { state.withLock { $0.problems } }

    var summary: String {
        state.withLock { state in
            let outcomes = state.outcomes.sorted { $0.value > $1.value }.map { "\($0.value) \($0.key)" }
            return "\(state.calls) calls: \(outcomes.joined(separator: ", "))"
        }
    }
}
