/// Decides when a preview of a download is worth its cost.
///
/// Times are relative to the start of the transfer. Numbers of bytes refer to the body.
package struct PreviewBudget: Sendable {
    /// The next step.
    package enum Decision: Equatable, Sendable {
        /// Make a preview now.
        case now
        /// Wait for this time, then decide again.
        case wait(Duration)
        /// Wait until more bytes have arrived.
        case waitForBytes
        /// Make no more previews.
        case never
    }

    private let settings: ImageLoader.Configuration.Previews
    /// The number of bytes received by an earlier transfer.
    private let continued: Int
    private var received: Int
    private var expected: Int?
    /// The number of bytes that the latest preview was made from.
    private var shown = 0
    /// The time at which the latest preview was finished or skipped.
    private var last: Duration = .zero
    private var spent: Duration = .zero
    private var lastCost: Duration = .zero

    /// - Parameter continued: The number of bytes received by an earlier transfer.
    package init(_ settings: ImageLoader.Configuration.Previews, continuing continued: Int = 0) {
        self.settings = settings
        self.continued = continued
        received = continued
    }

    /// Records the number of bytes received so far, and that of the whole body if it is known.
    package mutating func receive(_ received: Int, of expected: Int?) {
        self.received = received
        self.expected = expected
    }

    /// Records a turn. Its cost counts, whatever its outcome.
    ///
    /// - Parameter bytes: The number of bytes used, so that nothing is due before more have arrived; nil if the turn
    ///   wasn't completed.
    package mutating func spend(_ cost: Duration, at now: Duration, on bytes: Int? = nil) {
        spent += cost
        lastCost = cost
        last = now
        if let bytes { shown = bytes }
    }

    /// Records that no thread was free. The next preview is due as if one had been made at no cost.
    package mutating func skip(at now: Duration) { last = now }

    /// Returns the next step at time `now`.
    package func decision(at now: Duration) -> Decision {
        if (expected ?? .max) < settings.minimumBytes || settings.maximumTimeShare <= 0 { return .never }
        if let expected, received >= expected { return .never }
        guard received > shown, received >= settings.minimumBytes / 2 else { return .waitForBytes }
        let due = max(last + settings.interval, dueByShare, dueByRest)
        return now >= due ? .now : .wait(due - now)
    }

    /// The time from which the next preview stays within the share, if it takes as long as the last one.
    private var dueByShare: Duration { Duration(inSeconds: (spent + lastCost).inSeconds / settings.maximumTimeShare) }

    /// The time from which the rest of the download would take longer than the interval, at the average speed so far.
    /// Unless the transfer has stalled, an earlier preview would be replaced almost immediately.
    private var dueByRest: Duration {
        guard let expected else { return .zero }
        let (brought, rest) = (Double(received - continued), Double(expected - received))
        return brought <= 0 ? .zero : Duration(inSeconds: settings.interval.inSeconds * brought / rest)
    }
}

extension Duration {
    fileprivate var inSeconds: Double { self / .seconds(1) }

    /// Limited to about thirty years, longer than anyone waits.
    fileprivate init(inSeconds seconds: Double) { self = .seconds(min(seconds, 1e9)) }
}
