public import Alcedo
public import Foundation

extension LoopbackServer {
    /// A request whose reply the test provides, piece by piece or as a whole.
    ///
    /// The server's thread sends the reply in order; every method returns immediately. Anything after the end of the
    /// reply or of the connection is ignored. A request without an answer stays open. Safe to use from any isolation.
    public final class Exchange: Sendable {
        enum Action: Sendable {
            case reply(Reply)
            case send(Data)
            case finish(keepsAlive: Bool)
            case close
            case reset
        }

        /// The client's request.
        public let request: RecordedRequest
        /// The number of this turn on its connection.
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

        /// Sends the whole reply, including its faults.
        ///
        /// Use it in place of ``send(_:)`` and the other methods; ``close()`` and ``reset()`` abort it.
        /// ``Reply/manual`` has no effect here.
        public func reply(_ reply: Reply) {
            guard reply.kind != .manual else { return }
            perform(.reply(reply))
        }

        /// Sends a head with exactly these `headers`, and with `length` as `Content-Length` if it isn't nil.
        public func sendHead(status: Int = 200, length: Int? = nil, headers: HTTPHeaders = [:]) {
            var fields = headers.map { (name: $0.name, value: $0.value) }
            if let length { fields.append(("Content-Length", "\(length)")) }
            let all = HTTPHeaders(fields)
            let isDelimited =
                ResponseHeadWriter.forbidsBody(status) || all["Content-Length"] != nil
                || all["Transfer-Encoding"] != nil
            isSelfDelimited.update { $0 = isDelimited }
            send(ResponseHeadWriter.head(status: status, fields: fields))
        }

        /// Sends bytes unchanged, whether or not they belong to the body.
        public func send(_ bytes: Data) { perform(.send(bytes)) }

        /// Completes the reply.
        ///
        /// The connection stays open if the head announced a length or a transfer coding. Otherwise it is closed,
        /// because its end delimits the body.
        public func finish() { perform(.finish(keepsAlive: isSelfDelimited.snapshot && request.keepsAlive)) }

        /// Closes the connection normally, after everything that was sent before.
        public func close() { perform(.close) }

        /// Resets the connection.
        ///
        /// Data sent just before may be lost on the way to the client.
        public func reset() { perform(.reset) }

        // MARK: Observing

        /// Whether the connection has ended.
        public var isConnectionClosed: Bool { connectionEnd.snapshot != nil }

        /// Waits until the connection has ended, and returns which side ended it.
        ///
        /// Use it to check that a cancellation reached the server.
        ///
        /// - Throws: `CancellationError` if the calling Task is cancelled.
        @discardableResult
        public func connectionClosed() async throws -> ConnectionEnd {
            try await connectionEnd.wait { $0 }
        }

        private func perform(_ action: Action) {
            core.post(.perform(connection: request.connection, exchange: id, action))
        }
    }

    /// The side that ended a connection.
    public enum ConnectionEnd: Sendable, Equatable {
        /// The client closed or reset it.
        case byClient
        /// The server ended it, because of the script or because it stopped.
        case byServer
    }
}
