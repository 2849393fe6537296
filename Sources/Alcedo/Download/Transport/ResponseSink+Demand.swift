extension ResponseSink {
    /// The demand on a transport: more bytes, none for now, or no more at all; see ``BodyBudget``.
    public enum Demand: Sendable, Equatable {
        /// The next bytes.
        case more
        /// Nothing for now. The transport stops reading from its connection until that changes.
        case nothing
        /// No more bytes: the transport closes the connection and throws this error.
        case end(ImageLoaderError)
    }

    /// The current demand on the transport.
    public var demand: Demand {
        switch share?.demand {
        case nil, .more: .more
        case .nothing: .nothing
        case .end: .end(.timedOut(.tooSlow))
        }
    }

    /// Sets a function to call when ``demand`` has changed. A transport that heeds it calls this once, before
    /// ``begin(_:)``.
    ///
    /// A transport that doesn't heed it continues regardless of the budget, and its bytes are accepted.
    ///
    /// - Parameters:
    ///   - canPause: Whether the transport stops on ``Demand/nothing``. If not, that demand is never made.
    ///   - call: Called on any thread, possibly within ``append(_:)-(Data)``. It should read ``demand``, because a
    ///     later change may have overtaken this one, and must not hold the sink strongly.
    public func onDemand(canPause: Bool = true, _ call: @escaping @Sendable () -> Void) {
        share?.onDemand(canPause: canPause, call)
    }
}
