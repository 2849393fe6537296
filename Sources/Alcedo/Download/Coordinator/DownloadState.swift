import Foundation

/// The state of one download. It is a class, because much of it changes in place, and never leaves the actor.
final class DownloadState {
    let flight: FlightID
    /// The URL of the request in its normal form, for events.
    let url: URL
    /// The request to the server, before the program's hook changes it.
    let request: DataRequest
    let control: LoadControl
    /// The stored response that the request asks to confirm.
    let confirming: StoredResponse?
    /// The freshness of the redirects that an earlier request met and this one skips; nil if there are none.
    let redirects: Freshness?
    /// Whether there is a stale response to use, so that the request isn't retried.
    let hasSubstitute: Bool
    /// The host of the request, by which limits and retries are counted.
    let host: String
    let key: ResourceKey
    /// When the flight began. If that was before a removal, none of its results are stored for other callers.
    let begun: Download.Ticket
    /// The place for a large body.
    let place: BodyPlace
    var retries: RetryState
    var networkWait: NetworkWait
    /// The request as the program's hook changed it, for the current attempt.
    var prepared: DataRequest?
    /// The host that the current attempt was redirected to; nil if it wasn't redirected to another origin.
    var movedHost: String?
    /// How long the server says that its refusal is fresh; nil if it doesn't say.
    var refusalFreshness: Duration?
    /// Nil unless the program has a hook for credentials.
    var authentication: Authentication?
    /// Ended with true when the download gets the slot that it waits for, and with false when it is cancelled first.
    var slot: Promise<Bool>?
    /// When the download began to wait for an attempt's slot; nil once it has one.
    var queuedAt: Duration?
    /// Whether that wait was reported.
    var isReportedAsQueued = false
    /// The number of the current attempt, counted from 1.
    var attempt = 1
    /// Whether an attempt has begun.
    var wasSent = false
    /// Receives the current transfer.
    var sink: ResponseSink?
    /// Ends the current transfer, so that others get its slot.
    var stop: Promise<Void>?
    /// The reason why the current transfer is being ended; nil if it isn't.
    var ending: Ending?
    /// The number of bytes of the body that an earlier download received.
    var continuedBytes = 0

    init(
        _ flight: FlightID, _ url: URL, _ request: DataRequest, _ control: LoadControl, _ key: ResourceKey,
        _ begun: Download.Ticket, in place: BodyPlace, confirming: StoredResponse?, redirects: Freshness?,
        hasSubstitute: Bool, retries: RetryState, networkWait: NetworkWait
    ) {
        (self.flight, self.url, self.request, self.control) = (flight, url, request, control)
        (self.key, self.begun, self.place, self.confirming) = (key, begun, place, confirming)
        (self.redirects, self.hasSubstitute, self.retries) = (redirects, hasSubstitute, retries)
        self.networkWait = networkWait
        host = request.url.hostName
    }

    /// The request to send.
    var data: DataRequest { prepared ?? request }
    var hasBody: Bool { prepared.map { $0.body != nil } ?? (request.body != nil) }
    /// The host that the request is sent to, or was redirected to.
    var currentHost: String { movedHost ?? prepared.map { $0.url.hostName } ?? host }

    /// The facts that decide whether the transfer may yield its slot to another host. Requests with a body are exempt,
    /// because the progress of the body isn't known here.
    func transfer(now: Int64, keepingAtMost limit: Int) -> DownloadQueue<FlightID>.Transfer {
        let bytes = sink?.receivedHere ?? 0
        let kept = sink?.partial(now: now)?.body.heldBytes
        return .init(
            bytes: bytes, pausedTime: sink?.share?.pausedTime ?? .zero,
            keepsBytes: bytes == 0 || kept.map { limit > 0 && $0 <= limit } ?? false,
            isRepeatable: !hasBody && data.method.isIdempotent)
    }

    /// The sink for the next attempt.
    func makeSink(
        _ settings: DownloadCoordinator.Settings, _ rules: ResponseRules, resuming partial: PartialBody?,
        _ share: BodyShare, _ time: TimeSource, _ onEvent: DownloadCoordinator.Report?
    ) -> ResponseSink {
        let data = data
        return ResponseSink(
            rules: rules, url: url, method: data.method, resuming: partial, asksForPart: data.asksForPart,
            forbidsStoring: data.headers.forbidStoring, confirming: confirming, cacheRules: settings.caching,
            redirects: redirects, share: share, begun: begun, followsOrigins: false, in: place,
            isObserved: onEvent != nil, time: time
        ) { [control, url] in
            switch $0 {
            case .response(let head, let time):
                control.advance { $0.respond(head) }
                onEvent?(.init(control, url, .ended(.firstByte, StageOutcome(duration: time))))
            case .refused(let error, let time):
                onEvent?(.init(control, url, .ended(.firstByte, StageOutcome(duration: time, error: error))))
            case .connected(let time, let isReused):
                let flags: LoadFlags = isReused ? .reusedConnection : []
                onEvent?(.init(control, url, .ended(.connect, StageOutcome(duration: time, flags: flags))))
            case .progress(let received, let expected):
                control.advance { $0.receive(received, of: expected) }
                onEvent?(.init(control, url, .progress(received: received, expected: expected)))
            case .keptInMemory(let failure):
                onEvent?(.init(control, url, .keptInMemory(CacheFailure(.write, failure))))
            }
        }
    }

    /// The flight's use of the program's hook for credentials.
    struct Authentication {
        /// Whether the last request had credentials of the caller, which the hook doesn't replace.
        var hasOwn = false
        /// The hook's credentials that the last request carried.
        var sent: String?
        /// The origins whose 401 has led to a repetition.
        var repeated: Set<String> = []
        /// Set while the flight waits for the hook; ended with nil if there are credentials.
        var answer: Promise<ImageLoaderError?>?
    }

    /// The outcome of an attempt.
    indirect enum Attempt {
        case whole(Download)
        /// The transfer left its slot to another host, and continues later.
        case yielded
        /// The server asks for credentials.
        case refused(RequestAuthentication.Question)
        case failed(ImageLoaderError, ResponseHead?)
    }

    /// Why a running transfer is being ended.
    enum Ending {
        /// The transfer is too slow while others wait for its slot.
        case tooSlow
        /// The transfer leaves its slot to another host, and continues later.
        case yields
    }
}

extension DataRequest {
    var asksForPart: Bool { headers["Range"] != nil }
}
