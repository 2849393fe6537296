import AlcedoTestSupport
import Foundation

/// An origin, a caching proxy, and four processes with loaders on two cache directories, as on two machines.
///
/// In the middle of the experiment, one process is killed, and at the end a machine is lost.
struct ServerSideExperiment: Sendable {
    private struct Turn: Sendable {
        let page: [Int]
        let due: ContinuousClock.Instant
    }

    /// A process with the directory of its machine.
    private struct Seat: Sendable {
        let machine: Int
        var share: Share
        var process: PictureProcess
    }

    private let origin: PictureOrigin
    private let proxy: CachingProxy
    private let folder: TemporaryDirectory
    private let clock = ContinuousClock()

    /// Runs the experiment, and leaves neither processes nor files behind.
    static func run() async throws -> ServerSideResult {
        let folder = try TemporaryDirectory()
        defer { folder.remove() }
        let origin = try PictureOrigin()
        let proxy = try CachingProxy(origin: origin.port)
        defer { proxy.stop() }
        let result = try await ServerSideExperiment(origin: origin, proxy: proxy, folder: folder).runWithinLimit()
        try await origin.stop()
        return result
    }

    /// Runs with a time limit, so that a process that hangs doesn't remain.
    private func runWithinLimit() async throws -> ServerSideResult {
        try await withThrowingTaskGroup(of: ServerSideResult.self) { group in
            group.addTask { try await run() }
            group.addTask {
                try await clock.sleep(for: .seconds(600))
                throw BenchError("the processes haven't finished within ten minutes")
            }
            defer { group.cancelAll() }
            guard let result = try await group.next() else { throw CancellationError() }
            return result
        }
    }

    @concurrent
    private func run() async throws -> ServerSideResult {
        var seats = try [
            seat("1a", machine: 1), seat("1b", machine: 1), seat("2a", machine: 2), seat("2b", machine: 2),
        ]
        var mark = (answers: 0, requests: 0)
        var start = clock.now
        let turns = turns(NumberedPictures.pages(ServerSideSetting.pages, seed: 1))
        let first = try await serve(turns, to: seats, killsFirst: true)
        let main = try await part(first.shares, since: start, &mark)
        seats = first.seats

        for seat in seats where seat.machine == 2 { try await seat.process.kill() }
        seats[2...] = try [seat("3a", machine: 3), seat("3b", machine: 3)]
        for index in 0...1 { seats[index].share = Share(name: ["1a", "1b"][index]) }
        start = clock.now
        let more = self.turns(NumberedPictures.pages(ServerSideSetting.laterPages, seed: 2))
        let second = try await serve(more, to: seats, killsFirst: false)
        let later = try await part(second.shares, since: start, &mark)

        var troubles = (main.shares + later.shares).flatMap(\.troubles)
        for seat in second.seats { troubles += try await seat.process.finish() }
        var checks: [DirectoryCheck] = []
        for machine in 1...3 {
            checks.append(try await DirectoryCheck.run(directory(machine), name: "\(machine)", proxy: proxy.url("/")))
        }
        return ServerSideResult(
            main: main, unanswered: first.unanswered, later: later, checks: checks, troubles: troubles)
    }

    private func directory(_ machine: Int) -> URL {
        URL(filePath: folder.file("machine-\(machine)"), directoryHint: .isDirectory)
    }

    private func seat(_ name: String, machine: Int) throws -> Seat {
        let process = try PictureProcess(proxy: proxy.url("/"), directory: directory(machine))
        return Seat(machine: machine, share: Share(name: name), process: process)
    }

    /// The pages, each with the time at which it is requested.
    private func turns(_ pages: [[Int]]) -> [Turn] {
        let start = clock.now
        return pages.enumerated().map { index, page in
            Turn(page: page, due: start + .seconds(Double(index) / ServerSideSetting.pagesPerSecond))
        }
    }

    // MARK: Serving

    private struct Served: Sendable {
        var shares: [Share] = []
        var unanswered = 0
        /// The processes that remain.
        var seats: [Seat] = []
    }

    /// Makes the processes load the pages in turn.
    ///
    /// - Parameter killsFirst: Whether the first process is killed after half of its pages.
    private func serve(_ turns: [Turn], to seats: [Seat], killsFirst: Bool) async throws -> Served {
        try await withThrowingTaskGroup(of: (Int, Served).self) { group in
            for (index, seat) in seats.enumerated() {
                let own = stride(from: index, to: turns.count, by: seats.count).map { turns[$0] }
                group.addTask {
                    let isKilled = killsFirst && index == 0
                    return (index, try await (isKilled ? serveAndKill(own, seat) : serve(own, seat)))
                }
            }
            var all: [(Int, Served)] = []
            for try await served in group { all.append(served) }
            return all.sorted { $0.0 < $1.0 }.reduce(into: Served()) { sum, served in
                sum.shares += served.1.shares
                sum.unanswered += served.1.unanswered
                sum.seats += served.1.seats
            }
        }
    }

    private func serve(_ turns: [Turn], _ seat: Seat) async throws -> Served {
        var share = seat.share
        for turn in turns {
            try await clock.sleep(until: turn.due)
            share.add(try await seat.process.load(turn.page))
        }
        return Served(shares: [share], seats: [seat])
    }

    /// Kills the process after half of its pages, as soon as it has delivered an image from the proxy and is about to
    /// store it, while other loads are running. A new process on the same directory takes over.
    private func serveAndKill(_ turns: [Turn], _ seat: Seat) async throws -> Served {
        var share = seat.share
        var rest = turns[...]
        while let turn = rest.popFirst() {
            try await clock.sleep(until: turn.due)
            let mayDie = rest.count < turns.count / 2
            let page = try await seat.process.load(turn.page) { answer, missing in
                mayDie && answer.origin == .fetched && missing > 1
            }
            share.add(page)
            guard page.isKilled else { continue }
            try await seat.process.kill()
            var successor = try self.seat(share.name + ", its successor", machine: seat.machine)
            successor.share.add(try await successor.process.load(page.unanswered))
            var served = try await serve(Array(rest), successor)
            served.shares.insert(share, at: 0)
            served.unanswered = page.unanswered.count
            return served
        }
        throw BenchError("the process that was to be killed has loaded nothing from the proxy")
    }

    // MARK: Counting

    /// Counts the requests that the proxy and the origin have seen since the last call.
    private func part(
        _ shares: [Share], since start: ContinuousClock.Instant, _ mark: inout (answers: Int, requests: Int)
    ) async throws -> ServerSidePart {
        let duration = start.duration(to: clock.now)
        // The proxy logs an answer after sending it, and its background updates may still be running.
        try await clock.sleep(for: .milliseconds(500))
        let (answers, requests) = (try proxy.answers(), origin.requests)
        defer { mark = (answers.count, requests.count) }
        return ServerSidePart(
            shares: shares, proxyAnswers: Array(answers[mark.answers...]),
            originRequests: Array(requests[mark.requests...]), duration: duration)
    }
}
