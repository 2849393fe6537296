/// Responses in the caches that have to be validated, and what comes of it.
extension LoadPath {
    /// Memory's answer to a load.
    @inline(never) func remembered(_ load: Load) -> CacheAnswer<LoadedImage, HeldResponse> {
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
        guard let response = entry.response else {
            // The program stored it, and no server can confirm it.
            return query.policy == .http ? .usable(LoadedImage(entry.image, from: .memory)) : .nothing
        }
        switch query.decision(on: response.freshness, at: time.secondsSince1970()) {
        case .use(let reason):
            return .usable(LoadedImage(entry.image, from: .memory, response, staleReason: reason))
        case .useAndRevalidate:
            revalidateBehind(load)
            return .usable(LoadedImage(entry.image, from: .memory, response, staleReason: .whileRevalidating))
        case .revalidate: return .held(HeldResponse(response: response, image: entry.image))
        case .fetch, .fail: return .nothing
        }
    }

    /// Why an image found in memory is used although it is stale; nil if it isn't.
    ///
    /// - Parameter isByPolicy: Whether it is used whatever its freshness.
    func staleReason(of found: MemoryCache.Found, isByPolicy: Bool) -> StaleReason? {
        isByPolicy && found.freshness?.isFresh(at: time.secondsSince1970()) == false ? .byPolicy : nil
    }

    /// Revalidates a stale image in the background, once however many callers used it, unless all callers of the load
    /// revalidate it themselves. It is cancelled with the loader.
    func revalidateBehind(_ load: Load) {
        guard !Task.isCancelled, !load.control.isRevalidated() else { return }
        let control = LoadControl(priority: .veryLow, loader: identity)
        join(load.request.behind, ImageFlights.Caller(control))
    }

    func tellRevalidated(_ load: Load, _ loaded: LoadedImage) {
        let isChanged = loaded.source == .network
        report?(load.control.id, load.request.url, .revalidated(load.request.inFront, isChanged: isChanged))
    }

    /// The end of a load whose result isn't stored: what earlier responses left is removed if the new one says
    /// no-store, and stays if only this request does.
    func unstored(_ download: Download, _ loaded: LoadedImage, _ load: Load) async -> Landing {
        let loaded = loaded.with(nil)
        if download.response.mayBeStored { return Landing(loaded) }
        return Landing(loaded, afterwards: await forget(load.key.resource))
    }

    /// The end of a failed load: the image that a cache holds, if the server is to blame and the response permits it.
    @inline(never) func substitute(
        for error: ImageLoaderError, _ load: Load, _ held: HeldResponse?
    ) async throws(ImageLoaderError) -> Landing {
        if error.saysGone, held != nil || load.isUnderWay || load.request.replacesStored {
            await forget(load.key.resource)?()
        }
        var held = held
        if held == nil, load.isUnderWay, error.permitsStale {
            // It hasn't been looked for on disk.
            switch try await stored(load) {
            case .usable(let landing): return landing
            case .held(let onDisk): held = onDisk
            case .nothing: break
            }
        }
        guard let held, error.permitsStale, !load.request.isBehind,
            load.request.query.permits(held.response.freshness, afterErrorAt: time.secondsSince1970()),
            let loaded = try await image(of: held, as: held.response, staleReason: .afterError, load)
        else { throw error }
        return Landing(loaded)
    }

    /// The end of a load whose server confirmed the response that a cache holds.
    @inline(never) func confirmed(
        _ held: HeldResponse?, _ download: Download, _ load: Load
    ) async throws(ImageLoaderError) -> Landing {
        let (response, resource) = (download.response, load.key.resource)
        await memory.confirm(response, for: resource)
        let diskKey = await disk?.key(of: resource)
        guard let loaded = try await image(of: held, as: response, staleReason: nil, load) else {
            if let diskKey { await disk?.confirm(response, for: diskKey) }
            throw .confirmsAnother
        }
        guard download.mayBeStored else { return await unstored(download, loaded, load) }
        if load.request.writes.fillsMemory, memory.entry(load.key)?.response?.version != response.version {
            await keepInMemory(loaded, load)
        }
        guard let disk, let diskKey, load.request.writes.fillsDisk else { return Landing(loaded) }
        return Landing(loaded, afterwards: { await disk.confirm(response, for: diskKey) })
    }

    /// The image that a cache holds, without another decode if it is in memory.
    ///
    /// - Parameter response: The response as it is known now.
    private func image(
        of held: HeldResponse?, as response: StoredResponse, staleReason: StaleReason?, _ load: Load
    ) async throws(ImageLoaderError) -> LoadedImage? {
        func inMemory(_ image: DecodedImage) -> LoadedImage {
            LoadedImage(image, from: .memory, response, staleReason: staleReason, tickets: load.begun)
        }
        if let entry = memory.entry(load.key), entry.response?.version == response.version {
            return inMemory(entry.image)
        }
        if let held, let image = held.image, held.response.version == response.version { return inMemory(image) }
        return try await stored(load, as: response, staleReason)
    }
}
