/// What a store removed without being asked to.
package enum DiskRemoval: Sendable {
    case evicted([RemovedEntry])
    case expired([RemovedEntry])

    var event: LoadEvent {
        switch self {
        case .evicted(let entries): .diskEvicted(entries)
        case .expired(let entries): .diskExpired(entries)
        }
    }
}
