import Synchronization

/// The flights of a loader's images: how they begin, are joined, and end.
extension LoadPath {
    typealias Outcome = ImageFlights.Outcome
    typealias Landing = ImageFlights.Landing

    /// Distinguishes this loader's callers from those of other loaders that share an owner.
    var identity: ObjectIdentifier { ObjectIdentifier(flights) }

    var cancellationCount: Int { cancellations.load(ordering: .sequentiallyConsistent) }

    /// Returns the image for a caller that has already searched memory.
    func missed(_ request: ImageRequest, _ control: LoadControl?) async throws(ImageLoaderError) -> Outcome {
        if isPlain(request) { return await shared(request, control) }
        let cancellations = cancellationCount
        return try await withinLimits(of: request) { [self] () async throws(ImageLoaderError) in
            if request.fallbacks.isEmpty { return await shared(request, control, since: cancellations) }
            return try await firstImage(of: request, control, since: cancellations)
        }
    }

    /// Adds a caller to the flight of an image, and begins the flight if the caller is the first.
    func join(_ request: ImageRequest, _ caller: ImageFlights.Caller) {
        do throws(ImageLoaderError) {
            try validate(request)
        } catch {
            return _ = caller.promise.end(Outcome(.failure(error)))
        }
        guard let place = enter(request, caller) else { return }
        if report != nil { caller.control?.isShared = !place.isFirst }
        caller.control?.endHold()
        if place.isFirst { return }
        if let control = caller.control, !caller.needs.contains(.revalidating) {
            report?(control.id, request.url, .coalesced(with: place.control.id))
        }
    }

    func enter(_ request: ImageRequest, _ caller: ImageFlights.Caller) -> ImageFlights.Place? {
        let key = ImageKey(request, in: scope)
        return flights.join(FlightKey(key, request), caller, priority: request.priority) {
            imageWork($0, $1, request, key)
        }
    }

    private func imageWork(
        _ flight: FlightID, _ control: LoadControl, _ request: ImageRequest, _ key: ImageKey
    ) -> ImageFlights.Work {
        let tickets = Load.Tickets(memory: memory.ticket(), disk: disk?.ticket())
        let needs: FlightNeeds = request.writes.fillsDisk ? [.bytes, .confirming] : .bytes
        let resource = ResourceFlights.Caller(control, isFlight: true, needs: needs)
        let follow = joinCurrent(request, key.resource, resource)
        let load = Load(flight, request, key, control, tickets, resource, joinedResource: follow != nil)
        let isCurrent = { @Sendable [memory] in memory.permits(tickets.memory, key.resource) }
        return flights.work(of: flight, isCurrent: isCurrent) { [self] () async throws(ImageLoaderError) in
            follow?()
            defer { downloads.leave(resource) }
            return try await self.load(load)
        }
    }

    /// Returns the caller that waits for the resource of a load. It needs no bytes if a cache has the image and the
    /// server need only confirm it, unless the load joined the flight of the resource when it began.
    func caller(of load: Load, confirms: Bool) -> ResourceFlights.Caller {
        if !confirms || load.joinedResource { return load.resource }
        let needs = load.resource.needs.subtracting(.bytes)
        return ResourceFlights.Caller(load.control, isFlight: true, needs: needs)
    }

    /// Joins the flight of a resource if there is one, so that it continues when all other callers leave; see
    /// ``Flights/joinCurrent(_:_:priority:)``.
    func joinCurrent(
        _ request: ImageRequest, _ resource: ResourceKey, _ caller: ResourceFlights.Caller
    ) -> LoadControl.Change? {
        downloads.flights.joinCurrent(flightKey(request, resource), caller, priority: request.priority)
    }

    func validate(_ request: ImageRequest) throws(ImageLoaderError) {
        try request.validate()
        try request.processing?.validate(within: decoding.limits)
    }
}
