/// What a store removed without being asked to.
package enum DiskRemoval: Sendable {
    case evicted([RemovedEntry])
    case expired([RemovedEntry])
}
