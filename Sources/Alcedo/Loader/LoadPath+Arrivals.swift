/// Handles, which count as waiters from the moment they are returned.
extension LoadPath {
    /// Announces the load of bytes, or of an image that needs them, before it arrives at its download.
    func announce(_ request: ImageRequest) -> ArrivalID {
        let request = request.resolved(policies)
        return downloads.announce(FlightKey(ResourceKey(request, in: scope), request), request.priority)
    }

    /// Begins to load an image for a handle, which needs no Task.
    ///
    /// - Parameters:
    ///   - known: The outcome, if it is known in advance.
    ///   - end: Called once, on the thread that ends the load. That is this one if nothing has to be awaited, and that
    ///     of the caller who cancels.
    /// - Returns: The caller, nil if the load has ended, and the control of the handle.
    func begin(
        _ request: ImageRequest, _ known: Outcome?, revalidates: Bool,
        end: @escaping @Sendable (Result<LoadedImage, ImageLoaderError>, LoadControl) -> Void
    ) -> (ImageFlights.Caller?, LoadControl) {
        if let outcome = known ?? refusal(of: request) {
            let control = LoadControl(priority: request.priority, loader: identity)
            let events = events(of: request, control)
            events?.begin(outcome)
            events?.end(outcome.result)
            end(outcome.result, control)
            return (nil, control)
        }
        let arrival = announce(request)
        let control = LoadControl(
            priority: request.priority, arrival: arrival, loader: identity, revalidates: revalidates)
        let events = events(of: request, control)
        events?.begin(nil)
        let caller = ImageFlights.Caller(control)
        join(request.resolved(policies), caller)
        // Only now, so that the events come in order.
        caller.promise.whenEnded { [downloads] outcome in
            downloads.drop(arrival)
            events?.end(outcome.result)
            end(outcome.result, control)
        }
        return (caller, control)
    }

    /// Lets the announcement of a handle arrive at its download with a flight that it has joined.
    func adopt(_ arrival: ArrivalID?, by place: ImageFlights.Place) {
        guard let arrival, !place.control.adopt(arrival) else { return }
        // The flight has been at its download already.
        downloads.drop(arrival)
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
}
