extension ImageLoaderError {
    /// Whether a stale response may be used instead (RFC 5861 section 4): the server couldn't be reached, failed or is
    /// overloaded, or an intermediary such as a captive portal answered in its place.
    var permitsStale: Bool {
        switch self {
        case .badStatus(let status): (500...599).contains(status) || [408, 425, 429].contains(status)
        case .connectionFailed, .timedOut, .truncated, .malformedResponse, .emptyBody: true
        case .redirectRefused, .contentTypeRefused, .notAnImage, .corruptImage: true
        default: false
        }
    }

    /// Whether the error concerns the server, so that it is worth remembering.
    var isOfServer: Bool { self != .cancelled && kind != .destinationRefused }

    /// Whether the same request may succeed later, because the failure may be caused by the network, a busy server, or
    /// the program's own code. Transient errors aren't remembered for later callers.
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

    /// Whether the server says that the resource no longer exists, so that earlier responses aren't shown again.
    var saysGone: Bool { self == .badStatus(404) || self == .badStatus(410) }
}
