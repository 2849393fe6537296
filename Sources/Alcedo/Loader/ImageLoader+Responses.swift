extension ImageLoader {
    /// Returns the cached image for `request`, followed by the server's image if it differs.
    ///
    /// Use this for a view that shows the old image until the new one arrives. A cached image comes first, even if it
    /// is stale; its ``ImageResponse/staleReason`` is then set, and the server is asked. If the server confirms the
    /// image or sends the same pixels again, the sequence ends; otherwise the new image follows. Without a cached
    /// image, the loaded image is the only element, except that the request's ``ImageRequest/lowResolution`` precedes
    /// it if that arrives earlier.
    ///
    /// Nothing is loaded before the first element is awaited, nor after the sequence is dropped. Cancelling the calling
    /// Task ends the load. The request's ``ImageRequest/fallbacks`` are only used without a cached image. A request
    /// with cache directives of its own, or with another policy than ``CacheReadPolicy/http`` or
    /// ``CacheReadPolicy/revalidate``, has one element, not counting the one in low resolution.
    ///
    /// Throws the errors of ``image(for:)-(URL)``. If the server can't be reached but the cached image may still be
    /// shown (stale-if-error), the sequence ends after it.
    public func responses(for request: ImageRequest) -> ImageResponses { ImageResponses(self, request) }

    /// Returns the read policy that applies to `request`: its own, or else the loader's.
    public func readPolicy(for request: ImageRequest) -> CacheReadPolicy {
        request.readPolicy ?? path.policies.read
    }

    /// Returns the response that ``response(for:)-(ImageRequest)`` would return immediately, from memory; nil if it
    /// would have to wait. Doesn't suspend.
    ///
    /// Unlike ``cachedImage(for:)-(URL)``, it follows the cache policies of the request and the loader. Ignores the
    /// request's ``ImageRequest/fallbacks``. Starts no load and reports no event.
    public func memoryResponse(for request: ImageRequest) -> ImageResponse? {
        guard let (found, staleReason) = path.inMemory(request) else { return nil }
        return response(found, to: request, staleReason)
    }

    /// Returns the image for `request` if it is in memory, even if it is stale, and whatever its cache policy. Doesn't
    /// suspend. Responses that are known to match no request, as with `Vary: *`, aren't returned.
    ///
    /// ``ImageResponse/staleReason`` is ``StaleReason/unconfirmed`` for an image that ``cachedImage(for:)-(URL)``
    /// wouldn't return, because its server must confirm it first. Starts no load and reports no event.
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

    /// Returns the bytes for `request` with the server's response, from disk or the network.
    ///
    /// The same rules apply as to images: a fresh response on disk is used, a stale one is revalidated, and a download
    /// is stored on disk unless the response or a policy forbids it. Nothing is decoded. If a stored body turns out not
    /// to be an image, ``image(for:)-(URL)`` removes it.
    ///
    /// All callers that want the same resource share a download. No stages of memory or decoding are reported. A body
    /// delimited only by connection close may be truncated. A compressed body is decompressed, and its header fields
    /// don't mention the coding. A response from disk has the stored fields, without connection fields and cookies.
    /// - Throws: The errors of ``image(for:)-(URL)`` except those of decoding; ``ImageLoaderError/cancelled``
    ///   immediately if the calling Task is cancelled.
    public func dataResponse(for request: ImageRequest) async throws(ImageLoaderError) -> DataResponse {
        try await path.dataResponse(for: request)
    }

    /// Returns the request that asks the server about a stale image of `request`, for a caller that shows the image
    /// until it has the answer.
    ///
    /// If the image may be used while it is revalidated, the request joins or begins the background load that
    /// revalidates it. That load fails if the server does, because its callers have the stale image. Requests with
    /// fallbacks don't join such a load, because their stale image may come from a fallback. Requests that try again
    /// after a failure don't either, because callers without the stale image would share their load.
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

    /// Returns whether the disk has bytes for `request` that the server must confirm before they are used.
    func hasUnconfirmedBytes(of request: ImageRequest) async -> Bool {
        let query = request.query(by: path.policies)
        guard query.policy.readsCaches, !query.isOffline, !query.acceptsStale,
            let freshness = await storedTier?.freshness(of: key(for: request).original),
            freshness?.matchesNoRequest != true
        else { return false }
        return query.policy == .revalidate || freshness?.isFresh(at: path.time.secondsSince1970()) == false
    }

    /// Starts loading the bytes for `request`. Fresh bytes on disk aren't read.
    func prefetchTask(for request: ImageRequest) -> LoadTask<ImageSource> {
        LoadTask(request, on: self) { (control) async throws(ImageLoaderError) in
            try await self.path.dataResponse(for: request, control, readsBody: false).source
        }
    }
}

extension ImageResponse {
    /// This response from a cache, marked as ``StaleReason/unconfirmed`` if it is stale.
    var unconfirmed: ImageResponse {
        var response = self
        response.staleReason = isStale ? .unconfirmed : nil
        return response
    }
}
