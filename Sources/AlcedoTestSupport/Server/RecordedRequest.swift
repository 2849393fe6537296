public import Alcedo

extension LoopbackServer {
    /// A request as the server read it.
    public struct RecordedRequest: Sendable, Hashable {
        /// The method as sent, for example `GET`.
        public let method: String
        /// The request target as sent: path and query.
        public let target: String
        /// The fields in order of arrival. Values that aren't UTF-8 are read as Latin-1.
        public let headers: HTTPHeaders
        /// The number of its connection, counted from 1 in order of acceptance. Equal numbers show that a connection
        /// was reused.
        public internal(set) var connection = 0
        /// Whether the client wants the connection to stay open after the reply.
        public let keepsAlive: Bool

        /// The target without its query.
        public var path: String { String(target.prefix { $0 != "?" }) }
    }
}
