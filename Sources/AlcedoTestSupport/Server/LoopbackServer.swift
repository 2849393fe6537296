public import Foundation

/// An HTTP/1.1 server on 127.0.0.1 for tests, with scripted replies, byte-exact faults, and handshakes instead of
/// sleeps.
///
/// ```swift
/// let server = try LoopbackServer { request in
///     request.path == "/a.png" ? .bytes(png, contentType: "image/png") : .status(404)
/// }
/// let image = try await loader.image(for: server.url("/a.png"))
/// ```
///
/// Replies come from the following sources, in this order: the path's queue (``enqueue(_:for:)``), the common queue,
/// the path's handler (``handle(_:with:)``), the initializer's handler. If that reply is ``Reply/manual``, the test
/// takes the request with ``nextRequest()`` and drives the exchange:
///
/// ```swift
/// let server = try LoopbackServer()
/// let load = Task { try await loader.image(for: server.url("/a.png")) }
/// let exchange = try await server.nextRequest()
/// exchange.sendHead(length: 1000)
/// load.cancel()
/// #expect(try await exchange.connectionClosed() == .byClient)
/// ```
///
/// Connections stay open between requests. A request's body is ignored. One thread serves all connections, with
/// non-blocking sockets. It ends with ``stop()`` or when the server is deallocated, and all resources are released
/// then; a handler that holds a reference to the server prevents its deallocation. Safe to use from any isolation.
public final class LoopbackServer: Sendable {
    /// Decides the reply to a request.
    ///
    /// It is called on the server's thread; while it runs, nothing else is served.
    public typealias Handler = @Sendable (RecordedRequest) -> Reply

    /// A system call failed while the server was set up.
    public struct SetupError: Error, Equatable {
        /// The name of the call.
        public let call: String
        /// The system's `errno`.
        public let code: Int32
    }

    /// Thrown to callers that wait for something that a stopped server can't provide.
    public struct Stopped: Error, Equatable {}

    /// The port assigned by the system.
    public let port: Int

    private let core: ServerCore

    /// Starts listening.
    ///
    /// - Parameter handler: Replies to requests for which neither a queue nor a path's handler has a reply. By default,
    ///   the test replies.
    /// - Throws: ``SetupError`` if the system has no socket, pipe or port available.
    public init(handler: @escaping Handler = { _ in .manual }) throws(SetupError) {
        let (listener, port) = try Sockets.listen()
        let pipe: (read: Int32, write: Int32)
        do throws(SetupError) {
            pipe = try Sockets.pipe()
        } catch {
            Sockets.close(listener)
            throw error
        }
        self.port = Int(port)
        let core = ServerCore(wake: pipe.write, handler: handler)
        self.core = core
        let wake = pipe.read
        let thread = Thread { ServerLoop(core: core, listener: listener, wake: wake).run() }
        thread.name = "LoopbackServer"
        thread.stackSize = 512 << 10
        thread.start()
    }

    deinit {
        core.stop()
    }

    /// The URL of `path` on this server.
    ///
    /// - Parameter path: Begins with a slash and may have a query. It is sent unchanged.
    public func url(_ path: String = "/") -> URL {
        guard path.hasPrefix("/"), let url = URL(string: "http://127.0.0.1:\(port)\(path)") else {
            preconditionFailure("\(path) is no path of a URL.")
        }
        return url
    }

    // MARK: The script

    /// Adds replies that are sent once each, in order, before any handler is called.
    ///
    /// If `path` isn't nil, they apply only to that path.
    public func enqueue(_ replies: Reply..., for path: String? = nil) {
        core.enqueue(replies, path: path)
    }

    /// Answers requests for `path` with `handler` instead of the initializer's handler.
    public func handle(_ path: String, with handler: @escaping Handler) {
        core.setHandler(handler, path: path)
    }

    /// Waits for the next request that the test has to answer.
    ///
    /// Each request is returned once, in order of arrival, even if it arrived before this call.
    ///
    /// - Throws: `CancellationError` if the calling Task is cancelled, and ``Stopped`` if the server stops.
    public func nextRequest() async throws -> Exchange {
        try await core.exchanges.wait { $0.isEmpty ? nil : $0.removeFirst() }
    }

    /// Resumes the replies that are currently stalled: those for `path`, or all of them if it is nil.
    public func releaseStalled(path: String? = nil) {
        core.post(.release(path: path))
    }

    // MARK: Observing

    /// The counts that the server has recorded so far.
    ///
    /// A request is counted before its reply begins. The end of a connection or of a reply is counted when the server
    /// notices it: wait for it with ``until(_:)``.
    public var statistics: Statistics { core.statistics.snapshot }

    /// Waits until `condition` holds, and returns the statistics for which it held.
    ///
    /// `condition` is called often and under a lock, so it must not call back into the server.
    ///
    /// - Throws: `CancellationError` if the calling Task is cancelled, and ``Stopped`` if the server stops first.
    @discardableResult
    public func until(_ condition: @escaping @Sendable (Statistics) -> Bool) async throws -> Statistics {
        try await core.statistics.wait { condition($0) ? $0 : nil }
    }

    /// Waits until the client has abandoned `count` replies for `path`, which shows that a cancellation reached the
    /// server.
    ///
    /// - Throws: The same errors as ``until(_:)``.
    public func untilAbandoned(_ path: String, count: Int = 1) async throws {
        try await until { $0.abandonedByPath[path, default: 0] >= count }
    }

    // MARK: Stopping

    /// Closes every connection and ends the thread; unsent data is lost.
    ///
    /// Returns immediately and may be called more than once; ``untilStopped()`` waits for the end.
    public func stop() {
        core.stop()
    }

    /// Waits until the server has closed every descriptor after a call of ``stop()``.
    ///
    /// Its thread ends right after that.
    ///
    /// - Throws: `CancellationError` if the calling Task is cancelled.
    public func untilStopped() async throws {
        try await until { $0.hasStopped }
    }
}
