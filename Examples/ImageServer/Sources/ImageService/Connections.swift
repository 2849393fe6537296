import Hummingbird
import NIOCore
import Synchronization

/// A request's context, with its connection.
struct ConnectionContext: RequestContext {
    var coreContext: CoreRequestContextStorage
    let channel: any Channel

    init(source: ApplicationRequestContextSource) {
        coreContext = CoreRequestContextStorage(source: source)
        channel = source.channel
    }
}

/// Cancels the work for clients that have disconnected, and keeps the connections of others open.
final class Connections: Sendable {
    private typealias Work = Task<Response, any Error>

    /// The work for each connection; nil between two requests.
    private let work = Mutex<[ObjectIdentifier: Work?]>([:])

    func respond(
        on channel: any Channel, _ respond: @escaping @Sendable () async throws -> Response
    ) async throws -> Response {
        let (id, task) = (ObjectIdentifier(channel), Task { try await respond() })
        let isNew = work.withLock { $0.updateValue(task, forKey: id) == nil }
        if isNew { channel.closeFuture.whenComplete { [self] _ in leave(id) } }
        defer { work.withLock { if $0[id] != nil { $0[id] = .some(nil) } } }
        return try await withTaskCancellationHandler {
            try await task.value
        } onCancel: {
            task.cancel()
        }
    }

    fileprivate func leave(_ id: ObjectIdentifier) {
        let task = work.withLock { $0.removeValue(forKey: id) }
        task??.cancel()
    }
}

/// Reports that a client has closed its side. Otherwise, a channel that allows half-closure stays open until it is
/// written to.
final class ClosedInput: ChannelInboundHandler, RemovableChannelHandler, Sendable {
    typealias InboundIn = Any

    private let connections: Connections

    init(of connections: Connections) { self.connections = connections }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if event as? ChannelEvent == .inputClosed { connections.leave(ObjectIdentifier(context.channel)) }
        context.fireUserInboundEventTriggered(event)
    }
}
