/// Decides when a preview of a download is worth its cost.
///
/// Times are relative to the start of the transfer; bytes are those of the body.
package struct PreviewBudget: Sendable {
    /// The next step.
    package enum Decision: Equatable, Sendable {
        /// Make a preview.
        case now
        /// Nothing before so much time has passed.
        case wait(Duration)
        /// Wait until more bytes have arrived.
        case waitForBytes
        /// Nothing any more.
        case never
    }

    private let settings: ImageLoader.Configuration.Previews
    /// Bytes that were there from an earlier transfer.
    private let continued: Int
    private var received: Int
    private var expected: Int?
    /// Bytes that the latest preview was made of.
    private var shown = 0
    /// When the latest one was done.
    private var last: Duration = .zero
    private var spent: Duration = .zero
    private var lastCost: Duration = .zero

    /// - Parameter continued: bytes that an earlier transfer has brought.
    package init(_ settings: ImageLoader.Configuration.Previews, continuing continued: Int = 0) {
        self.settings = settings
        self.continued = continued
        received = continued
    }

    /// Bytes so far, and of the whole when that is known.
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

    /// There was no room to make one: it is tried again as if one had been made for nothing.
    package mutating func skip(at now: Duration) { last = now }

    /// Decides what to do at a time.
    package func decision(at now: Duration) -> Decision {
        if (expected ?? .max) < settings.minimumBytes || settings.maximumTimeShare <= 0 { return .never }
        if let expected, received >= expected { return .never }
        guard received > shown, received >= settings.minimumBytes / 2 else { return .waitForBytes }
        let due = max(last + settings.interval, dueByShare, dueByRest)
        return now >= due ? .now : .wait(due - now)
    }

    /// The time from which the next preview keeps within the share, if it takes as long as the last one.
    private var dueByShare: Duration { Duration(inSeconds: (spent + lastCost).inSeconds / settings.maximumTimeShare) }

    /// The time from which the rest of the download would take longer than the interval, at the average speed so far. A
    /// preview that is replaced at once is worth nothing, unless the transfer has stalled.
    private var dueByRest: Duration {
        guard let expected else { return .zero }
        let (brought, rest) = (Double(received - continued), Double(expected - received))
        return brought <= 0 ? .zero : Duration(inSeconds: settings.interval.inSeconds * brought / rest)
    }
}

extension Duration {
    fileprivate var inSeconds: Double { self / .seconds(1) }

    /// Up to some thirty years, which no one waits.
    fileprivate init(inSeconds seconds: Double) { self = .seconds(min(seconds, 1e9)) }
}
