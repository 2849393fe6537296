import Synchronization

/// Draws the bars of running downloads during some work, and removes them at the end.
///
/// Nothing is drawn if stderr isn't a terminal, or the user wants no bars.
final class ProgressDisplay: Sendable {
    private let console: Console
    private let isShown: Bool
    private let bars: Mutex<ProgressBars>
    private let changes: AsyncStream<Void>
    private let changed: AsyncStream<Void>.Continuation

    /// - Parameter total: The number of loads; nil to omit the line with the totals.
    init(console: Console, total: Int? = nil, isShown: Bool = true) {
        self.console = console
        self.isShown = isShown
        bars = Mutex(ProgressBars(total: total))
        (changes, changed) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
    }

    func receive(_ event: ToolEvent) {
        if bars.withLock({ $0.receive(event) }) { changed.yield() }
    }

    func update(_ change: (inout ProgressBars) -> Void) {
        bars.withLock { change(&$0) }
        changed.yield()
    }

    var receivedBytes: Int { bars.withLock { $0.receivedBytes } }

    /// Does `work` while the bars are shown. Must be called once.
    func during<Result: Sendable>(_ work: () async -> Result) async -> Result {
        async let drawing: Void = draw()
        changed.yield()
        let result = await work()
        changed.finish()
        await drawing
        return result
    }

    private func draw() async {
        defer { console.draw(nil) }
        guard isShown, console.showsBars else { return }
        var drawn: ProgressBars?
        // Draws after each change, but no more often than a screen can show.
        for await _ in changes {
            let current = bars.withLock { $0 }
            if current == drawn { continue }
            drawn = current
            console.draw(current)
            do {
                try await Task.sleep(for: .milliseconds(33))
            } catch {
                return
            }
        }
    }
}
