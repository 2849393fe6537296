import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// The transport that uses `URLSession`, in the only way that is safe on Linux.
///
/// The default on Apple platforms, and on Linux when the package is built without the trait Curl.
///
/// Every call into the session and every callback runs on one serial queue, which is also the delegate queue's
/// underlying queue. On any other queue, a cancellation that races with a completion deadlocks or kills the process
/// (swift-corelibs-foundation issues 5412, 3296, 5445).
///
/// On Linux, a transfer that waits for its server keeps a core busy, because Foundation's event loop is notified
/// endlessly that the connection is writable. A plain `URLSession` does the same.
///
/// On Linux, four inputs from a hostile server crash a process that uses URLSession: a connection closed inside the
/// response's head, trailer fields, a `Content-Length` near 2⁶³, and a redirect to `//%00`. A body with several layers
/// of gzip can stall all sessions of the process. There is also no back-pressure: a transfer can't pause when the
/// ``BodyBudget`` is used up, so only fewer transfers start. `CurlDataLoader`, the default there, has none of these
/// limitations.
///
/// URLSession decodes the content codings that it knows, whether or not they were asked for, on a queue that all
/// sessions share. ``ResponseRules/maximumExpansion`` doesn't apply; ``ResponseRules/maximumBytes`` does.
public final class URLSessionDataLoader: DataLoading {
    /// Answers a challenge of the session. Returns nil for the default handling.
    typealias ChallengeHook =
        @Sendable (URLAuthenticationChallenge) -> (URLSession.AuthChallengeDisposition, URLCredential?)?

    private let engine: SessionEngine
    /// The error of every load if the settings aren't supported; nil otherwise.
    private let refusal: ImageLoaderError?
    private let settings: TransportSettings

    /// Creates a transport with its session.
    ///
    /// No connection is made before the first request.
    ///
    /// On Linux, URLSession doesn't support the settings for certificates. On Apple platforms, their files are read
    /// here, and App Transport Security's own rules still apply. If a setting can't be used, every load throws
    /// ``ImageLoaderError/unsupportedConfiguration(_:)``.
    public convenience init(_ settings: TransportSettings = TransportSettings()) {
        self.init(settings, onTaskCancelled: {})
    }

    /// - Parameters:
    ///   - time: Determines when cookies expire.
    ///   - onTaskCancelled: Called when `URLSessionTask.cancel()` has returned, to measure its latency.
    package convenience init(
        _ settings: TransportSettings, time: TimeSource = TimeSource(), onTaskCancelled: @escaping @Sendable () -> Void
    ) {
        self.init(settings, time, onTaskCancelled, onChallenge: nil)
    }

    /// - Parameters:
    ///   - configuration: A copy of the program's own configuration; nil for none.
    ///   - onChallenge: The program's own answers, which come before those of the settings; nil for none.
    init(
        _ settings: TransportSettings, configuration: URLSessionConfiguration? = nil,
        _ time: TimeSource = TimeSource(), _ onTaskCancelled: @escaping @Sendable () -> Void = {},
        onChallenge: ChallengeHook?
    ) {
        let answers = SessionAnswers(settings, onChallenge)
        engine = SessionEngine(settings, configuration, now: time.secondsSince1970, onTaskCancelled, answers.hook)
        refusal = answers.refusal ?? configuration?.refusal
        self.settings = settings
    }

    deinit { engine.close() }

    /// Closes the connections, unless loads are running. Cookies are kept.
    public func closeIdleConnections() async { await engine.rest() }

    /// Performs `request`; see ``DataLoading/load(_:into:)``.
    ///
    /// A user name and password in the URL are sent as Basic credentials, and to that origin only. The idle time is
    /// measured from the start of a request to its head, including everything that URLSession doesn't report: waiting
    /// for a connection, and the body of a redirect.
    ///
    /// - Throws: before anything is sent, ``ImageLoaderError/invalidHeader(name:)`` or
    ///   ``ImageLoaderError/unsupportedConfiguration(_:)`` when a field or the method can't be sent or a setting isn't
    ///   supported; ``ImageLoaderError/limitExceeded(_:value:allowed:)`` for a head above a million bytes.
    public func load(_ request: DataRequest, into sink: ResponseSink) async throws(ImageLoaderError) {
        if let refusal { throw refusal }
        try settings.validate()
        try request.requireSendable()
        try request.requireShortHead()
        if settings.addsCookies(to: request) { sink.recordAddedCookies() }
        let transfer = SessionTransfer(request, into: sink)
        sink.onDemand(canPause: URLSessionTask.canPause) { [weak engine, weak transfer] in
            if let transfer { engine?.heedDemand(on: transfer) }
        }
        let outcome = await withTaskCancellationHandler {
            await withUnsafeContinuation { continuation in
                if transfer.load.begin(resuming: continuation) { engine.start(transfer) }
            }
        } onCancel: {
            engine.cancel(transfer)
        }
        try outcome.get()
    }
}
