/// The cached image of a request, followed by the server's image if it differs; see
/// ``ImageLoader/responses(for:)-(ImageRequest)``.
public struct ImageResponses: AsyncSequence, Sendable {
    public typealias Element = ImageResponse
    public typealias Failure = ImageLoaderError

    private let loader: ImageLoader
    private let request: ImageRequest

    init(_ loader: ImageLoader, _ request: ImageRequest) {
        self.loader = loader
        self.request = request
    }

    /// Creates an iterator that begins with the cached image.
    public func makeAsyncIterator() -> Iterator { Iterator(loader, request) }

    /// Loads the elements of ``ImageResponses``.
    public struct Iterator: AsyncIteratorProtocol {
        private enum Next {
            case cached
            case confirmed(DecodedImage)
            case loaded(OwnedLoad)
            case end
        }

        private let loader: ImageLoader
        private let request: ImageRequest
        private var next = Next.cached

        fileprivate init(_ loader: ImageLoader, _ request: ImageRequest) {
            self.loader = loader
            self.request = request
        }

        /// Returns the next image; nil at the end.
        ///
        /// - Throws: The errors of ``ImageLoader/image(for:)-(URL)``; ``ImageLoaderError/cancelled`` if the calling
        ///   Task is cancelled.
        public mutating func next() async throws(ImageLoaderError) -> ImageResponse? {
            switch next {
            case .cached: return try await first()
            case .confirmed(let image): return try await second(after: image)
            case .loaded(let load):
                next = .end
                return try await load.task.value
            case .end: return nil
            }
        }

        /// Returns the next image; nil at the end. See `next()`.
        public mutating func next(
            isolation actor: isolated (any Actor)?
        ) async throws(ImageLoaderError) -> ImageResponse? { try await next() }

        private mutating func first() async throws(ImageLoaderError) -> ImageResponse {
            next = .end
            let query = request.resolved(loader.path.policies).query
            let policy = query.policy
            guard policy == .http && query.directives.isEmpty || policy == .revalidate,
                let cached = try await cached()
            else { return try await loaded(policy) }
            if policy == .revalidate || cached.isStale { next = .confirmed(cached.image) }
            return cached
        }

        private mutating func loaded(_ policy: CacheReadPolicy) async throws(ImageLoaderError) -> ImageResponse {
            guard let url = request.lowResolution, request.region == nil, policy != .cachedOnly else {
                return try await loader.response(for: request)
            }
            let full = OwnedLoad(loader.imageTask(for: request))
            // A cached image needs no image in low resolution before it.
            guard await full.beginsDownload() else { return try await full.task.value }
            let fields = loader.path.downloads.settings.redirects.fieldsOfOrigin
            let low = OwnedLoad(loader.imageTask(for: request.fallingBack(to: url, without: fields)))
            await OwnedLoad.firstEnd(of: [low, full])
            guard full.task.result == nil, !Task.isCancelled, case .success(var response) = low.task.result else {
                return try await full.task.value
            }
            next = .loaded(full)
            response.isLowResolution = true
            return response
        }

        private func cached() async throws(ImageLoaderError) -> ImageResponse? {
            var request = request
            request.readPolicy = .cachedOnly
            request.fallbacks = []
            do throws(ImageLoaderError) {
                return try await loader.response(for: request).unconfirmed
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
            // A stale image has been returned already. The pixels are compared because another load may have stored the
            // new image, which then comes from a cache.
            guard !response.isStale, !(await loader.path.decoding.isSame(response.image, image)) else { return nil }
            return response
        }
    }
}
