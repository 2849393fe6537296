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
    /// of a view, and no sink is called, because the program may hold a lock that it takes.
    ///
    /// - Parameters:
    ///   - known: The outcome, if it is known in advance.
    ///   - end: Called once, on the thread that ends the load. That is this one if nothing has to be awaited, and that
    ///     of the caller who cancels.
    /// - Returns: The caller, nil if the load has ended, and the control of the handle.
    func begin(
        _ request: ImageRequest, _ known: Outcome?, revalidates: Bool,
        end: @escaping @Sendable (Result<LoadedImage, ImageLoaderError>, LoadControl) -> Void
    ) -> (ImageFlights.Waiters.Caller?, LoadControl) {
        if let outcome = known ?? refusal(of: request) {
            let control = LoadControl(priority: request.priority, loader: identity)
            if let events = events(of: request, control) {
                flights.later {
                    events.begin(outcome)
                    events.end(outcome.result)
                }
            }
            end(outcome.result, control)
            return (nil, control)
        }
        let resolved = request.resolved(policies)
        let key = ImageKey(resolved, in: scope)
        let arrival = announce(key, resolved)
        let control = LoadControl(
            priority: request.priority, arrival: arrival, loader: identity, revalidates: revalidates)
        let events = events(of: request, control)
        if let events { flights.later { events.begin(nil) } }
        let caller = ImageFlights.Waiters.Caller(resolved, control, leave: flights.leaveLater)
        caller.promise.whenEnded { [self] outcome in
            drop(arrival)
            if let events, case .failure(.cancelled) = outcome.result {
                flights.later { events.end(outcome.result) }
            } else {
                events?.end(outcome.result)
            }
            end(outcome.result, control)
        }
        flights.joinLater(FlightKey(key, resolved), caller) { [self] place in
            if let load = load(of: caller, place) { begin(load) }
        }
        return (caller, control)
    }

    /// The outcome of an invalid request.
    @inline(never) func refusal(of request: ImageRequest) -> Outcome? {
        do throws(ImageLoaderError) {
            try request.validate()
            try request.processing?.validate(within: decoding.limits)
            return nil
        } catch {
            return Outcome(.failure(error))
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
