/// The images of several requests, loaded a few at a time; see
/// ``ImageLoader/images(for:order:limit:)-([ImageRequest],_,_)``.
public struct ImageBatch: AsyncSequence, Sendable {
    public typealias Failure = Never

    /// The result of one of the loads.
    public struct Element: Sendable {
        /// The index of the request, from 0.
        public let index: Int
        /// The request that was loaded.
        public let request: ImageRequest
        /// The image, or the error that its load failed with.
        public let result: Result<ImageResponse, ImageLoaderError>
    }

    /// The order of the elements.
    public enum Order: String, Sendable, Hashable, CaseIterable {
        /// The order in which the loads end.
        case asLoaded
        /// The order of the requests.
        case asRequested
    }

    private let loader: ImageLoader
    private let requests: [ImageRequest]
    private let order: Order
    private let limit: Int

    init(_ loader: ImageLoader, _ requests: [ImageRequest], _ order: Order, limit: Int) {
        self.loader = loader
        self.requests = requests
        self.order = order
        precondition(limit > 0, "a batch loads at least one image at a time, not \(limit)")
        self.limit = limit
    }

    /// Creates an iterator. Loading begins when its first element is awaited.
    public func makeAsyncIterator() -> Iterator { Iterator(self) }

    /// Loads the elements of an ``ImageBatch``.
    public struct Iterator: AsyncIteratorProtocol {
        public typealias Failure = Never

        private let batch: ImageBatch
        private var begun = 0
        /// The loads whose results haven't been returned yet, by the index of their request.
        private(set) var loads: [Int: OwnedLoad] = [:]
        /// The indices of the loads that have ended, in the order of their ends. Unused for ``Order/asRequested``.
        private let ends = AsyncStream.makeStream(of: Int.self)

        fileprivate init(_ batch: ImageBatch) { self.batch = batch }

        /// Returns the next element; nil at the end, and when the calling Task is cancelled.
        public mutating func next() async -> Element? {
            while loads.count < batch.limit, begun < batch.requests.count, !Task.isCancelled { begin() }
            if let index = await nextEnd(), let result = loads.removeValue(forKey: index)?.task.result {
                return Element(index: index, request: batch.requests[index], result: result)
            }
            // Dropping the loads cancels them. Nothing follows the end, even if another Task continues to read.
            (begun, loads) = (batch.requests.count, [:])
            return nil
        }

        private mutating func begin() {
            let (index, ended) = (begun, ends.continuation)
            let load = OwnedLoad(batch.loader.imageTask(for: batch.requests[index]))
            loads[index] = load
            begun += 1
            if batch.order == .asLoaded { load.task.whenEnded { ended.yield(index) } }
        }

        /// Waits for the next load whose result is returned, and returns its index; nil at the end. If the calling Task
        /// is cancelled, that load may still be running.
        private func nextEnd() async -> Int? {
            guard !loads.isEmpty, !Task.isCancelled else { return nil }
            switch batch.order {
            case .asLoaded:
                for await index in ends.stream { return index }
                return nil
            case .asRequested:
                let index = begun - loads.count
                await loads[index]?.task.end()
                return index
            }
        }

        /// Returns the next element; nil at the end, and when the calling Task is cancelled.
        public mutating func next(isolation actor: isolated (any Actor)?) async throws(Never) -> Element? {
            await next()
        }
    }
}

extension ImageLoader {
    /// Returns the images of several requests as a sequence. A load that fails doesn't end the others.
    ///
    /// ```swift
    /// for await element in loader.images(for: requests) {
    ///     if case .success(let response) = element.result {
    ///         show(response.image, at: element.index)
    ///     }
    /// }
    /// ```
    ///
    /// At most `limit` images are being loaded or waiting to be read, so a slow reader delays the start of more.
    /// Nothing is loaded before the first element is awaited. When the sequence is dropped or the reading Task is
    /// cancelled, the running loads are cancelled.
    ///
    /// - Parameters:
    ///   - requests: The images to load. Equal requests share a load.
    ///   - order: The order of the elements. Default: the order in which the loads end.
    ///   - limit: The maximum number of images being loaded or waiting to be read. At least 1. Default: 12, the default
    ///     number of concurrent downloads.
    public func images(
        for requests: [ImageRequest], order: ImageBatch.Order = .asLoaded, limit: Int = 12
    ) -> ImageBatch {
        ImageBatch(self, requests, order, limit: limit)
    }

    /// Returns the images of several sources, such as URLs, as a sequence; see
    /// ``images(for:order:limit:)-([ImageRequest],_,_)``.
    public func images(
        for sources: some Sequence<some ImageRequestConvertible>, order: ImageBatch.Order = .asLoaded, limit: Int = 12
    ) -> ImageBatch {
        images(for: sources.map(\.imageRequest), order: order, limit: limit)
    }
}
