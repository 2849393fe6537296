/// Look-ups in memory, and the use of an image there after the server has answered.
extension LoadPath {
    /// Returns the image from memory.
    func found(_ request: ImageRequest) -> LoadedImage? {
        inMemory(request).map { LoadedImage($0.found, staleReason: $0.staleReason) }
    }

    /// Returns the image in memory, if it answers the request.
    func inMemory(_ request: ImageRequest) -> (found: MemoryCache.Found, staleReason: StaleReason?)? {
        let query = request.query(by: policies)
        guard query.trustsCaches || query.acceptsStale else { return nil }
        let found = memory.find(
            ImageKey(request, in: scope), largerServes: request.precision == .atLeast, keepsReleased: true,
            acceptsStale: query.acceptsStale)
        return found.map { ($0, staleReason(of: $0, isByPolicy: query.acceptsStale)) }
    }

    /// Returns the answer of the memory cache to a load.
    func remembered(_ load: Load) -> CacheAnswer<LoadedImage, UnconfirmedImage> {
        let query = load.request.query
        guard query.policy.readsCaches else { return .nothing }
        // A flight that landed since the caller's look-up has stored its image. A larger image would serve this caller,
        // but not all callers that may join.
        if query.trustsCaches || query.acceptsStale,
            let found = memory.findAgain(load.key, acceptsStale: query.acceptsStale)
        {
            return .usable(
                LoadedImage(found, staleReason: staleReason(of: found, isByPolicy: query.acceptsStale)))
        }
        guard let entry = memory.entry(load.key) else { return .nothing }
        switch answer(of: entry.response, to: load.request) {
        case .usable(let reason):
            if reason == .whileRevalidating { revalidateBehind(load) }
            return .usable(LoadedImage(entry.image, from: .memory, entry.response, staleReason: reason))
        case .unconfirmed(let response): return .unconfirmed(UnconfirmedImage(response: response, image: entry.image))
        case .nothing: return .nothing
        }
    }

    /// Returns why an image found in memory is used although it is stale; nil if it isn't stale.
    ///
    /// - Parameter isByPolicy: Whether the image is used whatever its freshness.
    func staleReason(of found: MemoryCache.Found, isByPolicy: Bool) -> StaleReason? {
        isByPolicy && found.freshness?.isFresh(at: time.secondsSince1970()) == false ? .byPolicy : nil
    }

    /// Revalidates a stale image in the background: once, however many callers used it, and not if all callers of the
    /// load revalidate it themselves. Loads that wait for the image as their input don't do so. Releasing the loader
    /// cancels the revalidation.
    func revalidateBehind(_ load: Load) {
        let isWanted = flights.hasCaller(of: load.flight) { $0.control?.revalidates != true }
        if Task.isCancelled || !isWanted { return }
        let control = LoadControl(priority: .veryLow, loader: identity)
        join(load.request.behind, ImageFlights.Caller(control, needs: [.bytes, .revalidating]))
    }

    func tellRevalidated(_ load: Load, _ loaded: LoadedImage) {
        let isChanged = loaded.source == .network
        report?(load.control.id, load.request.url, .revalidated(load.request.inFront, isChanged: isChanged))
    }

    /// Returns a cached image in place of an error, if the server is to blame and the response permits it. Throws the
    /// error otherwise.
    func substitute(
        for error: ImageLoaderError, _ load: Load, _ unconfirmed: UnconfirmedImage?
    ) async throws(ImageLoaderError) -> Landing {
        var unconfirmed = unconfirmed
        if unconfirmed == nil, load.joinedResource || disk?.mayBeLate == true, error.permitsStale {
            // The disk hasn't been searched yet, or didn't answer in time.
            switch try await storedPicture(load, waits: true) {
            case .usable(let landing): return landing
            case .unconfirmed(let image): unconfirmed = image
            case .nothing: break
            }
        }
        guard let unconfirmed else { throw error }
        if error.saysGone { await forget(load.key.resource)?() }
        let known = KnownResponse(response: unconfirmed.response, staleReason: .afterError)
        guard permits(unconfirmed.response, after: error, load.request) else { throw error }
        if let loaded = inMemory(unconfirmed, as: known, load) { return Landing(loaded) }
        if let loaded = try await storedImage(load, as: known) { return Landing(loaded) }
        throw error
    }

    /// Returns the cached image if the flight of its resource has ended with its response; nil otherwise.
    func confirmed(
        _ unconfirmed: UnconfirmedImage?, _ body: ResourceBody, _ load: Load
    ) async throws(ImageLoaderError) -> Landing? {
        guard body.source != .network, let response = body.response else { return nil }
        let known = KnownResponse(response: response, staleReason: body.staleReason)
        var found = inMemory(unconfirmed, as: known, load)
        // If bytes have arrived, they are decoded instead. Reading the image would wait for the room that they occupy.
        if found == nil, unconfirmed != nil, body.content == nil { found = try await storedImage(load, as: known) }
        guard let loaded = found else { return nil }
        body.share?.release()
        if body.staleReason == .whileRevalidating { revalidateBehind(load) }
        guard body.mayBeStored else { return await unstored(response, loaded, load) }
        if load.request.writes.fillsMemory, memory.entry(load.key)?.response?.version != response.version {
            await storeInMemory(loaded, load)
        }
        return Landing(loaded)
    }

    /// Returns the image that memory has for a response, or had when the load began.
    private func inMemory(_ unconfirmed: UnconfirmedImage?, as known: KnownResponse, _ load: Load) -> LoadedImage? {
        let version = known.response.version
        let entry = memory.entry(load.key)
        guard
            let image = entry?.response?.version == version
                ? entry?.image : unconfirmed?.response.version == version ? unconfirmed?.image : nil
        else { return nil }
        return LoadedImage(
            image, from: .memory, known.response, staleReason: known.staleReason, tickets: load.tickets)
    }
}
