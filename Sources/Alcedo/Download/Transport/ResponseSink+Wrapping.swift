extension ResponseSink {
    /// Creates a sink that accepts the statuses from 200 to 299.
    ///
    /// - Parameters:
    ///   - maximumBytes: The size of the largest accepted body in bytes.
    ///   - onProgress: Called on the transport's thread, after the head and after each chunk, with the number of bytes
    ///     received so far and the announced length, if any.
    public convenience init(
        maximumBytes: Int, onProgress: (@Sendable (_ received: Int, _ expected: Int?) -> Void)? = nil
    ) {
        var rules = ResponseRules()
        rules.maximumBytes = maximumBytes
        self.init(rules: rules) { event in
            if case .progress(let received, let expected) = event { onProgress?(received, expected) }
        }
    }
}
