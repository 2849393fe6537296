/// The load of one flight: what all its stages know.
struct Load: Sendable {
    let request: ImageRequest
    let key: ImageKey
    /// The flight's: its priority, and the progress of its download.
    let control: LoadControl
    /// Taken when the load began. A result that was removed since isn't stored.
    let begun: Tickets

    struct Tickets: Sendable {
        let memory: MemoryCache.Ticket
        /// Nil without a disk cache.
        let disk: DiskStore.Ticket?
    }
}
