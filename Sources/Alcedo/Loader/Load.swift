/// The flights of a loader's images.
typealias ImageFlights = Flights<FlightKey<ImageKey>, LoadedImage>

/// The load of one flight: what all its stages know.
final class Load: Sendable {
    let flight: ImageFlights.FlightID
    let request: ImageRequest
    let key: ImageKey
    /// The flight's: its priority, and the progress of its download.
    let control: LoadControl
    /// Taken when the load began. A result that was removed since isn't stored.
    let begun: Tickets
    /// Waits for the download.
    let download: DownloadFlights.Caller
    /// Whether others had begun the download when the load began, which has joined it at once.
    let isUnderWay: Bool

    init(
        _ flight: ImageFlights.FlightID, _ request: ImageRequest, _ key: ImageKey, _ control: LoadControl,
        begun: Tickets, _ download: DownloadFlights.Caller, isUnderWay: Bool
    ) {
        self.flight = flight
        self.request = request
        self.key = key
        self.control = control
        self.begun = begun
        self.download = download
        self.isUnderWay = isUnderWay
    }

    /// The same load, for another request for its image.
    func sending(_ request: ImageRequest) -> Load {
        Load(flight, request, key, control, begun: begun, DownloadFlights.Caller(control), isUnderWay: isUnderWay)
    }

    /// The same load, after it has replaced what was stored before.
    func with(_ tickets: Tickets) -> Load {
        Load(flight, request, key, control, begun: tickets, download, isUnderWay: isUnderWay)
    }

    struct Tickets: Sendable {
        var memory: MemoryCache.Ticket
        /// Nil without a disk cache.
        var disk: DiskStore.Ticket?
    }
}
