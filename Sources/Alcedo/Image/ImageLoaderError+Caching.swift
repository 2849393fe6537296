extension ImageLoaderError {
    /// Whether a stale response may be used instead (RFC 5861 section 4): the server couldn't be reached, failed or is
    /// overloaded, or something on the way answered in its place, such as the page where a network asks for a password.
    var permitsStale: Bool {
        switch self {
        case .badStatus(let status): (500...599).contains(status) || [408, 425, 429].contains(status)
        case .connectionFailed, .timedOut, .truncated, .malformedResponse, .emptyBody: true
        case .redirectRefused, .contentTypeRefused, .notAnImage, .corruptImage: true
        default: false
        }
    }

    /// Whether it says anything about the server, so that it is worth remembering.
    var isOfServer: Bool { self != .cancelled && kind != .destinationRefused }

    /// Whether the same request may succeed later, though nothing about it changes: the failure may be that of the
    /// network, of a busy server, or of the program's own code. It isn't remembered for later callers.
    var isTransient: Bool {
        switch self {
        case .badStatus(let status): !(400...499).contains(status) || Self.passingStatuses.contains(status)
        case .connectionFailed, .timedOut, .truncated, .malformedResponse, .contentTypeRefused: true
        case .destinationRefused, .notCached, .fileUnreadable: true
        case .prepareFailed, .authenticationFailed, .sourceFailed: true
        default: false
        }
    }

    /// The statuses from 400 to 499 that change with credentials, load or time.
    private static let passingStatuses: Set = [401, 403, 407, 408, 409, 421, 423, 425, 429]

    /// Whether the server says that there is no such resource any more, so that what it sent before isn't shown again.
    var saysGone: Bool { self == .badStatus(404) || self == .badStatus(410) }
}
