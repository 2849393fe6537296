/// The flights of a loader's images.
typealias ImageFlights = Flights<FlightKey<ImageKey>, LoadedImage>

/// A running load of an image or a resource.
protocol RunningLoad: Sendable {
    var request: ImageRequest { get }
    /// The control of the flight: its id and priority, and the progress of its download.
    var control: LoadControl { get }
}

/// The load of an image, as shared by all its stages.
final class Load: RunningLoad {
    let flight: FlightID
    let request: ImageRequest
    let key: ImageKey
    let control: LoadControl
    /// Taken when the load began, so that a result that was removed since isn't stored.
    let tickets: Tickets
    /// The caller that waits for the flight of the resource.
    let resource: ResourceFlights.Caller
    /// Whether the resource had a flight when this load began, which the load joined.
    let joinedResource: Bool

    init(
        _ flight: FlightID, _ request: ImageRequest, _ key: ImageKey, _ control: LoadControl,
        _ tickets: Tickets, _ resource: ResourceFlights.Caller, joinedResource: Bool
    ) {
        (self.flight, self.request, self.key, self.control) = (flight, request, key, control)
        (self.tickets, self.resource, self.joinedResource) = (tickets, resource, joinedResource)
    }

    /// Returns this load with another caller, which requests the resource with `request`.
    func sending(_ request: ImageRequest) -> Load {
        let caller = ResourceFlights.Caller(control, isFlight: true, needs: resource.needs)
        return Load(flight, request, key, control, tickets, caller, joinedResource: joinedResource)
    }

    /// Returns this load with the tickets that it got by replacing earlier entries.
    func with(_ tickets: Tickets) -> Load {
        Load(flight, request, key, control, tickets, resource, joinedResource: joinedResource)
    }

    struct Tickets: Sendable {
        var memory: MemoryCache.Ticket
        /// Nil without a disk cache.
        var disk: StoredTier.Ticket?
    }
}

/// The load of a resource, as shared by all its stages.
final class ResourceLoad: RunningLoad {
    let flight: FlightID
    let request: ImageRequest
    let key: ResourceKey
    let control: LoadControl
    /// Taken when the load began, so that bytes that were removed since aren't stored.
    let ticket: Download.Ticket
    /// Nil without a disk cache.
    let diskTicket: StoredTier.Ticket?
    /// The response that the server is asked to confirm, because the first caller has an image made from it.
    let confirming: StoredResponse?

    init(
        _ flight: FlightID, _ request: ImageRequest, _ key: ResourceKey, _ control: LoadControl,
        _ ticket: Download.Ticket, _ diskTicket: StoredTier.Ticket?, confirming: StoredResponse?
    ) {
        (self.flight, self.request, self.key, self.control) = (flight, request, key, control)
        (self.ticket, self.diskTicket, self.confirming) = (ticket, diskTicket, confirming)
    }
}
