/// The flights of a loader's images.
typealias ImageFlights = Flights<FlightKey<ImageKey>, LoadedImage>

/// A load that is under way, of an image or of a resource.
protocol RunningLoad: Sendable {
    var request: ImageRequest { get }
    /// The flight's: its id and priority, and the progress of its download.
    var control: LoadControl { get }
}

/// The load of an image: what all its stages know.
final class Load: RunningLoad {
    let flight: FlightID
    let request: ImageRequest
    let key: ImageKey
    let control: LoadControl
    /// Taken when the load began. A result that was removed since isn't stored.
    let tickets: Tickets
    /// Waits for the flight of the resource.
    let resource: ResourceFlights.Caller
    /// Whether this load joined the flight of its resource when it began, because there was one.
    let joinedResource: Bool

    init(
        _ flight: FlightID, _ request: ImageRequest, _ key: ImageKey, _ control: LoadControl,
        _ tickets: Tickets, _ resource: ResourceFlights.Caller, joinedResource: Bool
    ) {
        self.flight = flight
        self.request = request
        self.key = key
        self.control = control
        self.tickets = tickets
        self.resource = resource
        self.joinedResource = joinedResource
    }

    /// The same load as another caller, which asks for the resource with another request.
    func sending(_ request: ImageRequest) -> Load {
        let caller = ResourceFlights.Caller(control, isFlight: true, needs: resource.needs)
        return Load(flight, request, key, control, tickets, caller, joinedResource: joinedResource)
    }

    /// The same load, after it has replaced what was stored before.
    func with(_ tickets: Tickets) -> Load {
        Load(flight, request, key, control, tickets, resource, joinedResource: joinedResource)
    }

    struct Tickets: Sendable {
        var memory: MemoryCache.Ticket
        /// Nil without a disk cache.
        var disk: DiskStore.Ticket?
    }
}

/// The load of a resource: what all its stages know.
final class ResourceLoad: RunningLoad {
    let flight: FlightID
    let request: ImageRequest
    let key: ResourceKey
    let control: LoadControl
    /// Taken when the load began. What was removed since isn't stored.
    let ticket: Download.Ticket
    /// Nil without a disk cache.
    let diskTicket: DiskStore.Ticket?
    /// The response that the server is asked to confirm, because the first caller has an image made from it.
    let confirming: StoredResponse?

    init(
        _ flight: FlightID, _ request: ImageRequest, _ key: ResourceKey, _ control: LoadControl,
        _ ticket: Download.Ticket, _ diskTicket: DiskStore.Ticket?, confirming: StoredResponse?
    ) {
        self.flight = flight
        self.request = request
        self.key = key
        self.control = control
        self.ticket = ticket
        self.diskTicket = diskTicket
        self.confirming = confirming
    }
}
