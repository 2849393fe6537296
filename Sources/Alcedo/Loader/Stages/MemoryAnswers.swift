/// Look-ups in memory, and the use of an image there after the server has answered.
extension LoadPath {
    /// The image from memory.
    func found(_ request: ImageRequest) -> LoadedImage? {
        inMemory(request).map { LoadedImage($0.found, staleReason: $0.staleReason) }
    }

    /// The image in memory, if it answers the request.
    func inMemory(_ request: ImageRequest) -> (found: MemoryCache.Found, staleReason: StaleReason?)? {
        let query = request.query(by: policies)
        guard query.trustsCaches || query.acceptsStale else { return nil }
        let found = memory.find(
            ImageKey(request, in: scope), largerServes: request.precision == .atLeast, keepsReleased: true,
            acceptsStale: query.acceptsStale)
        return found.map { ($0, staleReason(of: $0, isByPolicy: query.acceptsStale)) }
    }

    /// Memory's answer to a load.
    func remembered(_ load: Load) -> CacheAnswer<LoadedImage, UnconfirmedImage> {
        let query = load.request.query
        guard query.policy.readsCaches else { return .nothing }
        // A flight that landed since the caller looked has left its image there. A larger image would serve this
        // caller, but not everyone who may join.
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

    /// Why an image found in memory is used although it is stale; nil if it isn't.
    ///
    /// - Parameter isByPolicy: Whether it is used whatever its freshness.
    func staleReason(of found: MemoryCache.Found, isByPolicy: Bool) -> StaleReason? {
        isByPolicy && found.freshness?.isFresh(at: time.secondsSince1970()) == false ? .byPolicy : nil
    }

    /// Revalidates a stale image in the background, once however many callers used it, unless all callers of the load
    /// revalidate it themselves. Processors that wait for the image don't. It is cancelled with the loader.
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

    /// The image that a cache holds in place of an error, if the server is to blame and the response permits it.
    func substitute(
        for error: ImageLoaderError, _ load: Load, _ unconfirmed: UnconfirmedImage?
    ) async throws(ImageLoaderError) -> Landing {
        var unconfirmed = unconfirmed
        if unconfirmed == nil, load.joinedResource, error.permitsStale {
            // It hasn't been looked for on disk.
            switch try await storedPicture(load) {
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

    /// The image that a cache has, if the flight of its resource has ended with its response; nil otherwise.
    func confirmed(
        _ unconfirmed: UnconfirmedImage?, _ body: ResourceBody, _ load: Load
    ) async throws(ImageLoaderError) -> Landing? {
        guard body.source != .network, let response = body.response else { return nil }
        let known = KnownResponse(response: response, staleReason: body.staleReason)
        var found = inMemory(unconfirmed, as: known, load)
        // Bytes that have come are decoded instead. A read would wait for the room that they take up.
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

    /// The image that memory has of a response, or that was there when the load began.
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
