public import Alcedo
public import Foundation

extension LoopbackServer {
    /// A request whose reply the test gives, piece by piece or whole.
    ///
    /// What the test says is sent by the server's thread, in order; every method returns at once. What comes after
    /// the end of the reply or of the connection is ignored. A request that gets no answer stays open. Safe to use
    /// from any isolation.
    public final class Exchange: Sendable {
        enum Action: Sendable {
            case reply(Reply)
            case send(Data)
            case finish(keepsAlive: Bool)
            case close
            case reset
        }

        /// What the client asked for.
        public let request: RecordedRequest
        /// Which turn of its connection this is.
        private let id: Int

        private let core: ServerCore
        private let connectionEnd: Handshake<ConnectionEnd?>
        private let isSelfDelimited = Handshake(false)

        init(id: Int, request: RecordedRequest, core: ServerCore, connectionEnd: Handshake<ConnectionEnd?>) {
            self.id = id
            self.request = request
            self.core = core
            self.connectionEnd = connectionEnd
        }

        // MARK: Answering

        /// Gives the whole reply, faults included, in place of ``send(_:)`` and its like; ``close()`` and ``reset()``
        /// break it off. ``Reply/manual`` means nothing here.
        public func reply(_ reply: Reply) {
            guard reply.kind != .manual else { return }
            perform(.reply(reply))
        }

        /// Sends a head with exactly `headers`, and `length` as `Content-Length` when it is not nil.
        public func sendHead(status: Int = 200, length: Int? = nil, headers: HTTPHeaders = [:]) {
            var fields = headers.fields.map { (name: $0.name, value: $0.value) }
            if let length { fields.append(("Content-Length", "\(length)")) }
            let all = HTTPHeaders(fields)
            let isDelimited =
                ResponseHeadWriter.forbidsBody(status) || all["Content-Length"] != nil
                || all["Transfer-Encoding"] != nil
            isSelfDelimited.update { $0 = isDelimited }
            send(ResponseHeadWriter.head(status: status, fields: fields))
        }

        /// Sends bytes as they are: of the body, or of anything else.
        public func send(_ bytes: Data) { perform(.send(bytes)) }

        /// Completes the reply. The connection serves on when the head announced a length or a transfer coding, and
        /// is closed otherwise, as the body ends with it.
        public func finish() { perform(.finish(keepsAlive: isSelfDelimited.snapshot && request.keepsAlive)) }

        /// Closes the connection in good order, after what was sent.
        public func close() { perform(.close) }

        /// Resets the connection. What was sent just before may be lost on the way to the client.
        public func reset() { perform(.reset) }

        // MARK: Observing

        /// Whether the connection is gone.
        public var isConnectionClosed: Bool { connectionEnd.snapshot != nil }

        /// Waits until the connection is gone and returns which side ended it: this is how a test sees that a cancel
        /// reached the server. Throws `CancellationError` when the calling Task is cancelled.
        @discardableResult
        public func connectionClosed() async throws -> ConnectionEnd {
            try await connectionEnd.wait { $0 }
        }

        private func perform(_ action: Action) {
            core.post(.perform(connection: request.connection, exchange: id, action))
        }
    }

    /// Which side ended a connection.
    public enum ConnectionEnd: Sendable, Equatable {
        /// The client closed or reset it.
        case byClient
        /// The server ended it: as scripted, or because it stopped.
        case byServer
    }
}
