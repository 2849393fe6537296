extension ImageLoader {
    /// The image that `request` asks for, as the caches have it, and then as the server has it.
    ///
    /// For views that show the old picture until the new one is there. A cached image comes first, even if it is
    /// stale; ``ImageResponse/staleReason`` then says so, and the server is asked. If it confirms the image or sends
    /// the same pixels again, the sequence ends; otherwise the new image follows. Without a cached image, there is one
    /// element: the one that is loaded.
    ///
    /// Nothing is loaded before the first element is awaited, nor after the sequence is dropped. Cancelling the
    /// calling Task ends the load. The request's ``ImageRequest/fallbacks`` are only used without a cached image. A
    /// request with cache directives of its own, or with another policy than ``CacheReadPolicy/http`` or
    /// ``CacheReadPolicy/revalidate``, has one element.
    ///
    /// Throws the errors of ``image(for:)-(URL)``. If the server can't be reached and the cached image may be shown
    /// nevertheless (stale-if-error), the sequence ends after it.
    public func responses(for request: ImageRequest) -> ImageResponses { ImageResponses(self, request) }

    /// The image of `request` if it is in memory, even if it is stale and whatever its cache policy. Doesn't suspend.
    ///
    /// ``ImageResponse/staleReason`` is ``StaleReason/unconfirmed`` for an image that ``cachedImage(for:)-(URL)``
    /// wouldn't return, because its server has to confirm it first. Starts nothing and reports no event.
    public func cachedResponse(for request: ImageRequest) -> ImageResponse? {
        let key = path.keyInMemory(of: request)
        let largerServes = request.precision == .atLeast
        if let found = memoryCache.find(key, largerServes: largerServes) { return ImageResponse(found, nil) }
        return memoryCache.find(key, largerServes: largerServes, acceptsStale: true).map {
            ImageResponse($0, .unconfirmed)
        }
    }

    /// The bytes that `request` names, with the response that they came in, from disk or the network.
    ///
    /// By the same rules as images: a fresh response on disk is used, a stale one is revalidated, and what is
    /// downloaded is stored on disk, unless the response or a policy forbids it. Nothing is decoded. A stored body that
    /// proves to be no picture is removed when ``image(for:)-(URL)`` meets it.
    ///
    /// Shares a download with all callers that want the same resource. Reports only the download's events. A body
    /// delimited only by connection close may be truncated. A response from disk has the fields that were stored:
    /// neither those of the connection nor cookies.
    /// - Throws: as ``image(for:)-(URL)``, without the errors of decoding; ``ImageLoaderError/cancelled`` at once when
    ///   the calling Task is cancelled.
    public func dataResponse(for request: ImageRequest) async throws(ImageLoaderError) -> DataResponse {
        try await path.dataResponse(for: request)
    }
}

extension ImageResponse {
    fileprivate init(_ found: MemoryCache.Found, _ staleReason: StaleReason?) {
        self.init(
            image: found.image, source: .memory, freshness: found.freshness, staleReason: staleReason,
            timings: LoadTimings())
    }
}

/// The image as the caches have it, and then as the server has it; see ``ImageLoader/responses(for:)``.
public struct ImageResponses: AsyncSequence, Sendable {
    public typealias Element = ImageResponse
    public typealias Failure = ImageLoaderError

    private let loader: ImageLoader
    private let request: ImageRequest

    init(_ loader: ImageLoader, _ request: ImageRequest) {
        self.loader = loader
        self.request = request
    }

    /// An iterator that begins with what the caches have.
    public func makeAsyncIterator() -> Iterator { Iterator(loader, request) }

    /// Loads the elements of ``ImageResponses``.
    public struct Iterator: AsyncIteratorProtocol {
        private enum Next {
            case cached
            case confirmed(DecodedImage)
            case end
        }

        private let loader: ImageLoader
        private let request: ImageRequest
        private var next = Next.cached

        fileprivate init(_ loader: ImageLoader, _ request: ImageRequest) {
            self.loader = loader
            self.request = request
        }

        /// The next image; nil at the end.
        public mutating func next() async throws(ImageLoaderError) -> ImageResponse? {
            switch next {
            case .cached: return try await first()
            case .confirmed(let image): return try await second(after: image)
            case .end: return nil
            }
        }

        /// The next image; nil at the end.
        public mutating func next(
            isolation actor: isolated (any Actor)?
        ) async throws(ImageLoaderError) -> ImageResponse? { try await next() }

        private mutating func first() async throws(ImageLoaderError) -> ImageResponse {
            next = .end
            let query = request.resolved(loader.path.policies).query
            let policy = query.policy
            guard policy == .http && query.directives.isEmpty || policy == .revalidate,
                let cached = try await cached()
            else { return try await loader.response(for: request) }
            if policy == .revalidate || cached.isStale { next = .confirmed(cached.image) }
            return cached
        }

        private func cached() async throws(ImageLoaderError) -> ImageResponse? {
            var request = request
            request.readPolicy = .cachedOnly
            request.fallbacks = []
            do throws(ImageLoaderError) {
                let response = try await loader.response(for: request)
                return ImageResponse(
                    image: response.image, source: response.source, freshness: response.freshness,
                    staleReason: response.isStale ? .unconfirmed : nil, timings: response.timings)
            } catch .notCached {
                return nil
            }
        }

        private mutating func second(after image: DecodedImage) async throws(ImageLoaderError) -> ImageResponse? {
            next = .end
            var request = request
            request.readPolicy = .revalidate
            request.fallbacks = []
            let response = try await loader.response(for: request)
            // A cached image was confirmed, or the server failed.
            guard response.source == .network, !(await response.image.hasPixels(of: image)) else { return nil }
            return response
        }
    }
}

extension DecodedImage {
    /// Whether the pixels are the same. Not on the caller's actor, because large images take a while.
    @concurrent fileprivate func hasPixels(of other: DecodedImage) async -> Bool {
        animation == nil && other.animation == nil && bitmap == other.bitmap
    }
}
