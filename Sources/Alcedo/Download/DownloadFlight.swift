import Foundation

/// What a coordinator knows of one download. A class, as much of it changes in place; it never leaves the actor.
final class DownloadFlight {
    /// As the caller wrote it, for events.
    let url: URL
    /// What is asked of the server, before the program's hook.
    let request: DataRequest
    /// What its limits and retries count by: the origin of the request.
    let host: String
    let flightKey: FlightKey<ResourceKey>
    var key: ResourceKey { flightKey.key }
    let control: LoadControl
    /// When it began: nothing is kept for others of one that began before a removal.
    let begun: Download.Ticket
    /// What the program's hook made of the request, for the present attempt.
    var prepared: DataRequest?
    /// Made for the first failure.
    var retries: RetryState?
    /// Set while it waits for a slot.
    var slotWait: SlotWait?
    /// What the present transfer delivers to; it has a slot as long.
    var sink: ResponseSink?
    /// Whether the last waiter has left.
    var isAbandoned = false
    /// Bytes of the body after the last transfer.
    var received = 0
    /// Those of them that an earlier download had brought.
    var continuedBytes = 0

    init(
        _ url: URL, _ request: DataRequest, _ key: FlightKey<ResourceKey>, _ control: LoadControl,
        _ begun: Download.Ticket
    ) {
        self.url = url
        self.request = request
        host = request.url.origin
        flightKey = key
        self.control = control
        self.begun = begun
    }

    /// What is asked of the server.
    var data: DataRequest { prepared ?? request }

    private var asksForPart: Bool { data.headers["Range"] != nil }
    /// Whether it may go on with what an earlier download received.
    var mayResume: Bool { data.method == .get && !asksForPart }

    /// Where its next attempt delivers to.
    func makeSink(
        _ rules: ResponseRules, resuming partial: PartialBody?, _ undecoded: UndecodedShare, _ time: TimeSource,
        _ onEvent: DownloadCoordinator.Report?
    ) -> ResponseSink {
        ResponseSink(
            rules: rules, method: data.method, resuming: partial, asksForPart: asksForPart,
            forbidsStoring: data.headers.forbidStoring, undecoded: undecoded, followsOrigins: false, time: time
        ) { [control, url] in
            switch $0 {
            case .response(let head):
                control.advance { $0.respond(head) }
            case .progress(let received, let expected):
                control.advance { $0.receive(received, of: expected) }
                let kind = DownloadCoordinator.Event.Kind.progress(received: received, expected: expected)
                onEvent?(DownloadCoordinator.Event(load: control.id, url: url, kind: kind))
            }
        }
    }

    /// How long to wait before the next attempt, nil when the failure stands.
    func retryDelay(
        after error: ImageLoaderError, _ head: ResponseHead?, _ policy: RetryPolicy,
        _ random: inout SystemRandomNumberGenerator, budget: inout RetryBudget, now: Int64
    ) -> Duration? {
        var state = retries ?? RetryState(policy, resource: key.text, using: &random)
        defer { retries = state }
        return state.delay(
            after: error, headers: head?.headers ?? [:], isIdempotent: data.method.isIdempotent, host: host,
            budget: &budget, now: now)
    }

    /// What it does when it gets a slot.
    enum SlotWait {
        /// It gets its Task with the slot, so that waiting costs none.
        case begin
        case resume(UnsafeContinuation<ResponseSink?, Never>)
    }
}
