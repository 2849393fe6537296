extension ImageLoader {
    /// The image that `request` asks for, as the caches have it, and then as the server has it.
    ///
    /// For views that show the old picture until the new one is there. A cached image comes first, even if it is
    /// stale; ``ImageResponse/staleReason`` then says so, and the server is asked. If it confirms the image or sends
    /// the same pixels again, the sequence ends; otherwise the new image follows. Without a cached image, there is one
    /// element: the one that is loaded, after the request's ``ImageRequest/lowResolution`` if that is faster.
    ///
    /// Nothing is loaded before the first element is awaited, nor after the sequence is dropped. Cancelling the
    /// calling Task ends the load. The request's ``ImageRequest/fallbacks`` are only used without a cached image. A
    /// request with cache directives of its own, or with another policy than ``CacheReadPolicy/http`` or
    /// ``CacheReadPolicy/revalidate``, has one element, not counting that of low resolution.
    ///
    /// Throws the errors of ``image(for:)-(URL)``. If the server can't be reached and the cached image may be shown
    /// nevertheless (stale-if-error), the sequence ends after it.
    public func responses(for request: ImageRequest) -> ImageResponses { ImageResponses(self, request) }

    /// How the loader uses the caches for `request`: as the request says, or else as its configuration does.
    public func readPolicy(for request: ImageRequest) -> CacheReadPolicy {
        request.readPolicy ?? path.policies.read
    }

    /// The response that ``response(for:)-(ImageRequest)`` would return at once, from memory; nil if it would have to
    /// wait. Doesn't suspend.
    ///
    /// Unlike ``cachedImage(for:)-(URL)``, it obeys the request's and the loader's cache policies. The request's
    /// ``ImageRequest/fallbacks`` are not looked up. Starts nothing and reports no event.
    public func memoryResponse(for request: ImageRequest) -> ImageResponse? {
        guard let (found, staleReason) = path.inMemory(request) else { return nil }
        return response(found, to: request, staleReason)
    }

    /// The image of `request` if it is in memory, even if it is stale and whatever its cache policy. Doesn't suspend.
    /// Responses that are known to match no request, as with `Vary: *`, aren't returned.
    ///
    /// ``ImageResponse/staleReason`` is ``StaleReason/unconfirmed`` for an image that ``cachedImage(for:)-(URL)``
    /// wouldn't return, because its server has to confirm it first. Starts nothing and reports no event.
    public func cachedResponse(for request: ImageRequest) -> ImageResponse? {
        let key = key(for: request)
        let largerServes = request.precision == .atLeast
        if let found = memoryCache.find(key, largerServes: largerServes) {
            return response(found, to: request, nil)
        }
        return memoryCache.find(key, largerServes: largerServes, acceptsStale: true).map {
            response($0, to: request, .unconfirmed)
        }
    }

    private func response(
        _ found: MemoryCache.Found, to request: ImageRequest, _ staleReason: StaleReason?
    ) -> ImageResponse {
        ImageResponse(
            image: found.image, source: .memory, staleReason: staleReason, timings: LoadTimings(),
            exchange: exchange(found.response, at: request.url))
    }

    /// The bytes that `request` names, with the response that they came in, from disk or the network.
    ///
    /// By the same rules as images: a fresh response on disk is used, a stale one is revalidated, and what is
    /// downloaded is stored on disk, unless the response or a policy forbids it. Nothing is decoded. A stored body that
    /// proves to be no picture is removed when ``image(for:)-(URL)`` meets it.
    ///
    /// Shares a download with all callers that want the same resource. Reports only the download's events. A body
    /// delimited only by connection close may be truncated. A compressed body is decompressed, and the fields don't
    /// mention the coding. A response from disk has the fields that were stored: neither those of the connection nor
    /// cookies.
    /// - Throws: as ``image(for:)-(URL)``, without the errors of decoding; ``ImageLoaderError/cancelled`` at once when
    ///   the calling Task is cancelled.
    public func dataResponse(for request: ImageRequest) async throws(ImageLoaderError) -> DataResponse {
        try await path.dataResponse(for: request)
    }

    /// The request with which a caller asks the server about a stale image of `request` that it shows meanwhile.
    ///
    /// If the image may be used while it is revalidated, the request joins the load that does so in the background, or
    /// begins it. That load fails if the server does, because its callers have the stale image. This may be the image
    /// of a fallback, so requests with fallbacks join no such load. Nor do those that try again after a failure:
    /// callers that don't have the stale image would share theirs.
    func revalidation(of stale: ImageResponse, for request: ImageRequest) -> ImageRequest {
        let (query, now) = (request.query(by: path.policies), path.time.secondsSince1970())
        if let freshness = stale.freshness, query.decision(on: freshness, at: now) == .useAndRevalidate,
            request.fallbacks.isEmpty, !request.retriesFailed
        {
            return request.behind
        }
        var asking = request
        asking.readPolicy = .revalidate
        return asking
    }

    /// Whether the disk has bytes of `request` that the server has to confirm before they are used.
    func hasUnconfirmedBytes(of request: ImageRequest) async -> Bool {
        let query = request.query(by: path.policies)
        guard query.policy.readsCaches, !query.isOffline, !query.acceptsStale,
            let entry = await diskCache?.entry(for: key(for: request).original),
            entry.freshness?.matchesNoRequest != true
        else { return false }
        return query.policy == .revalidate
            || entry.freshness?.isFresh(at: path.time.secondsSince1970()) == false
    }

    /// Starts to load the bytes that `request` names. Fresh bytes on disk aren't read.
    func prefetchTask(for request: ImageRequest) -> LoadTask<ImageSource> {
        LoadTask(request, on: self) { (control) async throws(ImageLoaderError) in
            try await self.path.dataResponse(for: request, control, readsBody: false).source
        }
    }
}

extension ImageResponse {
    /// The response from a cache, if the server is asked about it.
    var unconfirmed: ImageResponse {
        var response = self
        response.staleReason = isStale ? .unconfirmed : nil
        return response
    }
}
