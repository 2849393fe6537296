/// Loads each picture once, however many ask for it.
///
/// Cancelling the calling Task resumes that caller at once; when it was the last, the load is cancelled.
package actor ImageFlights {
    private typealias Deck = FlightDeck<ImageKey, LoadedImage>

    private var deck = Deck()

    package init() {}

    /// What `load` makes of `key`, shared with all who ask for it meanwhile; `onShare` is called for a caller that is not
    /// the first.
    func image(
        for key: ImageKey, onShare: () -> Void,
        load: @escaping @Sendable () async throws(ImageLoaderError) -> LoadedImage
    ) async throws(ImageLoaderError) -> LoadedImage {
        let waiter = deck.makeWaiter()
        let outcome = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isShared = deck.join(key, as: waiter, continuation) { flight in
                    // Detached: the flight outlives its first caller and inherits nothing of it.
                    Task.detached { await self.fly(flight, load) }
                }
                if isShared { onShare() }
            }
        } onCancel: {
            Task { await self.leave(waiter) }
        }
        return try outcome.get()
    }

    /// Callers from now on start a new load, as what is under way was begun before a removal.
    func retire(_ key: ImageKey) { deck.retire(key) }
    func retireAll() { deck.retireAll() }

    private func leave(_ waiter: Deck.WaiterID) { _ = deck.leave(waiter) }

    private func land(_ flight: Deck.FlightID, _ outcome: Deck.Outcome) { deck.land(flight, outcome) }

    /// The whole life of one flight; off the actor, which others need meanwhile.
    private nonisolated func fly(
        _ flight: Deck.FlightID, _ load: @Sendable () async throws(ImageLoaderError) -> LoadedImage
    ) async {
        do throws(ImageLoaderError) {
            await land(flight, .success(try await load()))
        } catch {
            await land(flight, .failure(error))
        }
    }
}

/// What a flight brings to all who wait for it.
struct LoadedImage: Sendable {
    var image: DecodedImage
    var source: ImageSource
    var timings: LoadTimings
}
