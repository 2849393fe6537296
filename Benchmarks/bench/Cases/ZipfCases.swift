import Alcedo
import Foundation

/// A mixed load: some requests hit, some join, some miss.
enum ZipfCases {
    static let all: [BenchCase] = [
        .counted("pipeline/zipf-cpu", baselineName: empty, unit: .nanoseconds) {
            try await rounds.value.measurement { $0.processorTime }
        },
        .counted("pipeline/zipf-p99", baselineName: empty, unit: .nanoseconds) {
            try await rounds.value.measurement { $0.latencies.percentile(99) ?? 0 }
        },
    ]

    private static let empty = "an empty loader"
    private static let requests = 100_000
    private static let width = 64

    /// The rounds that both cases read.
    private static let rounds = Task.detached { try await ZipfRounds.measure() }

    private struct ZipfRounds: Sendable {
        private var rounds: [(ours: LoadFigures, baseline: LoadFigures)] = []

        static func measure() async throws -> ZipfRounds {
            let load = try ZipfLoad(requests: requests)
            var measured = ZipfRounds()
            for round in 0..<6 {
                let early = round.isMultiple(of: 2) ? nil : try await baseline(load)
                let ours = try await ours(load)
                let baseline = if let early { early } else { try await baseline(load) }
                if round > 0 { measured.rounds.append((ours, baseline)) }
            }
            return measured
        }

        func measurement(_ value: (LoadFigures) -> Double) -> Measurement {
            Measurement(ours: rounds.map { value($0.ours) }, baseline: rounds.map { value($0.baseline) })
        }
    }

    private static func ours(_ load: ZipfLoad) async throws -> LoadFigures {
        let line = DelayLine(latency: .milliseconds(1))
        defer { line.end() }
        let network = ScriptedNetwork(.later(line))
        let loader = Scripted.loader(network) {
            $0.memory.maximumCount = ZipfLoad.held
            $0.download.maximumConcurrentDownloads = width
            $0.download.maximumConcurrentDownloadsPerHost = width
        }
        let figures = try await measure(load) { blackHole(try await loader.image(for: $0)) }
        let held = loader.memoryCache.statistics.count
        guard held <= ZipfLoad.held, network.transferCount >= load.distinctCount else {
            throw BenchError("\(held) pictures in memory, \(network.transferCount) transfers")
        }
        return figures
    }

    private static func measure(
        _ load: ZipfLoad, _ request: @escaping @Sendable (URL) async throws -> Void
    ) async throws -> LoadFigures {
        try await LoadFigures.measure(load.urls.count) {
            try await RequestsInTurn(urls: load.urls, callers: ZipfLoad.callers).run(request)
        }
    }

    /// The figures of a loader that only asks the transport, for each request.
    private static func baseline(_ load: ZipfLoad) async throws -> LoadFigures {
        let line = DelayLine(latency: .milliseconds(1))
        defer { line.end() }
        let network = ScriptedNetwork(.later(line))
        return try await measure(load) { url in
            let sink = ResponseSink(maximumBytes: 1 << 20)
            try await network.load(DataRequest(url: url), into: sink)
            blackHole(sink)
        }
    }
}
