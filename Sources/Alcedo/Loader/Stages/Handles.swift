/// Handles, which count as waiters from the moment they are returned.
extension LoadPath {
    /// Keeps the flight of a resource that others have begun until a handle has joined it or the flight that needs it.
    func hold(_ request: ImageRequest, for control: LoadControl) {
        let request = request.resolved(policies)
        let caller = ResourceFlights.Caller(
            LoadControl(priority: request.priority, loader: identity), isFlight: true)
        guard let follow = joinCurrent(request, ResourceKey(request, in: scope), caller) else { return }
        follow()
        control.hold { [downloads] in downloads.leave(caller) }
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
        let control = LoadControl(priority: request.priority, loader: identity, revalidates: revalidates)
        let events = events(of: request, control)
        events?.begin(nil)
        let caller = ImageFlights.Caller(control)
        join(request.resolved(policies), caller)
        // Only now, so that the events come in order.
        caller.promise.whenEnded { outcome in
            events?.end(outcome.result)
            end(outcome.result, control)
        }
        return (caller, control)
    }
}
