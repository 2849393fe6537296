public import Foundation

/// An HTTP/1.1 server on 127.0.0.1 for tests: scripted replies, faults to the byte, and handshakes in place of sleeps.
///
/// ```swift
/// let server = try LoopbackServer { request in
///     request.path == "/a.png" ? .bytes(png, contentType: "image/png") : .status(404)
/// }
/// let image = try await loader.image(for: server.url("/a.png"))
/// ```
///
/// A reply comes, in this order, from the path's queue (``enqueue(_:for:)``), the common queue, the path's handler
/// (``handle(_:with:)``), the handler of the initializer. Where that reply is ``Reply/manual``, the test takes the
/// request with ``nextRequest()`` and drives the exchange:
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
/// sockets that do not block. It ends with ``stop()`` or with the server's deinit, and everything is given back then;
/// a handler that holds the server keeps it from its deinit. Safe to use from any isolation.
public final class LoopbackServer: Sendable {
    /// Decides the reply for a request. Called on the server's thread: while it runs, nothing else is served.
    public typealias Handler = @Sendable (RecordedRequest) -> Reply

    /// A system call failed while the server was set up.
    public struct SetupError: Error, Equatable {
        /// The name of the call.
        public let call: String
        /// The system's `errno`.
        public let code: Int32
    }

    /// Thrown to those who wait for something that a stopped server does not bring.
    public struct Stopped: Error, Equatable {}

    /// The port that the system chose.
    public let port: Int

    private let core: ServerCore

    /// Starts to listen. Throws when the system has no socket, pipe or port left.
    ///
    /// - Parameter handler: replies to what no queue and no path's handler answers; by default the test does.
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

    /// The URL of `path`, which begins with a slash and is otherwise sent as it is; it may have a query.
    public func url(_ path: String = "/") -> URL {
        guard path.hasPrefix("/"), let url = URL(string: "http://127.0.0.1:\(port)\(path)") else {
            preconditionFailure("\(path) is no path of a URL.")
        }
        return url
    }

    // MARK: The script

    /// Adds replies that are given once each, in order, before any handler is asked; for `path` only when it is not
    /// nil.
    public func enqueue(_ replies: Reply..., for path: String? = nil) {
        core.enqueue(replies, path: path)
    }

    /// Answers requests for `path` with `handler` in place of the initializer's.
    public func handle(_ path: String, with handler: @escaping Handler) {
        core.setHandler(handler, path: path)
    }

    /// Waits for the next request that the test is to answer. Each is returned once, in the order they came, also when
    /// the request came before this call.
    ///
    /// Throws `CancellationError` when the calling Task is cancelled and ``Stopped`` when the server stops.
    public func nextRequest() async throws -> Exchange {
        try await core.exchanges.wait { $0.isEmpty ? nil : $0.removeFirst() }
    }

    /// Lets the replies that keep silent at this moment go on: those for `path`, or all of them when it is nil.
    public func releaseStalled(path: String? = nil) {
        core.post(.release(path: path))
    }

    // MARK: Observing

    /// What the server has seen so far. A request is counted before its reply begins; a connection's end, and the end
    /// of a reply, are counted when the server notices: wait for these with ``until(_:)``.
    public var statistics: Statistics { core.statistics.snapshot }

    /// Waits until `condition` holds and returns the statistics it held for. `condition` is called often and under a
    /// lock: it must not call out.
    ///
    /// Throws `CancellationError` when the calling Task is cancelled and ``Stopped`` when the server stops before.
    @discardableResult
    public func until(_ condition: @escaping @Sendable (Statistics) -> Bool) async throws -> Statistics {
        try await core.statistics.wait { condition($0) ? $0 : nil }
    }

    /// Waits until the client has left `count` replies for `path` before their end: the sign that a cancel reached the
    /// server. Throws as ``until(_:)`` does.
    public func untilAbandoned(_ path: String, count: Int = 1) async throws {
        try await until { $0.abandonedByPath[path, default: 0] >= count }
    }

    // MARK: Stopping

    /// Closes every connection and ends the thread; what was not sent yet is lost. Returns at once, may be called more
    /// than once; ``untilStopped()`` waits for the end.
    public func stop() {
        core.stop()
    }

    /// Waits until the server, once told to stop, has closed every descriptor; its thread ends right after. Throws
    /// `CancellationError` when the calling Task is cancelled.
    public func untilStopped() async throws {
        try await until { $0.hasStopped }
    }
}
