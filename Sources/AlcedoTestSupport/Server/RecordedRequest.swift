public import Alcedo

extension LoopbackServer {
    /// A request as the server read it.
    public struct RecordedRequest: Sendable, Hashable {
        /// The method as sent, for example `GET`.
        public let method: String
        /// The request target as sent: path and query.
        public let target: String
        /// The fields in order of arrival; bytes that aren't UTF-8 are replaced.
        public let headers: HTTPHeaders
        /// The number of its connection: 1 is the first that was accepted. Equal numbers show that one was reused.
        public internal(set) var connection = 0
        /// Whether the client wants the connection to stay open after the reply.
        public let keepsAlive: Bool

        /// The target without its query.
        public var path: String { String(target.prefix { $0 != "?" }) }
    }
}
