public import Foundation

// Functions for a URL in place of a request without options.

extension ImageLoader {
    // MARK: Loading

    /// Returns the image at `url`, with its source and timings; see ``response(for:)-(ImageRequest)``.
    public func response(for url: URL) async throws(ImageLoaderError) -> ImageResponse {
        try await response(for: ImageRequest(url: url))
    }

    /// Returns the cached image at `url`, followed by the server's image if it differs; see
    /// ``responses(for:)-(ImageRequest)``.
    public func responses(for url: URL) -> ImageResponses { responses(for: ImageRequest(url: url)) }

    /// Returns the bytes at `url` as received, from disk or the network; see ``data(for:)-(ImageRequest)``.
    public func data(for url: URL) async throws(ImageLoaderError) -> Data {
        try await data(for: ImageRequest(url: url))
    }

    /// Returns the bytes at `url` with the server's response; see ``dataResponse(for:)-(ImageRequest)``.
    public func dataResponse(for url: URL) async throws(ImageLoaderError) -> DataResponse {
        try await dataResponse(for: ImageRequest(url: url))
    }

    /// Starts loading the image at `url`, and returns a handle; see ``imageTask(for:)-(ImageRequest)``.
    public func imageTask(for url: URL) -> LoadTask<ImageResponse> { imageTask(for: ImageRequest(url: url)) }

    /// Starts loading the bytes at `url`, and returns a handle; see ``dataTask(for:)-(ImageRequest)``.
    public func dataTask(for url: URL) -> LoadTask<Data> { dataTask(for: ImageRequest(url: url)) }

    /// Returns whether the image at `url` is being loaded, or its bytes are being downloaded; see
    /// ``isLoading(_:)-(ImageRequest)``.
    public func isLoading(_ url: URL) async -> Bool { await isLoading(ImageRequest(url: url)) }

    // MARK: Caches

    /// Returns the response for `url` from memory, without waiting; see ``memoryResponse(for:)-(ImageRequest)``.
    public func memoryResponse(for url: URL) -> ImageResponse? { memoryResponse(for: ImageRequest(url: url)) }

    /// Returns the image at `url` if it is in memory, even if it is stale; see ``cachedResponse(for:)-(ImageRequest)``.
    public func cachedResponse(for url: URL) -> ImageResponse? { cachedResponse(for: ImageRequest(url: url)) }

    /// Returns whether the image at `url` is in one of the caches; see ``contains(_:in:)-(ImageRequest,_)``.
    public func contains(_ url: URL, in tiers: CacheTiers = .all) async -> Bool {
        await contains(ImageRequest(url: url), in: tiers)
    }

    /// Stores an image as if it had been loaded from `url`; see ``store(_:for:in:)-(DecodedImage,ImageRequest,_)``.
    public func store(
        _ image: DecodedImage, for url: URL, in tiers: CacheTiers = .memory
    ) async throws(ImageLoaderError) {
        try await store(image, for: ImageRequest(url: url), in: tiers)
    }

    /// Stores bytes as if they had been downloaded from `url`; see ``store(_:for:in:)-(Data,ImageRequest,_)``.
    public func store(_ data: Data, for url: URL, in tiers: CacheTiers? = nil) async throws(ImageLoaderError) {
        try await store(data, for: ImageRequest(url: url), in: tiers)
    }

    /// Stores an image and its file as if loaded from `url`; see ``store(_:data:for:in:)-(_,_,ImageRequest,_)``.
    public func store(
        _ image: DecodedImage, data: Data, for url: URL, in tiers: CacheTiers? = nil
    ) async throws(ImageLoaderError) {
        try await store(image, data: data, for: ImageRequest(url: url), in: tiers)
    }

    /// Removes the image at `url` in all its sizes from memory and disk; see ``remove(_:)-(ImageRequest)``.
    public func remove(_ url: URL) async { await remove(ImageRequest(url: url)) }
}
