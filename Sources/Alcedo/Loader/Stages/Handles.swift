/// Handles, which count as waiters from the moment they are returned.
extension LoadPath {
    /// Keeps a running flight of a resource alive until a handle has joined it, or has joined the flight that needs it.
    func hold(_ request: ImageRequest, for control: LoadControl) {
        let request = request.resolved(policies)
        let caller = ResourceFlights.Caller(
            LoadControl(priority: request.priority, loader: identity), isFlight: true)
        guard let follow = joinCurrent(request, ResourceKey(request, in: scope), caller) else { return }
        follow()
        control.hold { [downloads] in downloads.leave(caller) }
    }

    /// Begins loading an image for a handle, without a Task.
    ///
    /// - Parameter end: Called once, on the thread that ends the load. This is the current thread if the outcome is
    ///   known without waiting, and the canceller's thread if the load is cancelled.
    func begin(
        _ request: ImageRequest, _ known: Outcome?, revalidates: Bool,
        end: @escaping @Sendable (Result<LoadedImage, ImageLoaderError>, LoadControl) -> Void
    ) -> (ImageFlights.Caller, LoadControl) {
        let control = LoadControl(priority: request.priority, loader: identity, revalidates: revalidates)
        let (events, caller) = (events(of: request, control), ImageFlights.Caller(control))
        events?.looked(known)
        if let known { caller.promise.end(known) } else { join(request.resolved(policies), caller) }
        // Added last, so that the events are reported in order.
        caller.promise.whenEnded { outcome in
            events?.end(outcome.result)
            end(outcome.result, control)
        }
        return (caller, control)
    }
}
