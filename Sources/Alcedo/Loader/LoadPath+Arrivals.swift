/// Counts handles as waiters from the moment they are returned, before they join a flight.
extension LoadPath {
    /// Announces the load of an image. It may need a download that another load shares and would otherwise cancel
    /// before this one arrives.
    func announceImage(_ request: ImageRequest) -> Arrival {
        let request = request.resolved(policies)
        return announce(ImageKey(request, in: scope), request)
    }

    private func announce(_ key: ImageKey, _ request: ImageRequest) -> Arrival {
        Arrival(
            image: flights.announce(FlightKey(key, request), request.priority),
            download: downloads.announce(FlightKey(key.resource, request), request.priority))
    }

    /// Begins to load an image for a handle, which needs no Task. Nothing begins on this thread, because it may be that
    /// of a view.
    ///
    /// - Parameter end: Called once, on the thread that ends the load: this one for an image in memory.
    func begin(
        _ request: ImageRequest, revalidates: Bool,
        end: @escaping @Sendable (Result<LoadedImage, ImageLoaderError>) -> Void
    ) -> (ImageFlights.Waiters.Caller, LoadControl) {
        let resolved = request.resolved(policies)
        let key = ImageKey(resolved, in: scope)
        let arrival = announce(key, resolved)
        let control = LoadControl(
            priority: request.priority, arrival: arrival, loader: identity, revalidates: revalidates)
        let events = report.map { CallerEvents(of: request, control, $0) }
        let caller = ImageFlights.Waiters.Caller(resolved, control, leave: flights.leaveLater)
        caller.promise.whenEnded { [self] outcome in
            drop(arrival)
            events?.end(outcome.result)
            end(outcome.result)
            control.finish()
        }
        if let outcome = outcomeInAdvance(of: request, events) {
            caller.promise.end(outcome)
        } else if let key = validKey(of: caller, key) {
            flights.joinLater(key, caller) { [self] place in
                if let load = load(of: caller, place) { begin(load, inTurn: true) }
            }
        }
        return (caller, control)
    }

    /// The key of the flight that a caller joins; nil, and the caller has failed, if its request is invalid.
    func validKey(of caller: ImageFlights.Waiters.Caller, _ key: ImageKey? = nil) -> FlightKey<ImageKey>? {
        do throws(ImageLoaderError) {
            try caller.request.validate()
            try caller.request.processing?.validate(within: decoding.limits)
            return FlightKey(key ?? ImageKey(caller.request, in: scope), caller.request)
        } catch {
            caller.promise.end(Outcome(.failure(error)))
            return nil
        }
    }

    /// Announces a load of bytes.
    func announceData(_ request: ImageRequest) -> Arrival {
        let request = request.resolved(policies)
        return Arrival(
            download: downloads.announce(FlightKey(ResourceKey(request, in: scope), request), request.priority))
    }

    /// Withdraws an announcement that hasn't arrived, and cancels what was held only for it. May be called more than
    /// once.
    func withdraw(_ arrival: Arrival) async {
        if let image = arrival.image { await flights.withdraw(image) }
        if let download = arrival.download { await downloads.withdraw(download) }
    }

    /// Like ``withdraw(_:)``, at once: nothing begins for the announcement from now on.
    func drop(_ arrival: Arrival) {
        if let image = arrival.image { flights.drop(image) }
        if let download = arrival.download { downloads.drop(download) }
    }
}
