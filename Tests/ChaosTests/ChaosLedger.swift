import Alcedo
import Foundation
import Synchronization

/// What has been done to each picture, and what a caller may therefore see.
final class ChaosLedger: Sendable {
    /// A call that is running.
    struct Ticket: Sendable {
        let number: Int
        /// When the oldest of the loads began that this one may share a download with.
        let oldest: ContinuousClock.Instant
        /// When the last removal began that had ended before this call began.
        let removal: ContinuousClock.Instant?
        /// How often all loads had been cancelled, or a loader closed, when this call began.
        let ends: Int
    }

    private struct Entry {
        var running = 0
        var busySince = ContinuousClock.now
        var removal: ContinuousClock.Instant?
        var log: [String] = []
    }

    private struct State {
        var entries = [Entry](repeating: Entry(), count: ChaosSite.count)
        var ends = (begun: 0, finished: 0)
        var problems: [String] = []
        var calls = 0
        var outcomes: [String: Int] = [:]
    }

    private let state = Mutex(State())
    private let site: ChaosSite
    private let start = ContinuousClock.now
    /// Lifetimes are counted in whole seconds, from a date that is rounded down.
    private static let slack = Duration.seconds(2)

    init(_ site: ChaosSite) { self.site = site }

    // MARK: Calls

    /// - Parameter isShared: Whether its caches are those that pictures are removed from.
    func begin(_ number: Int, _ what: String, isShared: Bool) -> Ticket {
        note([number], "begin \(what)\(isShared ? "" : " alone")")
        return state.withLock { state in
            state.calls += 1
            if state.entries[number].running == 0 { state.entries[number].busySince = .now }
            state.entries[number].running += 1
            let entry = state.entries[number]
            return Ticket(
                number: number, oldest: entry.busySince, removal: isShared ? entry.removal : nil,
                ends: state.ends.finished)
        }
    }

    func end(_ ticket: Ticket, _ outcome: String) {
        note([ticket.number], "end: \(outcome)")
        state.withLock { state in
            state.entries[ticket.number].running -= 1
            state.outcomes[outcome.prefix { $0 != "(" && $0 != ":" }.description, default: 0] += 1
        }
    }

    /// Numbers of pictures that are being loaded.
    var running: [Int] { state.withLock { state in state.entries.indices.filter { state.entries[$0].running > 0 } } }

    /// Calls `work`, after which nothing may be seen that was current only before.
    func remove(_ numbers: [Int], _ what: String, _ work: () async -> Void) async {
        note(numbers, what)
        let began = ContinuousClock.now
        await work()
        note(numbers, "\(what) has ended")
        state.withLock { state in
            for number in numbers { state.entries[number].removal = max(state.entries[number].removal ?? began, began) }
        }
    }

    /// Calls `work`, which ends any load that is running.
    func end(_ work: () async -> Void) async {
        state.withLock { $0.ends.begun += 1 }
        await work()
        state.withLock { $0.ends.finished += 1 }
    }

    // MARK: Judging

    /// - Parameter isStale: Whether the response says that it is, or the request took anything that is cached.
    func judge(_ color: PixelColor, _ ticket: Ticket, isStale: Bool) {
        let (number, picture) = (ticket.number, site.picture(ticket.number))
        guard let version = site.version(of: color, number: number) else {
            return report("the picture has the colour \(color)", number)
        }
        must(picture.served.contains(version), "version \(version) was never served", number)
        guard version + 1 < picture.versions.count else { return }
        let replaced = picture.versions[version + 1]
        if let removal = ticket.removal {
            must(replaced >= removal, "version \(version) came back after it was removed", number)
        }
        guard !isStale else { return }
        let age = ticket.oldest - replaced
        must(
            age <= ChaosSite.rule(number).lifetime + Self.slack,
            "version \(version) was shown \(age) after it was replaced", number)
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
        let time = ContinuousClock.now - start
        state.withLock { state in
            for number in numbers {
                if state.entries[number].log.count >= 40 { state.entries[number].log.removeFirst(20) }
                state.entries[number].log.append("\(time) \(event)")
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
                lines += state.entries[number].log.suffix(20).map { "    \($0)" }
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
