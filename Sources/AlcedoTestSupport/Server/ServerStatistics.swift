extension LoopbackServer {
    /// What a server has seen so far.
    public struct Statistics: Sendable, Equatable {
        /// Requests whose head was read, all in all.
        public internal(set) var requests = 0
        /// Requests by path, the query left out.
        public internal(set) var requestsByPath: [String: Int] = [:]
        /// Connections accepted, all in all.
        public internal(set) var connectionsAccepted = 0
        /// Connections open at this moment.
        public internal(set) var openConnections = 0
        /// Connections that the client closed or reset, idle ones included.
        public internal(set) var closedByClient = 0
        /// Replies, by path, that the client left before their end.
        public internal(set) var abandonedByPath: [String: Int] = [:]
        /// Requests that are being answered at this moment.
        public internal(set) var activeRequests = 0
        /// The most requests that were being answered at one moment.
        public internal(set) var peakActiveRequests = 0
        /// Replies that keep silent at this moment because of ``LoopbackServer/Reply/stalling(_:)``.
        public internal(set) var stalledReplies = 0
        /// Bytes handed to the system, heads included.
        public internal(set) var bytesSent = 0
        /// Whether the server has stopped and given everything back.
        public internal(set) var hasStopped = false
    }
}
