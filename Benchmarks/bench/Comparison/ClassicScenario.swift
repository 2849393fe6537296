import AlcedoTestSupport
import Foundation

/// The scenarios that both designs run. Each run creates a new loader.
enum ClassicScenario: String, Sendable, CaseIterable {
    case hit
    case joins = "join-1000"
    case miss
    case diskHit = "disk-hit"
    case cancel
    case zipf

    var explanation: String {
        switch self {
        case .hit: "images in memory, one request after the other"
        case .joins: "1,000 requests for one image while it is being downloaded"
        case .miss: "new images without a disk cache, one request after the other"
        case .diskHit: "files of 10 KB without a memory cache, one request after the other"
        case .cancel: "10,000 requests that wait for six downloads and are cancelled"
        case .zipf: "64 callers, 10,000 images of different popularity, memory for 1,000, 1 ms of latency"
        }
    }

    @concurrent
    func run(_ side: Contestant.Side) async throws -> LoadFigures {
        switch self {
        case .hit: try await hits(side)
        case .joins: try await joins(side)
        case .miss: try await misses(side)
        case .diskHit: try await diskHits(side)
        case .cancel: try await cancels(side)
        case .zipf: try await zipfRequests(side)
        }
    }

    private static let pictures = 1_000

    /// Returns the figures of `body`, and checks that it caused the expected number of transfers.
    private func measure(
        _ contestant: Contestant, requests: Int, transfers expected: ClosedRange<Int>,
        _ body: () async throws -> [Double]
    ) async throws -> LoadFigures {
        let before = contestant.network.transferCount
        var figures = try await LoadFigures.measure(requests, body)
        figures.transfers = contestant.network.transferCount - before
        guard expected.contains(figures.transfers) else {
            throw BenchError("\(rawValue): \(figures.transfers) transfers, not \(expected)")
        }
        return figures
    }

    private func draw(_ count: Int, from urls: [URL]) -> [URL] {
        var random = SeededRandom(seed: 2)
        return (0..<count).map { _ in urls[random.place(among: urls.count)] }
    }

    // MARK: The scenarios

    private func hits(_ side: Contestant.Side) async throws -> LoadFigures {
        let contestant = try Contestant(side, held: Self.pictures, network: ScriptedNetwork(.atOnce))
        let urls = try Scripted.freshURLs(Self.pictures)
        _ = try await contestant.design.load(urls, callers: 1, sampled: 1)
        let requests = draw(100_000, from: urls)
        return try await measure(contestant, requests: requests.count, transfers: 0...0) {
            // Only a sample is timed, because reading the clock takes as long as a hit.
            try await contestant.design.load(requests, callers: 1, sampled: 16)
        }
    }

    private func joins(_ side: Contestant.Side) async throws -> LoadFigures {
        let contestant = try Contestant(side, held: Self.pictures, network: ScriptedNetwork(.atOnce))
        let (rounds, callers) = (20, 1_000)
        // Each caller has its own URL value.
        let urls = try (0..<rounds).map { round in
            try (0..<callers).map { _ in try Scripted.url("joined/\(round)/large.jpg?width=1080&format=auto") }
        }
        return try await measure(contestant, requests: rounds * callers, transfers: rounds...rounds) {
            var latencies: [Double] = []
            for urls in urls {
                let answers = HeldAnswers()
                contestant.network.answer(.held(answers))
                latencies += try await contestant.design.loadAtOnce(urls, onAsked: answers.open)
            }
            return latencies
        }
    }

    private func misses(_ side: Contestant.Side) async throws -> LoadFigures {
        let contestant = try Contestant(side, held: Self.pictures, network: ScriptedNetwork(.atOnce))
        let urls = try Scripted.freshURLs(5_000)
        return try await measure(contestant, requests: urls.count, transfers: urls.count...urls.count) {
            try await contestant.design.load(urls, callers: 1, sampled: 1)
        }
    }

    private func diskHits(_ side: Contestant.Side) async throws -> LoadFigures {
        let body = Scripted.body + BareFileRead.randomBytes(10_000 - Scripted.body.count, seed: 1)
        let contestant = try Contestant(side, held: 0, isOnDisk: true, network: ScriptedNetwork(.atOnce, body: body))
        defer { contestant.tearDown() }
        let urls = try Scripted.freshURLs(256)
        _ = try await contestant.design.load(urls, callers: 1, sampled: 1)
        await contestant.design.flush()
        let requests = draw(5_000, from: urls)
        return try await measure(contestant, requests: requests.count, transfers: 0...0) {
            try await contestant.design.load(requests, callers: 1, sampled: 1)
        }
    }

    private func cancels(_ side: Contestant.Side) async throws -> LoadFigures {
        let network = ScriptedNetwork(.held(HeldAnswers()))
        let contestant = try Contestant(side, held: 0, network: network)
        let urls = try Scripted.freshURLs(10_000)
        return try await measure(contestant, requests: urls.count, transfers: 0...urls.count) {
            try await contestant.design.cancel(urls)
        }
    }

    private func zipfRequests(_ side: Contestant.Side) async throws -> LoadFigures {
        let line = DelayLine(latency: .milliseconds(1))
        defer { line.end() }
        let contestant = try Contestant(side, held: ZipfLoad.held, network: ScriptedNetwork(.later(line)))
        let load = try ZipfLoad(requests: 20_000)
        let transfers = load.distinctCount...load.urls.count
        return try await measure(contestant, requests: load.urls.count, transfers: transfers) {
            try await contestant.design.load(load.urls, callers: ZipfLoad.callers, sampled: 1)
        }
    }
}
