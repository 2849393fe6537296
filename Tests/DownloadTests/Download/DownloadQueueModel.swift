import Alcedo
import Testing

@testable import TestFixtures

/// An event of a download queue.
enum DownloadQueueEvent: Sendable {
    case request(Int, host: String, RequestPriority)
    case release(Int)
    case setPriority(Int, RequestPriority)
    case pause, resume, tick
    case setHostWidth(String, Int?)
    case setWidth(Int)
    case setWidthOfHosts(Int)
    /// A redirect to another host.
    case move(Int, host: String)
    /// The lowest priority that there is room for.
    case setRoom(RequestPriority?)
    /// Asks which download yields.
    case findYielding
    case yield(Int)
}

/// The limits of a queue. Times are in milliseconds.
struct DownloadQueueSettings: Sendable {
    var width = 4
    var hostWidth = 2
    var order = DownloadOrder.firstInFirstOut
    /// The time between two tokens: a divisor of 1000 whose inverse is exact. Nil is no limit.
    var interval: Int?
    var burst = 1
}

/// The rules of `DownloadQueue` expressed with plain lists, which are searched in full for every answer.
struct DownloadQueueModel {
    struct Download {
        let id: Int
        var host: String
        var priority: RequestPriority
        var isRunning = false
        var begun = 0
        /// Numbers the redirected downloads that wait to continue, which precede others of their host and priority.
        var move: Int?
    }

    /// The waiting downloads of one host and priority, which take turns as a unit.
    struct Turn: Equatable {
        let host: String
        let priority: RequestPriority
    }

    var settings: DownloadQueueSettings
    /// In order of arrival.
    var downloads: [Download] = []
    /// In order, the next one first.
    var turns: [Turn] = []
    var ownWidths: [String: Int] = [:]
    var isPaused = false
    var lowestPriority: RequestPriority? = .veryLow
    var hasRoom: Bool { lowestPriority == .veryLow }
    var lastMove = 0
    var stuckSince: Int?
    /// The download that has ended in the state that `holdsUp` imagines.
    var ended: Download?
    /// The elapsed time that starts haven't used up.
    var credit: Int
    var now = 0

    init(_ settings: DownloadQueueSettings) {
        self.settings = settings
        credit = (settings.interval ?? 0) * settings.burst
    }

    var running: [Download] { downloads.filter(\.isRunning) }
    var waiting: [Download] { downloads.filter { !$0.isRunning } }

    func hasFreeSlot(_ host: String, _ priority: RequestPriority) -> Bool {
        let width = ownWidths[host] ?? settings.hostWidth
        let others = running.filter { $0.host == host }
        let background = others.filter { $0.priority <= .low }
        if priority <= .low, isFull(background, max(1, width / 2), { $0.host == host && $0.priority <= .low }) {
            return false
        }
        return !isFull(others, width) { $0.host == host }
    }

    var isBackgroundFull: Bool {
        isFull(running.filter { $0.priority <= .low }, max(1, settings.width / 2)) { $0.priority <= .low }
    }

    /// Whether as many downloads as a limit allows run. If one has ended that counted, the rest of those above the
    /// limit are taken to have ended, too.
    private func isFull(_ running: [Download], _ limit: Int, _ counts: (Download) -> Bool) -> Bool {
        ended.map(counts) != true && running.count >= limit
    }

    /// The last third of the slots is for hosts that hold none.
    func isForNewcomers(_ host: String) -> Bool {
        running.contains { $0.host == host } && running.count >= settings.width - settings.width / 3
            && downloads.contains { $0.host != host }
    }

    /// Waiting downloads of hosts that hold no slot.
    var newcomers: [Download] {
        waiting.filter { download in !running.contains { $0.host == download.host } }
    }

    var nextYield: Int? { stuckSince.map { $0 + 60_000 } }

    static func transfer(of id: Int) -> DownloadQueue<Int>.Transfer {
        .init(bytes: id * id * 1_000, keepsBytes: id % 3 != 0, isRepeatable: id % 5 != 4)
    }

    /// One of the downloads that are returned yields.
    private mutating func findYielding(now: Int) -> [Int] {
        guard let due = nextYield, due <= now, let urgent = newcomers.map(\.priority).max() else { return [] }
        stuckSince = now
        func rate(_ download: Download) -> Double {
            Double(Self.transfer(of: download.id).bytes) / max(1, Double(now - download.begun) / 1_000)
        }
        let able = running.filter { one in
            let state = Self.transfer(of: one.id)
            let isSlow = running.contains { $0.host != one.host && rate($0) > 2 * rate(one) }
            let mayLose = one.priority < urgent || isSlow || now - one.begun >= 600_000
            return one.priority <= urgent && state.isRepeatable && (state.keepsBytes || mayLose)
        }
        func width(_ one: Download) -> Int { running.count { $0.host == one.host } }
        let ofWidest = able.filter { one in able.allSatisfy { width($0) <= width(one) } }
        let keeping = ofWidest.filter { Self.transfer(of: $0.id).keepsBytes }
        let last = keeping.isEmpty ? ofWidest : keeping
        let oldest = last.map(\.begun).min()
        return last.filter { $0.begun == oldest }.map(\.id)
    }

    /// The priorities of which a download could start if there were enough tokens.
    var startable: Set<RequestPriority> {
        guard !isPaused, let lowestPriority, running.count < settings.width else { return [] }
        let ready = waiting.filter {
            $0.priority >= lowestPriority && hasFreeSlot($0.host, $0.priority) && !isForNewcomers($0.host)
                && ($0.priority >= .normal || !isBackgroundFull)
        }
        return Set(ready.map(\.priority))
    }

    var isShort: Bool { !isPaused && !waiting.isEmpty && startable.isEmpty }

    func holdsUp(_ id: Int) -> Bool {
        guard !isPaused, let place = running.first(where: { $0.id == id }) else { return false }
        guard hasRoom, running.count <= settings.width else { return !waiting.isEmpty }
        var without = self
        without.ended = place
        without.downloads.removeAll { $0.id == id }
        return !without.startable.subtracting(startable).isEmpty
    }

    var lacksToken: Bool { settings.interval.map { credit < $0 } ?? false }

    /// The turn of the next download to start, whether or not there is a token.
    var nextTurn: Turn? {
        guard !isPaused, let lowestPriority, running.count < settings.width else { return nil }
        let priorities = RequestPriority.allCases.filter { $0 >= lowestPriority }
        for priority in priorities.reversed() where priority >= .normal || !isBackgroundFull {
            let turn = turns.first {
                $0.priority == priority && hasFreeSlot($0.host, priority) && !isForNewcomers($0.host)
            }
            if let turn { return turn }
        }
        return nil
    }

    var nextStart: Int? {
        guard let interval = settings.interval, nextTurn != nil else { return nil }
        return now + interval - credit
    }

    mutating func apply(_ event: DownloadQueueEvent, now: Int) -> [Int] {
        switch event {
        case .request(let id, let host, let priority):
            if downloads.contains(where: { $0.id == id }) { return [] }
            downloads.append(Download(id: id, host: host, priority: priority))
        case .release(let id):
            guard let at = downloads.firstIndex(where: { $0.id == id }) else { return [] }
            downloads.remove(at: at)
        case .setPriority(let id, let priority):
            guard let at = downloads.firstIndex(where: { $0.id == id }), downloads[at].priority != priority else {
                return []
            }
            downloads[at].priority = priority
        case .pause:
            isPaused = true
            stuckSince = nil
            return []
        case .findYielding: return findYielding(now: now)
        case .yield(let id):
            if let host = running.first(where: { $0.id == id })?.host {
                let its = turns.filter { $0.host == host }
                turns.removeAll { $0.host == host }
                for priority in RequestPriority.allCases { turns += its.filter { $0.priority == priority } }
            }
            return apply(.release(id), now: now)
        case .resume: isPaused = false
        case .tick: break
        case .setHostWidth(let host, let width): ownWidths[host] = width
        case .setWidth(let width): settings.width = width
        case .setWidthOfHosts(let width): settings.hostWidth = width
        case .setRoom(let lowest):
            if lowest == lowestPriority { return [] }
            lowestPriority = lowest
        case .move(let id, let host): return move(id, host, now: now)
        }
        updateTurns()
        return startWaiting(now: now)
    }

    private mutating func move(_ id: Int, _ host: String, now: Int) -> [Int] {
        guard let at = downloads.firstIndex(where: { $0.id == id && $0.isRunning }) else { return [] }
        if downloads[at].host == host { return [id] }
        let continues = hasFreeSlot(host, downloads[at].priority)
        downloads[at].host = host
        if !continues {
            lastMove += 1
            downloads[at].isRunning = false
            downloads[at].move = lastMove
        }
        updateTurns()
        return (continues ? [id] : []) + startWaiting(now: now)
    }

    private mutating func updateTurns() {
        let due = waiting.map { Turn(host: $0.host, priority: $0.priority) }
        turns.removeAll { !due.contains($0) }
        for turn in due where !turns.contains(turn) { turns.append(turn) }
    }

    private mutating func startWaiting(now: Int) -> [Int] {
        credit = min(credit + max(0, now - self.now), (settings.interval ?? 0) * settings.burst)
        self.now = now
        var started: [Int] = []
        while let turn = nextTurn, !lacksToken {
            let line = downloads.indices.filter {
                !downloads[$0].isRunning && downloads[$0].host == turn.host && downloads[$0].priority == turn.priority
            }
            let moved = line.filter { downloads[$0].move != nil }
            let first = moved.min { downloads[$0].move ?? 0 < downloads[$1].move ?? 0 }
            guard let next = first ?? (settings.order == .firstInFirstOut ? line.first : line.last) else { break }
            downloads[next].isRunning = true
            downloads[next].begun = now
            downloads[next].move = nil
            credit -= settings.interval ?? 0
            started.append(downloads[next].id)
            turns.removeAll { $0 == turn }
            updateTurns()
        }
        let isStuck = !isPaused && running.count >= settings.width && !newcomers.isEmpty
        if !isStuck { stuckSince = nil } else if stuckSince == nil || !started.isEmpty { stuckSince = now }
        return started
    }
}

/// A queue and its model, given the same events.
struct DownloadQueueTrial {
    private(set) var queue: DownloadQueue<Int>
    private(set) var model: DownloadQueueModel

    init(_ settings: DownloadQueueSettings) {
        queue = DownloadQueue(
            width: settings.width, hostWidth: settings.hostWidth, order: settings.order,
            startRate: settings.interval.map { StartRate(perSecond: 1_000 / Double($0), burst: settings.burst) })
        model = DownloadQueueModel(settings)
    }

    /// Applies the event to both. Returns a description of the first difference, or nil if there is none.
    mutating func step(_ event: DownloadQueueEvent, now: Int = 0) -> String? {
        let started = queue.apply(event, now: .milliseconds(now))
        let expected = model.apply(event, now: now)
        if let broken = queue.brokenInvariant { return "\(event) at \(now): \(broken)" }
        var isExpected = started == expected
        if case .findYielding = event, let yielding = started.first { isExpected = expected.contains(yielding) }
        let agrees =
            isExpected && queue.isPaused == model.isPaused
            && queue.runningCount == model.running.count && queue.waitingCount == model.waiting.count
            && queue.waitingByHost == Dictionary(grouping: model.waiting, by: \.host).mapValues(\.count)
            && queue.nextStart == model.nextStart.map { Duration.milliseconds($0) }
            && queue.isShort == model.isShort
            && queue.nextYield == model.nextYield.map { Duration.milliseconds($0) }
            && model.downloads.allSatisfy { queue.holdsUp($0.id) == model.holdsUp($0.id) }
        return agrees ? nil : "\(event) at \(now): started \(started), expected \(expected), model \(model)"
    }
}

extension DownloadQueue<Int> {
    mutating func apply(_ event: DownloadQueueEvent, now: Duration) -> [Int] {
        switch event {
        case .request(let id, let host, let priority):
            return request(id, host: host, priority: priority, now: now)
        case .release(let id): return release(id, now: now)
        case .setPriority(let id, let priority): return setPriority(id, priority, now: now)
        case .pause: pause()
        case .resume: return resume(now: now)
        case .tick: return startWaiting(now: now)
        case .setHostWidth(let host, let width): return setHostWidth(host, width, now: now)
        case .setWidth(let width): return setWidth(width, now: now)
        case .setWidthOfHosts(let width): return setHostWidth(width, now: now)
        case .move(let id, let host): return move(id, toHost: host, now: now)
        case .setRoom(let lowest): return setRoom(from: lowest, now: now)
        case .findYielding: return yielding(now: now, DownloadQueueModel.transfer).map { [$0] } ?? []
        case .yield(let id): return yield(id, now: now)
        }
        return []
    }
}
