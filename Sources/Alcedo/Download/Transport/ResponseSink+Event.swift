extension ResponseSink {
    /// An event that the sink reports.
    package enum Event: Sendable {
        /// The head that the body belongs to. For a continued body, this is the updated head of its first bytes.
        ///
        /// `after` is the time since the connection, or since the request if the transport doesn't report when it
        /// connected.
        case response(ResponseHead, after: Duration)
        /// The head was refused, at a time measured in the same way.
        case refused(ImageLoaderError, after: Duration)
        /// The transport has connected.
        case connected(after: Duration, isReused: Bool)
        /// The bytes of the body received so far, and its announced length. First reported right after the head.
        case progress(received: Int, expected: Int?)
        /// A large body stays in memory, because its file can't be written.
        case keptInMemory(FileError)
    }
}
