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
    /// - Parameters:
    ///   - known: The outcome, if it is known in advance.
    ///   - end: Called once, on the thread that ends the load. This is the current thread if the outcome is known
    ///     without waiting, and the canceller's thread if the load is cancelled.
    /// - Returns: The caller (nil if the load has ended), and the control of the handle.
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
        // Added last, so that the events are reported in order.
        caller.promise.whenEnded { outcome in
            events?.end(outcome.result)
            end(outcome.result, control)
        }
        return (caller, control)
    }
}
