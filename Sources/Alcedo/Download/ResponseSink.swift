public import Foundation
import Synchronization

/// Where a transport delivers a response. It checks what arrives and collects the body.
///
/// All rules about a response are here, so every transport keeps the same ones: the accepted statuses, the largest
/// body, the announced length. A transport calls ``begin(_:)`` once, then ``append(_:)-(Data)`` for each chunk, and
/// ends the transfer with the error when either throws.
///
/// A transport that wraps another one gives it a sink of its own, made with ``init(maximumBytes:onProgress:)``, and
/// delivers what it makes of that sink's ``head`` and ``body``.
public final class ResponseSink: Sendable {
    /// What happens, as the sink tells it.
    package enum Event: Sendable {
        /// The head that the body belongs to: of one that is continued, that of its first bytes.
        case response(ResponseHead)
        /// Bytes of the body so far, and its announced length; for the first time right after the head.
        case progress(received: Int, expected: Int?)
    }

    /// Bytes of all header fields together that are accepted; a transport should stop a longer head as it arrives.
    public var maximumHeaderBytes: Int { rules.maximumHeaderBytes }

    /// Bytes of room that a server's word is taken for; a longer body moves as it grows. What a false length takes is
    /// address space and not memory, but of that, too, there is an end.
    private static let mostReserved = 256 << 20

    private let rules: ResponseRules
    private let method: HTTPMethod
    private let asksForPart: Bool
    private let forbidsStoring: Bool
    private let now: @Sendable () -> Int64
    private let onEvent: @Sendable (Event) -> Void
    /// The body's share of the bytes that wait to be decoded.
    let undecoded: UndecodedShare?
    private let followsOrigins: Bool
    /// When the response was asked for, in seconds since 1970, or before that.
    private let begunAt: Int64
    private let state: Mutex<State>

    private struct State {
        /// The head that the body belongs to; of one that was refused, that one.
        var head: ResponseHead?
        /// When it came.
        var respondedAt: Int64 = 0
        var body = Data()
        /// The length of the whole body, when it was announced.
        var expected: Int?
        var isAccepted = false
        /// What is to be continued, until the server has said whether it does.
        var partial: PartialBody?
        /// Bytes that were there before and that the server agreed to continue.
        var continuedBytes: Int?
        var startsOver = false
        /// Where the transfer goes on, when that is another origin.
        var redirect: DataRequest?
        /// Set when nobody wants the response any more.
        var isAbandoned = false
        var wasted = 0
    }

    /// A sink that accepts the statuses from 200 to 299.
    ///
    /// - Parameters:
    ///   - maximumBytes: the largest body.
    ///   - onProgress: called on the transport's thread, after the head and after each chunk, with the bytes received
    ///     so far and the announced length, if any.
    public convenience init(
        maximumBytes: Int, onProgress: (@Sendable (_ received: Int, _ expected: Int?) -> Void)? = nil
    ) {
        var rules = ResponseRules()
        rules.maximumBytes = maximumBytes
        self.init(rules: rules) { event in
            if case .progress(let received, let expected) = event { onProgress?(received, expected) }
        }
    }

    /// - Parameters:
    ///   - method: what the request asks the server to do.
    ///   - partial: the first bytes of the body, which the server is asked to continue.
    ///   - asksForPart: whether the request has a range of its own; its response is taken as it comes.
    ///   - forbidsStoring: whether the request says that its response must not be stored.
    ///   - undecoded: the body's share, which grows with it.
    ///   - followsOrigins: whether the transport follows a redirect to another origin itself.
    ///   - onEvent: called on the transport's thread for each step, in order.
    package init(
        rules: ResponseRules, method: HTTPMethod = .get, resuming partial: PartialBody? = nil,
        asksForPart: Bool = false, forbidsStoring: Bool = false, undecoded: UndecodedShare? = nil,
        followsOrigins: Bool = true, time: TimeSource = TimeSource(),
        onEvent: @escaping @Sendable (Event) -> Void = { _ in }
    ) {
        self.rules = rules
        self.method = method
        self.asksForPart = asksForPart
        self.forbidsStoring = forbidsStoring
        self.undecoded = undecoded
        self.followsOrigins = followsOrigins
        now = time.secondsSince1970
        self.onEvent = onEvent
        begunAt = now()
        state = Mutex(State(partial: partial))
    }

    /// Takes the head of the final response; informational ones and followed redirects are not delivered.
    ///
    /// - Throws: ``ImageLoaderError/badStatus(_:)`` unless the status is an accepted one, from 200 to 299 by default,
    ///   ``ImageLoaderError/limitExceeded(_:value:allowed:)`` when the announced length is above the limit, and
    ///   ``ImageLoaderError/malformedResponse(_:)`` when more than one coding compresses the body.
    public func begin(_ head: ResponseHead) throws(ImageLoaderError) {
        let (head, received, expected) = try state.withLock { state throws(ImageLoaderError) in
            try begin(head, &state)
            return (state.head ?? head, state.body.count, state.expected)
        }
        onEvent(.response(head))
        onEvent(.progress(received: received, expected: expected))
    }

    private func begin(_ head: ResponseHead, _ state: inout State) throws(ImageLoaderError) {
        state.head = head
        state.respondedAt = now()
        try rules.checkSize(of: head.headers)
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
        state.body = Data()
        // In one piece, so that it never moves.
        state.body.reserveCapacity(min(head.expectedBytes ?? 0, Self.mostReserved))
    }

    /// The rest of a body that has begun.
    private func resume(_ head: ResponseHead, _ total: Int, _ state: inout State) throws(ImageLoaderError) {
        try rules.check(bytes: total)
        guard let partial = state.partial.take() else { return }
        let head = partial.head.updated(by: head)
        try rules.checkSize(of: head.headers)
        state.head = head
        state.isAccepted = true
        state.expected = total
        state.continuedBytes = partial.body.count
        state.body.reserveCapacity(min(total, Self.mostReserved))
        state.body.append(partial.body)
        undecoded?.add(partial.body.count)
    }

    /// Takes the next bytes of the body. Copies them.
    ///
    /// - Throws: ``ImageLoaderError/limitExceeded(_:value:allowed:)`` when the body grows above the limit, and
    ///   ``ImageLoaderError/malformedResponse(_:)`` when no head was accepted before.
    public func append(_ chunk: Data) throws(ImageLoaderError) {
        try append(count: chunk.count) { $0.append(chunk) }
    }

    /// Takes the next bytes of the body; see ``append(_:)-(Data)``. They may be reused after the call.
    public func append(_ chunk: UnsafeRawBufferPointer) throws(ImageLoaderError) {
        try append(count: chunk.count) { $0.append(contentsOf: chunk) }
    }

    private func append(count: Int, _ add: (inout Data) -> Void) throws(ImageLoaderError) {
        let (received, expected, error) = state.withLock { state -> (Int, Int?, ImageLoaderError?) in
            if state.isAbandoned {
                state.wasted += count
                return (0, nil, .cancelled)
            }
            guard state.isAccepted else { return (0, nil, .malformedResponse("a body without a head")) }
            let received = state.body.count + count
            do throws(ImageLoaderError) {
                try rules.check(bytes: received)
            } catch {
                return (0, nil, error)
            }
            add(&state.body)
            return (received, state.expected, nil)
        }
        if let error { throw error }
        undecoded?.add(count)
        onEvent(.progress(received: received, expected: expected))
    }

    /// Takes a redirect that has been checked. True if it leads to another origin and the sink's owner follows it, as
    /// each origin has its own slots: the transport ends the transfer then, without an error.
    func takes(redirectTo next: DataRequest, from request: DataRequest) -> Bool {
        guard !followsOrigins, next.url.origin != request.url.origin else { return false }
        state.withLock { $0.redirect = next }
        return true
    }

    /// Where the transfer goes on, once; nil when it has come to its end.
    func takeRedirect() -> DataRequest? { state.withLock { $0.redirect.take() } }

    /// From now on nothing is taken: the last one who waited for the response has left.
    package func abandon() { state.withLock { $0.isAbandoned = true } }

    /// Bytes of the body that came after nobody waited for them any more.
    package var wasted: Int { state.withLock { $0.wasted } }

    /// The head of the response, even if it was refused; nil before ``begin(_:)``.
    public var head: ResponseHead? { state.withLock { $0.head } }
    /// The bytes of the body so far. Shared, not copied: a chunk that is appended later copies them once.
    public var body: Data { state.withLock { $0.body } }

    /// Bytes of the body so far.
    var received: Int { state.withLock { $0.body.count } }
    /// Those of them that this transfer received.
    var receivedHere: Int { state.withLock { $0.body.count - ($0.continuedBytes ?? 0) } }

    /// The length that was announced.
    var expected: Int? { state.withLock { $0.expected } }

    /// For those who watch the body come.
    var receivedBody: ReceivedBody { ReceivedBody { self.copyBytes(from: $0, atMost: $1) } }

    /// A copy of the bytes of the body from `offset` on, so many at most: sharing them would make the body move when it
    /// grows.
    func copyBytes(from offset: Int, atMost count: Int) -> Data {
        state.withLock { state in
            state.body.withUnsafeBytes { body in
                let start = min(max(0, offset), body.count)
                return Data(body[start..<start + min(max(0, count), body.count - start)])
            }
        }
    }

    /// The whole body, once the transport says that it ended.
    package func finish() throws(ImageLoaderError) -> Download {
        let (head, respondedAt, body, expected) = state.withLock {
            ($0.isAccepted ? $0.head : nil, $0.respondedAt, $0.body, $0.expected)
        }
        guard let head else { throw .malformedResponse("the transfer ended without a response") }
        if let expected {
            if body.count < expected { throw .truncated(received: body.count, expected: expected) }
            if body.count > expected { throw .malformedResponse("a body longer than its announced \(expected) bytes") }
        }
        if body.isEmpty { throw .emptyBody }
        let exchange = Freshness.Exchange(request: begunAt, response: respondedAt)
        return Download(
            head: head, body: body, exchange: exchange, mayBeStored: !forbidsStoring && !head.headers.forbidStoring,
            undecoded: undecoded)
    }
}

extension ResponseHead {
    /// What describes a part of the body alone.
    private static let fieldsOfPart: Set = ["content-range", "content-length", "transfer-encoding"]
    /// What tells when a response was made: with that of another, it would say that of the wrong one.
    private static let fieldsOfTime: Set = ["age", "date"]

    /// The head of a whole whose last part came later: the newer fields take the place of the older (RFC 9111 section
    /// 3.4).
    fileprivate func updated(by newer: ResponseHead) -> ResponseHead {
        let fields = newer.headers.filter { !Self.fieldsOfPart.contains($0.name.lowercased()) }
        let replaced = Self.fieldsOfTime.union(fields.map { $0.name.lowercased() })
        let kept = headers.filter { !replaced.contains($0.name.lowercased()) }
        var head = self
        head.headers = HTTPHeaders(kept + fields)
        return head
    }
}

// MARK: - Resuming

extension ResponseSink {
    /// The fields that ask for the rest of a body alone; nil when there is nothing to continue.
    var rangeFields: HTTPHeaders? { state.withLock { $0.partial?.requestFields } }

    /// Bytes that need not be sent again if the server agrees.
    var resumableBytes: Int { state.withLock { $0.partial?.body.count ?? 0 } }

    /// Whether the server could not continue: nothing was taken, and a whole response is to be asked for.
    var startsOver: Bool { state.withLock { $0.startsOver } }

    /// Bytes of the body that an earlier transfer brought, nil when it began anew.
    var continuedBytes: Int? { state.withLock { $0.continuedBytes } }

    /// What a later transfer can continue, nil when that is nothing.
    ///
    /// - Parameter now: seconds since 1970.
    func partial(now: Int64) -> PartialBody? {
        state.withLock { state in
            if let partial = state.partial { return partial }
            guard state.isAccepted, !asksForPart, !forbidsStoring, let head = state.head else { return nil }
            return PartialBody(head, body: state.body, method: method.rawValue, now: now)
        }
    }
}

/// A response that came whole.
package struct Download: Sendable {
    package typealias Ticket = RemovalLog<ResourceKey>.Ticket

    package let head: ResponseHead
    package let body: Data
    /// Whether caches may keep it: neither the request nor the response says no-store. Of redirects on the way, only
    /// the response at their end counts.
    let mayBeStored: Bool
    /// When it was asked for and answered.
    private let exchange: Freshness.Exchange
    /// Each caller releases it once, when the body is decoded or handed out.
    let undecoded: UndecodedShare?
    /// When it began, for who will store what it makes of it.
    package private(set) var begun: Ticket?

    fileprivate init(
        head: ResponseHead, body: Data, exchange: Freshness.Exchange, mayBeStored: Bool, undecoded: UndecodedShare?
    ) {
        self.head = head
        self.body = body
        self.exchange = exchange
        self.mayBeStored = mayBeStored
        self.undecoded = undecoded
    }

    /// How long it may be used; nil when it does not say.
    var freshness: Freshness? { Freshness(head.headers, status: head.status, exchange) }

    func begun(at ticket: Ticket) -> Download {
        var download = self
        download.begun = ticket
        return download
    }

    /// Whether the server said how long the body is. Where it only closed the connection, the body may be a part, and
    /// its decoder alone can tell.
    var hasKnownLength: Bool { head.expectedBytes != nil || head.isChunked }
}
