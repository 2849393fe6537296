public import Alcedo

extension LoopbackServer {
    /// A request as the server read it.
    public struct RecordedRequest: Sendable, Hashable {
        /// The method as it was sent, `GET` for example.
        public let method: String
        /// The request target as it was sent: path and query.
        public let target: String
        /// The fields in the order they came; bytes that are no UTF-8 are replaced.
        public let headers: HTTPHeaders
        /// Which connection it came on: 1 is the first that was accepted. Equal numbers show that one was reused.
        public internal(set) var connection = 0
        /// Whether the client wants the connection to stay open after the reply.
        public let keepsAlive: Bool

        /// The target without its query.
        public var path: String { String(target.prefix { $0 != "?" }) }
    }
}
