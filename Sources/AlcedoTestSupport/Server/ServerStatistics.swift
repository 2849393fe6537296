extension LoopbackServer {
    /// The counts that a server has recorded so far.
    public struct Statistics: Sendable, Equatable {
        /// The total number of requests whose head was read.
        public internal(set) var requests = 0
        /// The total number of requests by path, without the query.
        public internal(set) var requestsByPath: [String: Int] = [:]
        /// The total number of accepted connections.
        public internal(set) var connectionsAccepted = 0
        /// The number of connections that are currently open.
        public internal(set) var openConnections = 0
        /// The number of connections that the client closed or reset, including idle ones.
        public internal(set) var closedByClient = 0
        /// The number of replies, by path, that the client abandoned before their end.
        public internal(set) var abandonedByPath: [String: Int] = [:]
        /// The number of requests that are currently being answered.
        public internal(set) var activeRequests = 0
        /// The largest number of requests that were being answered at the same time.
        public internal(set) var peakActiveRequests = 0
        /// The number of replies that are currently stalled by ``LoopbackServer/Reply/stalling(_:)``.
        public internal(set) var stalledReplies = 0
        /// The number of bytes passed to the system, including heads.
        public internal(set) var bytesSent = 0
        /// Whether the server has stopped and released its resources.
        public internal(set) var hasStopped = false
    }
}
