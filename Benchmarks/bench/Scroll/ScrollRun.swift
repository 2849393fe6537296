import Alcedo
import Foundation

/// A feed that is scrolled in simulated time. Each cell loads its image while it is visible.
struct ScrollRun {
    struct Result: Sendable {
        /// The time that each visible cell waited for its image, in ns, ascending. A cell that left the screen without
        /// its image waited as long as it was visible.
        var waits: [Double]
        var wastedPart: Double

        func percentile(_ percent: Int) -> Double { waits[(waits.count - 1) * percent / 100] }
    }

    /// The number of images to prefetch.
    private static let ahead = 12

    private let link = SlowLink(sizes: ScrollTrace.sizes())
    private let trace = ScrollTrace()
    private let urls: [URL]
    private let loader: ImageLoader
    private let prefetcher: ImagePrefetcher?
    private var shown: [Int: Cell] = [:]
    private var waits: [Double] = []

    private struct Cell {
        let task: LoadTask<ImageResponse>
        let since: Double
        var isDone = false
    }

    init(prefetches: Bool) throws {
        urls = try (0..<ScrollTrace.cells).map { try SlowLink.url(of: $0) }
        loader = Scripted.loader(link)
        prefetcher = prefetches ? ImagePrefetcher(loader, window: Self.ahead) : nil
    }

    mutating func result() async throws -> Result {
        var last = -1
        for (tick, position) in trace.positions.enumerated() {
            let now = Double(tick) * ScrollTrace.tick
            if position != last {
                move(to: position, isForward: trace.directions[tick], now)
                last = position
                try await settle()
                note(now)
            }
            guard link.isBusy else { continue }
            if link.advance(by: ScrollTrace.tick) {
                try await settle()
                note(now + ScrollTrace.tick)
            }
        }
        return Result(waits: waits.sorted(), wastedPart: link.wastedPart)
    }

    private mutating func move(to position: Int, isForward: Bool, _ now: Double) {
        let visible = position..<position + ScrollTrace.visible
        for (index, cell) in shown where !visible.contains(index) {
            cell.task.cancel()
            if !cell.isDone { waits.append((now - cell.since) * 1e9) }
            shown[index] = nil
        }
        for index in visible where shown[index] == nil {
            shown[index] = Cell(task: loader.imageTask(for: ImageRequest(url: urls[index])), since: now)
        }
        let next =
            isForward
            ? Array(urls[visible.upperBound..<min(urls.count, visible.upperBound + Self.ahead)])
            : urls[max(0, position - Self.ahead)..<position].reversed()
        prefetcher?.update(to: next)
    }

    /// Waits until all changes have taken effect.
    ///
    /// It sleeps, because a loader doesn't report that no more requests follow. Their number depends on its slots, its
    /// priorities and its memory cache, which this run measures.
    private func settle() async throws {
        var before = -1
        while before != link.requestCount {
            before = link.requestCount
            try await Task.sleep(for: .microseconds(100))
        }
    }

    private mutating func note(_ now: Double) {
        for (index, cell) in shown where !cell.isDone && cell.task.result != nil {
            shown[index]?.isDone = true
            waits.append((now - cell.since) * 1e9)
        }
    }
}
