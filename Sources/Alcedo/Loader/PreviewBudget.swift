/// When a preview of a download is worth what it costs.
///
/// It decides and does nothing. Times are those since the transfer began; bytes are those of the body.
package struct PreviewBudget: Sendable {
    /// What is to be done now.
    package enum Decision: Equatable, Sendable {
        /// A preview is to be made.
        case now
        /// Nothing before so much time has passed.
        case wait(Duration)
        /// Nothing before more bytes have come.
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

    /// A turn was taken; what it took counts, whatever came of it.
    ///
    /// - Parameter bytes: what was used up, so that there is nothing new before more have come; nil when it is not
    ///   done.
    package mutating func spend(_ cost: Duration, at now: Duration, on bytes: Int? = nil) {
        spent += cost
        lastCost = cost
        last = now
        if let bytes { shown = bytes }
    }

    /// There was no room to make one: it is tried again as if one had been made for nothing.
    package mutating func skip(at now: Duration) { last = now }

    /// What is to be done after so much time.
    package func decision(at now: Duration) -> Decision {
        if (expected ?? .max) < settings.minimumBytes || settings.maximumTimeShare <= 0 { return .never }
        if let expected, received >= expected { return .never }
        guard received > shown, received >= settings.minimumBytes / 2 else { return .waitForBytes }
        let due = max(last + settings.interval, dueByShare, dueByRest)
        return now >= due ? .now : .wait(due - now)
    }

    /// From when on the next one keeps the share, if it takes as long as the one before.
    private var dueByShare: Duration { Duration(inSeconds: (spent + lastCost).inSeconds / settings.maximumTimeShare) }

    /// From when on the rest would take longer than the interval, at the speed so far. For one who has waited, a
    /// preview that is replaced at once is worth nothing; a transfer that has come to a halt is another matter.
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
