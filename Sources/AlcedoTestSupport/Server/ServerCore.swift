import Foundation
import Synchronization

/// The state that the server's thread shares with its owner, its exchanges and the test. It owns no thread and no
/// socket.
final class ServerCore: Sendable {
    typealias Handler = LoopbackServer.Handler
    typealias Reply = LoopbackServer.Reply
    typealias Exchange = LoopbackServer.Exchange
    typealias RecordedRequest = LoopbackServer.RecordedRequest

    /// A command for the thread.
    enum Command: Sendable {
        case perform(connection: Int, exchange: Int, Exchange.Action)
        case release(path: String?)
    }

    private struct Inbox {
        var commands: [Command] = []
        var isStopping = false
        /// The writing end of the pipe that wakes the thread; nil once the thread has closed it.
        var wake: Int32?
        /// Whether there is already a byte in the pipe.
        var isAwake = false
    }

    private struct Script {
        var queue: [Reply] = []
        var queuesByPath: [String: [Reply]] = [:]
        var handlersByPath: [String: Handler] = [:]
        var handler: Handler
    }

    let statistics = Handshake(LoopbackServer.Statistics())
    let exchanges = Handshake<[Exchange]>([])
    private let inbox: Mutex<Inbox>
    private let script: Mutex<Script>

    init(wake: Int32, handler: @escaping Handler) {
        inbox = Mutex(Inbox(wake: wake))
        script = Mutex(Script(handler: handler))
    }

    // MARK: Commands

    func post(_ command: Command) {
        inbox.withLock { inbox in
            guard inbox.wake != nil else { return }
            inbox.commands.append(command)
            Self.ring(&inbox)
        }
    }

    func stop() {
        inbox.withLock { inbox in
            inbox.isStopping = true
            Self.ring(&inbox)
        }
    }

    /// The commands posted since the last call; nil if the thread must stop. Call it only on the server's thread.
    func takeCommands() -> [Command]? {
        inbox.withLock { inbox in
            inbox.isAwake = false
            defer { inbox.commands = [] }
            return inbox.isStopping ? nil : inbox.commands
        }
    }

    /// Ends the use of the pipe and resumes all waiters. Call it only on the server's thread, at its end.
    func retire(closing close: (Int32) -> Void) {
        inbox.withLock { inbox in
            if let wake = inbox.wake { close(wake) }
            inbox.wake = nil
            inbox.commands = []
        }
        script.withLock { script in
            script.queue = []
            script.queuesByPath = [:]
            script.handlersByPath = [:]
            script.handler = { _ in .status(503) }
        }
        exchanges.update { $0 = [] }
        exchanges.close(throwing: LoopbackServer.Stopped())
        statistics.update { $0.hasStopped = true }
        statistics.close(throwing: LoopbackServer.Stopped())
    }

    /// Wakes the thread. Must be called under the lock, so that the descriptor can't have been closed and reused. It
    /// doesn't block, because the pipe holds at most one byte.
    private static func ring(_ inbox: inout Inbox) {
        guard let wake = inbox.wake, !inbox.isAwake else { return }
        inbox.isAwake = true
        Sockets.ring(wake)
    }

    // MARK: The script

    func enqueue(_ replies: [Reply], path: String?) {
        script.withLock { script in
            if let path {
                script.queuesByPath[path, default: []] += replies
            } else {
                script.queue += replies
            }
        }
    }

    func setHandler(_ handler: @escaping Handler, path: String) {
        script.withLock { $0.handlersByPath[path] = handler }
    }

    /// The reply for `request`: from the path's queue, the common queue, the path's handler or the common handler.
    func reply(to request: RecordedRequest) -> Reply {
        let path = request.path
        let (queued, handler) = script.withLock { script -> (Reply?, Handler) in
            if let queue = script.queuesByPath[path], let first = queue.first {
                script.queuesByPath[path] = Array(queue.dropFirst())
                return (first, script.handler)
            }
            if !script.queue.isEmpty { return (script.queue.removeFirst(), script.handler) }
            return (nil, script.handlersByPath[path] ?? script.handler)
        }
        return queued ?? handler(request)
    }
}
