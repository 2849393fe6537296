public import Foundation
import Synchronization

/// Receives a response from a transport, checks it and collects its body.
///
/// All rules for responses are enforced here, so they apply to every transport: the accepted statuses, the largest body
/// and the announced length. A transport calls ``begin(_:)`` once, then ``append(_:)-(Data)`` for each chunk. If either
/// throws, it ends the transfer with that error.
///
/// A transport that wraps another one gives it a separate sink, created with ``init(maximumBytes:onProgress:)``. It
/// then delivers to its own sink a response made from the separate sink's ``head`` and ``body``.
public final class ResponseSink: Sendable {
    /// The maximum total size of all header fields in bytes.
    ///
    /// A transport should reject a longer head while it arrives.
    public var maximumHeaderBytes: Int { rules.maximumHeaderBytes }

    let rules: ResponseRules
    private let url: URL?
    private let method: HTTPMethod
    private let asksForPart: Bool
    private let forbidsStoring: Bool
    /// The stored response that the server is asked to confirm.
    private let confirming: StoredResponse?
    private let now: @Sendable () -> Int64
    private let clock: @Sendable () -> Duration
    private let onEvent: @Sendable (Event) -> Void
    /// The body's share of the budget for all bodies; nil if bodies don't count.
    let share: BodyShare?
    private let begun: Download.Ticket?
    private let followsOrigins: Bool
    private let place: BodyPlace?
    /// Whether events have a receiver.
    let isObserved: Bool
    /// When the sink was created, before the response was requested, in seconds since 1970.
    private let begunAt: Int64
    private let state: Mutex<State>

    private struct State {
        /// The head that the body belongs to, or the head that was refused.
        var head: ResponseHead?
        /// When the attempt began, on the loader's clock; nil before that.
        var startedAt: Duration?
        /// The time it took to connect; zero if the transport doesn't report it.
        var connectTime = Duration.zero
        /// The time until connecting failed; nil if it didn't, or if the transport doesn't report it.
        var failedConnectTime: Duration?
        /// When the latest request was sent: the first one, or one to the target of a redirect.
        var sentAt: Duration?
        /// When the head arrived, in seconds since 1970.
        var respondedAt: Int64 = 0
        var body = ArrivingBody()
        /// The length of the whole body, if it was announced.
        var expected: Int?
        var isAccepted = false
        /// Whether the server confirmed the stored response.
        var isConfirmation = false
        /// The partial body to continue, until the server has accepted or rejected the continuation.
        var partial: PartialBody?
        /// The number of bytes from an earlier transfer that the server agreed to continue.
        var continuedBytes: Int?
        var startsOver = false
        /// The redirects at the beginning of the transfer that may be followed again, up to the first that may not.
        var redirects: [KnownRedirect] = []
        var hasPassingRedirect = false
        /// The freshness of the redirects that led to the response; nil if there were none.
        var redirectFreshness: Freshness?
        /// The rules for responses that don't say how long they are fresh.
        var cacheRules: CacheRules
        /// The request with which the transfer continues at another origin; nil if it doesn't.
        var redirect: DataRequest?
        /// Whether the last waiter has left.
        var isAbandoned = false
        var wasted = 0
    }

    /// - Parameters:
    ///   - url: The URL of the request.
    ///   - method: The method of the request.
    ///   - partial: The first bytes of the body, which the server is asked to continue.
    ///   - asksForPart: Whether the request has its own range. Its response is then accepted as it is.
    ///   - forbidsStoring: Whether the request says that its response must not be stored.
    ///   - confirming: The stored response that the server is asked to confirm with a 304.
    ///   - redirects: The freshness of the redirects that led to the request; nil if there were none.
    ///   - cacheRules: The rules for responses that don't say how long they are fresh.
    ///   - share: The body's share of the budget, which grows with it.
    ///   - begun: The download's ticket, for callers that store its result.
    ///   - followsOrigins: Whether the transport follows redirects to another origin itself.
    ///   - place: The place for a large body; nil to keep it in memory.
    ///   - isObserved: Whether events have a receiver.
    ///   - onEvent: Called on the transport's thread for each step, in order.
    package init(
        rules: ResponseRules, url: URL? = nil, method: HTTPMethod = .get, resuming partial: PartialBody? = nil,
        asksForPart: Bool = false, forbidsStoring: Bool = false, confirming: StoredResponse? = nil,
        cacheRules: CacheRules = CacheRules(), redirects: Freshness? = nil, share: BodyShare? = nil,
        begun: Download.Ticket? = nil, followsOrigins: Bool = true, in place: BodyPlace? = nil,
        isObserved: Bool = true, time: TimeSource = TimeSource(),
        onEvent: @escaping @Sendable (Event) -> Void = { _ in }
    ) {
        self.rules = rules
        self.url = url
        self.method = method
        self.asksForPart = asksForPart
        self.forbidsStoring = forbidsStoring
        self.confirming = confirming
        self.share = share
        self.begun = begun
        self.followsOrigins = followsOrigins
        // Bodies that must not be stored stay in memory.
        self.place = forbidsStoring ? nil : place
        self.isObserved = isObserved
        now = time.secondsSince1970
        clock = time.now
        self.onEvent = onEvent
        begunAt = now()
        state = Mutex(State(partial: partial, redirectFreshness: redirects, cacheRules: cacheRules))
    }

    /// Accepts the head of the final response.
    ///
    /// Informational responses and redirects that are followed aren't delivered.
    ///
    /// - Throws: ``ImageLoaderError/badStatus(_:)`` unless the status is accepted (by default from 200 to 299),
    ///   ``ImageLoaderError/contentTypeRefused(_:)`` unless the media type is,
    ///   ``ImageLoaderError/limitExceeded(_:value:allowed:)`` if the header fields or the announced length exceed their
    ///   limit, and ``ImageLoaderError/malformedResponse(_:)`` if more than one coding compresses the body or a part is
    ///   received that wasn't requested.
    public func begin(_ head: ResponseHead) throws(ImageLoaderError) {
        let waited = state.withLock { state in
            (state.sentAt.map { clock() - $0 } ?? .zero) - state.connectTime
        }
        let (taken, received, expected): (ResponseHead, Int, Int?)
        do throws(ImageLoaderError) {
            (taken, received, expected) = try state.withLock { state throws(ImageLoaderError) in
                try begin(head, &state)
                return (state.head ?? head, state.body.count, state.expected)
            }
        } catch {
            onEvent(.refused(error, after: waited))
            throw error
        }
        onEvent(.response(taken, after: waited))
        onEvent(.progress(received: received, expected: expected))
    }

    private func begin(_ head: ResponseHead, _ state: inout State) throws(ImageLoaderError) {
        state.head = head
        state.respondedAt = now()
        try rules.checkSize(of: head.headers)
        if head.status == 304, let confirming { return try accept(head, confirming: confirming, &state) }
        try BodyCodings(head.headers).requireOneLayer()
        switch state.partial?.judge(head) {
        case nil, .failure:
            break
        case .rest(let total):
            return try resume(head, total, &state)
        case .whole:
            state.partial = nil
        case .useless:
            state.partial = nil
            state.startsOver = true
            throw .malformedResponse("not the rest of what was begun, with status \(head.status)")
        }
        try rules.check(head)
        if head.status == 206, !asksForPart {
            throw .malformedResponse("a part of the resource, which was not asked for")
        }
        state.isAccepted = true
        state.expected = head.expectedBytes
        state.body = ArrivingBody(expected: head.expectedBytes, in: head.headers.forbidStoring ? nil : place)
    }

    /// Accepts a confirmation of the stored response, which has no body.
    private func accept(
        _ head: ResponseHead, confirming: StoredResponse, _ state: inout State
    ) throws(ImageLoaderError) {
        guard confirming.isConfirmed(by: head, isRedirected: state.redirectFreshness != nil) else {
            throw .confirmsAnother
        }
        state.isAccepted = true
        state.isConfirmation = true
        state.expected = 0
    }

    /// Accepts the head of the rest of a body.
    private func resume(_ head: ResponseHead, _ total: Int, _ state: inout State) throws(ImageLoaderError) {
        try rules.check(bytes: total)
        guard let partial = state.partial.take() else { return }
        let head = partial.head.updated(by: head)
        try rules.checkSize(of: head.headers)
        state.head = head
        state.isAccepted = true
        state.expected = total
        state.continuedBytes = partial.body.count
        state.body = ArrivingBody(partial.body, expected: total, in: head.headers.forbidStoring ? nil : place)
        share?.add(partial.body.count)
    }

    /// Appends the next bytes of the body, which are copied. A large body is written to a file.
    ///
    /// - Throws: ``ImageLoaderError/limitExceeded(_:value:allowed:)`` if the body exceeds the limit,
    ///   ``ImageLoaderError/malformedResponse(_:)`` if no head was accepted before, the error of ``demand`` if that
    ///   ends the transfer, and ``ImageLoaderError/cancelled`` if the last waiter has left.
    public func append(_ chunk: Data) throws(ImageLoaderError) {
        try chunk.withUnsafeBytes { chunk in
            Result { () throws(ImageLoaderError) in try append(chunk) }
        }.get()
    }

    /// Appends the next bytes of the body, which are copied.
    ///
    /// The buffer may be reused after the call. See ``append(_:)-(Data)``.
    public func append(_ chunk: UnsafeRawBufferPointer) throws(ImageLoaderError) {
        if case .end(let error) = demand { throw error }
        let body = try state.withLock { state throws(ImageLoaderError) in try append(chunk, &state) }
        share?.add(chunk.count)
        if let failure = body.failure { onEvent(.keptInMemory(failure)) }
        onEvent(.progress(received: body.received, expected: body.expected))
    }

    private func append(
        _ chunk: UnsafeRawBufferPointer, _ state: inout State
    ) throws(ImageLoaderError) -> (received: Int, expected: Int?, failure: FileError?) {
        if state.isAbandoned {
            state.wasted += chunk.count
            throw .cancelled
        }
        guard state.isAccepted else { throw .malformedResponse("a body without a head") }
        try rules.check(bytes: state.body.count + chunk.count)
        try state.body.append(chunk)
        return (state.body.count, state.expected, state.body.takeFailure())
    }

    /// Takes over a redirect that has been checked. Returns true if it leads to another origin and the sink's owner
    /// follows it, because each host name has its own slots. The transport then ends the transfer without an error.
    func takes(redirectTo next: DataRequest, from request: DataRequest) -> Bool {
        guard !followsOrigins, next.url.origin != request.url.origin else { return false }
        state.withLock { $0.redirect = next }
        return true
    }

    /// Records a redirect that the transfer meets.
    func record(redirect status: Int, to location: String, _ headers: HTTPHeaders) {
        let exchange = Freshness.Exchange(request: begunAt, response: now())
        let time = clock()
        state.withLock { state in
            state.sentAt = time
            let freshness = Freshness(headers, status: status, exchange, state.cacheRules)
            let redirect = KnownRedirect(status, to: location, headers, freshness)
            let limit = redirect?.freshness ?? freshness.endedOnArrival
            state.redirectFreshness = state.redirectFreshness?.limited(by: limit) ?? limit
            if let redirect, !state.hasPassingRedirect {
                state.redirects.append(redirect)
            } else {
                state.hasPassingRedirect = true
            }
        }
    }

    /// Records the time it took to connect to the server that answers.
    ///
    /// Optional: a transport that measures it calls this before ``begin(_:)``, or before it throws the error of a
    /// transfer that connected and got no head.
    ///
    /// - Parameters:
    ///   - duration: The time from the request to the connection, including name resolution and TLS.
    ///   - isReused: Whether the connection was already open.
    public func connected(after duration: Duration, isReused: Bool) {
        state.withLock { $0.connectTime = duration }
        onEvent(.connected(after: duration, isReused: isReused))
    }

    /// Records the time until connecting to the server failed, was cancelled or timed out.
    ///
    /// Optional: a transport that measures it calls this before it throws the error.
    ///
    /// - Parameter duration: The time from the request to the failure.
    public func failedToConnect(after duration: Duration) { state.withLock { $0.failedConnectTime = duration } }

    /// The time until connecting failed; nil if it didn't.
    var failedConnectTime: Duration? { state.withLock { $0.failedConnectTime } }

    /// Marks the beginning of an attempt.
    func start() {
        let now = clock()
        state.withLock { ($0.startedAt, $0.sentAt) = (now, now) }
    }

    /// The time since the attempt began; nil before that.
    var elapsed: Duration? { state.withLock { $0.startedAt }.map { clock() - $0 } }

    /// Records that the transport adds the cookies it keeps to the request.
    func recordAddedCookies() { state.withLock { $0.cacheRules.addsCookies = true } }

    /// The redirects at the beginning of the transfer that may be followed again.
    var redirects: [KnownRedirect] { state.withLock { $0.redirects } }

    /// The request with which the transfer continues; nil when it has ended. Each redirect is returned once.
    func takeRedirect() -> DataRequest? { state.withLock { $0.redirect.take() } }

    /// Stops accepting anything, because the last waiter has left.
    package func abandon() { state.withLock { $0.isAbandoned = true } }

    /// The number of bytes of the body that arrived after the last waiter had left.
    package var wasted: Int { state.withLock { $0.wasted } }

    /// The head of the response, even if it was refused; nil before ``begin(_:)``.
    public var head: ResponseHead? { state.withLock { $0.head } }
    /// The bytes of the body so far.
    ///
    /// In memory, they are shared, not copied; appending a chunk later copies them once. Bytes in a file are read from
    /// it.
    public var body: Data {
        if case .memory(let data) = state.withLock({ $0.body.body }) { return data }
        return copyBytes(from: 0, atMost: .max)
    }

    /// How long the server says that a refused response is fresh, from its arrival; nil if it doesn't say.
    var refusalFreshness: Duration? {
        let state = state.withLock { $0 }
        guard !state.isAccepted, let head = state.head else { return nil }
        let exchange = Freshness.Exchange(request: begunAt, response: state.respondedAt)
        let freshness = Freshness(head.headers, status: head.status, exchange, state.cacheRules)
        guard freshness.isExplicit || head.headers.forbidStoring(status: head.status) else { return nil }
        return .seconds(max(0, freshness.endSecond - state.respondedAt))
    }

    /// The number of bytes of the body so far.
    var received: Int { state.withLock { $0.body.count } }
    /// The number of bytes of the body that this transfer received.
    var receivedHere: Int { state.withLock { $0.body.count - ($0.continuedBytes ?? 0) } }

    /// The announced length of the body in bytes.
    var expected: Int? { state.withLock { $0.expected } }

    /// The body, for observers that read it while it arrives.
    var receivedBody: ReceivedBody { { self.copyBytes(from: $0, atMost: $1) } }

    /// Copies up to `count` bytes of the body, starting at `offset`. Sharing them would force the growing body to be
    /// copied.
    func copyBytes(from offset: Int, atMost count: Int) -> Data {
        state.withLock { $0.body.bytes(from: offset, atMost: count) }
    }

    /// The complete response, once the transport has reported the end of the body.
    package func finish() throws(ImageLoaderError) -> Download {
        // The transfer has ended, so the state no longer changes.
        let state = state.withLock { $0 }
        let (body, isConfirmation) = (state.body.body, state.isConfirmation)
        guard state.isAccepted, let head = state.head?.withoutCoding else {
            throw .malformedResponse("the transfer ended without a response")
        }
        if let expected = state.expected {
            if body.count < expected { throw .truncated(received: body.count, expected: expected) }
            if body.count > expected { throw .malformedResponse("a body longer than its announced \(expected) bytes") }
        }
        // Status 204 means that there is no body.
        if body.isEmpty, !isConfirmation, head.status != 204 { throw .emptyBody }
        share?.complete()
        let exchange = Freshness.Exchange(request: begunAt, response: state.respondedAt)
        let (rules, redirects) = (state.cacheRules, state.redirectFreshness)
        let confirmed =
            isConfirmation ? confirming?.confirmed(by: head, exchange, rules, redirects: redirects) : nil
        let response = confirmed ?? StoredResponse(head, bytes: body.count, exchange, rules, redirects: redirects)
        return Download(
            url: url, head: head, content: body, response: response, isConfirmation: isConfirmation,
            wasConditional: confirming != nil,
            mayBeStored: !forbidsStoring && response.mayBeStored, share: share, begun: begun)
    }
}

// MARK: - Resuming

extension ResponseSink {
    /// The fields that request only the rest of a body; nil when there is nothing to continue.
    var rangeFields: HTTPHeaders? { state.withLock { $0.partial?.requestFields } }

    /// The number of bytes that needn't be sent again if the server agrees.
    var resumableBytes: Int { state.withLock { $0.partial?.body.count ?? 0 } }

    /// Whether the server couldn't continue the body. Nothing was accepted, and the whole response must be requested.
    var startsOver: Bool { state.withLock { $0.startsOver } }

    /// The number of bytes that an earlier transfer received; nil when the body began from the start.
    var continuedBytes: Int? { state.withLock { $0.continuedBytes } }

    /// The partial body that a later transfer can continue; nil when there is none.
    ///
    /// - Parameter now: The current time in seconds since 1970.
    func partial(now: Int64) -> PartialBody? {
        state.withLock { state in
            if let partial = state.partial { return partial }
            guard state.isAccepted, !state.isConfirmation, !asksForPart, !forbidsStoring, let head = state.head
            else { return nil }
            return PartialBody(head, body: state.body.body, method: method.rawValue, now: now)
        }
    }
}
