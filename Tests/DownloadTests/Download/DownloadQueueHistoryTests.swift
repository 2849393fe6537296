import Alcedo
import AlcedoTestSupport
import Testing

@testable import TestFixtures

/// Compares the queue with the model for every event in every state.
@Suite struct DownloadQueueHistoryTests {
    /// The conditions that can block a download.
    private struct Obstacles: Hashable {
        var isPaused = false
        var isFull = false
        var isHostFull = false
        var isBackgroundFull = false
        var lacksToken = false

        static let all = (0..<32).map { bits in
            Obstacles(
                isPaused: bits & 1 != 0, isFull: bits & 2 != 0, isHostFull: bits & 4 != 0,
                isBackgroundFull: bits & 8 != 0, lacksToken: bits & 16 != 0)
        }
    }

    private enum Stage: CaseIterable { case unknown, waiting, running }

    private struct Situation: Hashable {
        let stage: Stage
        let isBackground: Bool
        let obstacles: Obstacles
    }

    /// The download under test. 1 to 3 are others of its host.
    private let subject = 0
    private let time = 100_000

    @Test func everyEvent_inEverySituation_matchesTheModel() {
        var seen: Set<Situation> = []
        for stage in Stage.allCases {
            for priority in priorities {
                for obstacles in Obstacles.all {
                    let trial = prepare(stage, priority, obstacles)
                    seen.insert(situation(of: trial, priority))
                    for (event, delay) in events {
                        var trial = trial
                        let problem = trial.step(event, now: time + delay)
                        must(problem == nil, "\(stage) \(priority) \(obstacles): \(problem ?? "")")
                    }
                }
            }
        }
        // Some situations are impossible: nothing waits without an obstacle.
        #expect(seen.count { $0.stage == .unknown } == 64)
        #expect(seen.count { $0.stage == .running } == 64)
        #expect(seen.count { $0.stage == .waiting } == 61)
        #expect(!seen.contains(Situation(stage: .waiting, isBackground: false, obstacles: Obstacles())))
    }

    /// One in the background and another, or one more where there is time.
    private let priorities: [RequestPriority] = Fuzz.isLong ? [.veryLow, .normal, .high] : [.veryLow, .high]

    /// Each event, and how much later it happens.
    private var events: [(DownloadQueueEvent, Int)] {
        var events: [(DownloadQueueEvent, Int)] = [
            (.release(subject), 0), (.release(subject), 2_000), (.release(1), 0), (.release(10), 0), (.release(20), 0),
            (.pause, 0), (.resume, 0), (.resume, 2_000), (.tick, 0), (.tick, 125), (.tick, 2_000), (.tick, -2_000),
            (.setHostWidth("a", 1), 0), (.setHostWidth("a", 4), 0), (.setHostWidth("a", nil), 0),
            (.setWidth(1), 0), (.setWidth(5), 0), (.setWidth(20), 0), (.setWidthOfHosts(1), 0),
            (.setWidthOfHosts(6), 0),
            (.setHostWidth("x", 1), 0), (.setRoom(nil), 0), (.setRoom(.veryLow), 0), (.move(subject, host: "a"), 0),
            (.move(subject, host: "new"), 0), (.move(subject, host: "low10"), 2_000), (.move(10, host: "a"), 0),
            (.move(1, host: "b"), 0), (.findYielding, 60_000), (.yield(subject), 0), (.yield(1), 0), (.yield(20), 0),
        ]
        for priority in RequestPriority.allCases {
            events.append((.request(subject, host: "a", priority), 0))
            events.append((.request(subject, host: "a", priority), 2_000))
            events.append((.setPriority(subject, priority), 0))
            events.append((.setPriority(10, priority), 0))
        }
        return events
    }

    /// A queue in which the subject is at `stage`, if the obstacles permit.
    private func prepare(_ stage: Stage, _ priority: RequestPriority, _ obstacles: Obstacles) -> DownloadQueueTrial {
        var script: [DownloadQueueEvent] = [.request(99, host: "z", .normal), .release(99)]
        if stage == .running { script.append(.request(subject, host: "a", priority)) }
        if obstacles.isHostFull { script += (1...3).map { .request($0, host: "a", .normal) } }
        if obstacles.isBackgroundFull { script += (10..<16).map { .request($0, host: "low\($0)", .low) } }
        if obstacles.isFull { script += (20..<32).map { .request($0, host: "full\($0)", .high) } }
        script.append(.pause)
        if stage == .waiting { script.append(.request(subject, host: "a", priority)) }
        script += [.request(40, host: "b", .normal), .request(41, host: "a", priority)]

        var settings = DownloadQueueSettings(width: 12, hostWidth: 3, interval: 125, burst: 100)
        var trial = run(script, settings)
        if obstacles.lacksToken {
            // Exactly as many tokens as have been used.
            settings.burst = 100 - trial.model.credit / 125
            trial = run(script, settings)
        }
        if !obstacles.isPaused { step(&trial, .resume) }
        return trial
    }

    private func run(_ script: [DownloadQueueEvent], _ settings: DownloadQueueSettings) -> DownloadQueueTrial {
        var trial = DownloadQueueTrial(settings)
        for event in script { step(&trial, event) }
        return trial
    }

    private func step(_ trial: inout DownloadQueueTrial, _ event: DownloadQueueEvent) {
        let problem = trial.step(event, now: time)
        must(problem == nil, problem ?? "")
    }

    private func situation(of trial: DownloadQueueTrial, _ priority: RequestPriority) -> Situation {
        let found = trial.model.downloads.first { $0.id == subject }
        return Situation(
            stage: found.map { $0.isRunning ? .running : .waiting } ?? .unknown, isBackground: priority <= .low,
            obstacles: Obstacles(
                isPaused: trial.model.isPaused, isFull: trial.model.running.count == trial.model.settings.width,
                isHostFull: !trial.model.hasFreeSlot("a", .high), isBackgroundFull: trial.model.isBackgroundFull,
                lacksToken: trial.model.lacksToken))
    }

    // MARK: Short histories

    /// Every sequence of three events out of twenty, or of four where there is time.
    @Test(
        arguments: [
            DownloadQueueSettings(width: 1, hostWidth: 1),
            DownloadQueueSettings(width: 2, hostWidth: 1, order: .lastInFirstOut),
            DownloadQueueSettings(width: 3, hostWidth: 2, interval: 125, burst: 2),
        ])
    func allShortHistories_matchTheModel(settings: DownloadQueueSettings) {
        var visited = 0
        explore(DownloadQueueTrial(settings), now: 0, depth: Fuzz.isLong ? 4 : 3, &visited)
        #expect(visited > (Fuzz.isLong ? 130_000 : 7_000))
    }

    private let fewEvents: [DownloadQueueEvent] = [
        .request(0, host: "a", .normal), .request(1, host: "a", .low), .request(2, host: "b", .low),
        .request(3, host: "a", .normal), .release(0), .release(1), .release(2), .setPriority(0, .low),
        .setPriority(1, .high), .pause, .resume, .tick, .setHostWidth("a", 2), .setWidth(1), .setWidthOfHosts(3),
        .move(0, host: "b"), .move(2, host: "a"),
        .setRoom(nil), .setRoom(.normal), .setRoom(.veryLow),
    ]

    private func explore(_ trial: DownloadQueueTrial, now: Int, depth: Int, _ visited: inout Int) {
        guard depth > 0 else { return }
        for event in fewEvents {
            var trial = trial
            var now = now
            if case .tick = event { now += 100 }
            let problem = trial.step(event, now: now)
            must(problem == nil, problem ?? "")
            visited += 1
            explore(trial, now: now, depth: depth - 1, &visited)
        }
    }
}
