/// Decides how long a download waits for a network, and when it is tried again.
package struct NetworkWait: Sendable {
    /// The rest of the time that the download may wait.
    package private(set) var rest: Duration
    /// The delays of the attempts that may still follow although there is a network. It takes moments until addresses,
    /// routes and names are set up.
    private var settling: ArraySlice<Duration> = []

    package init(atMost limit: Duration) { rest = limit }

    package var mayWait: Bool { rest > .zero }

    /// Counts a wait.
    ///
    /// - Parameter isConnected: Whether it ended because there is a network.
    package mutating func end(after time: Duration, isConnected: Bool) {
        rest -= time
        if isConnected { settling = [.seconds(1), .seconds(2), .seconds(4)] }
    }

    /// The delay before the next attempt if one failed although there is a network. Nil if the failure has another
    /// cause, because the network wasn't missing before.
    package mutating func delayWhileSettling() -> Duration? {
        guard let delay = settling.popFirst(), mayWait else { return nil }
        defer { rest -= delay }
        return min(delay, rest)
    }
}

extension ImageLoaderError {
    /// Whether the cause may be that there is no network, so that the request may be sent again once there is one.
    ///
    /// - Parameter isIdempotent: Whether the request may be repeated if the server has received it.
    package func mayBeOffline(isIdempotent: Bool) -> Bool {
        switch self {
        case .connectionFailed(.hostNotFound, _), .connectionFailed(.refused, _): true
        case .connectionFailed(.insecure, _): false
        case .connectionFailed, .timedOut, .truncated: isIdempotent
        default: false
        }
    }
}
