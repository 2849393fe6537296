import Foundation
import Synchronization

/// Loads images before they are needed, such as those of the next cells.
///
/// ```swift
/// let prefetcher = ImagePrefetcher(loader)
/// prefetcher.start(urls)  // of cells that come near
/// prefetcher.stop(others)  // of cells that went away
/// ```
///
/// A few images are loaded at a time, in the order in which they were started, at a low priority. Downloads of low
/// priority never take more than half of the slots, in total and of each host. A view that loads one of these images
/// joins its load, which then gets the view's priority.
///
/// All functions may be called from any isolation, don't suspend, and take effect in the order of their calls. An image
/// whose load hasn't begun when `stop` is called isn't requested. When the prefetcher is released, its loads are
/// cancelled.
public actor ImagePrefetcher {
    /// The cache that images are prefetched to.
    public enum Destination: String, Sendable, Hashable, CaseIterable {
        /// Images are loaded, decoded and stored as for ``ImageLoader/image(for:)-(URL)``.
        case memory
        /// The images' bytes are loaded and stored on disk, and not decoded; see
        /// ``ImageLoader/dataResponse(for:)-(ImageRequest)``. Fresh bytes on disk count as used and aren't read.
        case disk
    }

    /// The number of images that a prefetcher has loaded, and of those yet to load.
    public struct Progress: Sendable, Hashable {
        /// The images that were loaded.
        public internal(set) var finished = 0
        /// The images that needn't be loaded: those in memory, or on disk if that is the destination.
        public internal(set) var skipped = 0
        /// The images that couldn't be loaded.
        ///
        /// An image whose load failed may be tried again when it is started again, and then counts again. That applies
        /// to transient failures that ``FailureLifetimes`` doesn't remember either, such as timeouts, lost connections
        /// and statuses of 500 and above. It also applies to a damaged image whose length the server didn't announce,
        /// because it may be truncated, and to a body that isn't an image or a redirect that isn't followed, because
        /// they may come from a network's login page; for these two, the server is asked again once
        /// ``FailureLifetimes`` permits it. `update(to:)` starts such an image again only if it was stopped or missing
        /// from a list in the meantime.
        ///
        /// Other failures, such as status 404, other damaged images and failing processors, aren't tried again before
        /// ``ImagePrefetcher/forgetFailures()`` or ``ImagePrefetcher/stopAll()``, even if the image is stopped and
        /// started again. Up to a thousand of these failures are remembered; one more, and the others are forgotten.
        public internal(set) var failed = 0
        /// All images that were started and not stopped.
        public internal(set) var total = 0
        /// The number of bytes that the downloads of all loads have received, including stopped loads.
        public internal(set) var receivedBytes = 0

        /// The images that are being loaded or waiting.
        public var remaining: Int { total - finished - skipped - failed }
    }

    /// The outcome of an image's load.
    public struct Outcome: Sendable {
        /// The request as it was started.
        public let request: ImageRequest
        /// The source of the image, or the error of its load.
        public let result: Result<ImageSource, ImageLoaderError>
    }

    private let loader: ImageLoader
    private let destination: Destination
    /// The program's calls and the ends of loads that the actor hasn't handled yet, in order.
    private nonisolated let orders = Mutex<[@Sendable (isolated ImagePrefetcher) -> Void]>([])

    typealias List = PrefetchList<ImageKey, ImageRequest>

    private(set) var list: List
    private var loads: [UInt64: Load] = [:]
    private var loadPriority: RequestPriority
    private var isPaused = false
    private var isConstrained = false
    private var isInLowDataMode = false
    private let lowDataMode = LowDataMode()
    private(set) var observers: [UUID: AsyncStream<Progress>.Continuation] = [:]
    private var outcomeReaders: [UUID: AsyncStream<Outcome>.Continuation] = [:]
    /// The progress that was last sent to the observers.
    private var told = Progress()

    /// Creates a prefetcher. It loads nothing before the first call of `start` or `update`.
    ///
    /// - Parameters:
    ///   - loader: The loader of the images. It is retained.
    ///   - destination: The cache to prefetch to. Default: memory.
    ///   - window: The maximum number of images loaded at a time; at least 1. Default: 12, the default number of
    ///     concurrent downloads.
    ///   - priority: The priority of the loads. Default: low. A higher priority counts as low.
    public init(
        _ loader: ImageLoader, destination: Destination = .memory, window: Int = 12,
        priority: RequestPriority = .low
    ) {
        precondition(window > 0, "a prefetcher loads at least one image at a time, not \(window)")
        self.loader = loader
        self.destination = destination
        loadPriority = min(priority, .low)
        list = PrefetchList(window: window)
        lowDataMode.observe { [weak self] isOn in self?.constrain { $0.isInLowDataMode = isOn } }
    }

    deinit {
        for load in loads.values { load.cancel() }
        for observer in observers.values { observer.finish() }
        for reader in outcomeReaders.values { reader.finish() }
    }

    // MARK: The list

    /// Prefetches images, after those that were started earlier. Images that are already on the list, or have failed
    /// and would fail again, are left out; see ``Progress/failed``. Images are compared by their keys: if a
    /// ``CacheKeyPolicy`` gives several URLs the same key, all of them are left out once one has failed.
    public nonisolated func start(_ requests: [ImageRequest]) {
        let keyed = keyed(requests)
        soon { prefetcher in
            for (key, request) in keyed { prefetcher.list.add(key, request) }
            prefetcher.goOn()
        }
    }

    /// Prefetches the images of these sources, such as URLs; see ``start(_:)-([ImageRequest])``.
    public nonisolated func start(_ sources: some Sequence<some ImageRequestConvertible>) {
        start(sources.map(\.imageRequest))
    }

    /// Stops prefetching images. Their loads end unless other callers wait for them.
    public nonisolated func stop(_ requests: [ImageRequest]) {
        let keys = requests.map { loader.key(for: $0) }
        soon { prefetcher in
            prefetcher.cancel(prefetcher.list.stop(keys))
            prefetcher.goOn()
        }
    }

    /// Stops prefetching the images of these sources, such as URLs; see ``stop(_:)-([ImageRequest])``.
    public nonisolated func stop(_ sources: some Sequence<some ImageRequestConvertible>) {
        stop(sources.map(\.imageRequest))
    }

    /// Stops prefetching all images, and forgets failures.
    public nonisolated func stopAll() {
        soon { prefetcher in
            prefetcher.cancel(prefetcher.list.stopAll())
            prefetcher.goOn()
        }
    }

    /// Replaces the list of images to prefetch. Images that aren't on the new list are stopped, the loads of the others
    /// continue, and new images are started, in the order of the list. Duplicates are left out.
    ///
    /// Use this for a list that changes or is scrolled: pass the images that come next, the nearest first. Passing the
    /// same list again starts nothing: an image whose load has ended, even with a failure, isn't new until it has been
    /// stopped or missing from a list. `start` loads it again. After ``forgetFailures()``, `update(to:)` also loads it
    /// again if it failed.
    public nonisolated func update(to requests: [ImageRequest]) {
        let keyed = keyed(requests)
        soon { prefetcher in
            prefetcher.cancel(prefetcher.list.update(to: keyed))
            prefetcher.goOn()
        }
    }

    /// Replaces the list of images to prefetch by those of these sources, such as URLs; see
    /// ``update(to:)-([ImageRequest])``.
    public nonisolated func update(to sources: some Sequence<some ImageRequestConvertible>) {
        update(to: sources.map(\.imageRequest))
    }

    /// Forgets failed images, so that they can be started again, even by an ``update(to:)-([ImageRequest])`` with the
    /// same list.
    public nonisolated func forgetFailures() { soon { $0.list.forgetFailures() } }

    // MARK: Pausing and priorities

    /// Begins no more loads until ``resume()``. Running loads continue.
    public nonisolated func pause() { soon { $0.hold { $0.isPaused = true } } }

    /// Continues prefetching after ``pause()``.
    public nonisolated func resume() { soon { $0.hold { $0.isPaused = false } } }

    /// Sets whether the network is constrained, for example because the user wants to save data. On a constrained
    /// network, running loads are cancelled and wait again, and none begins. Initially false.
    ///
    /// Call this whenever the state changes. On Apple's systems, Low Data Mode constrains prefetching too.
    public nonisolated func setConstrained(_ isConstrained: Bool) { constrain { $0.isConstrained = isConstrained } }

    private nonisolated func constrain(_ change: @escaping @Sendable (isolated ImagePrefetcher) -> Void) {
        soon { prefetcher in
            change(prefetcher)
            if prefetcher.isConstrained || prefetcher.isInLowDataMode { prefetcher.cancel(prefetcher.list.putBack()) }
            prefetcher.hold { _ in }
        }
    }

    /// Changes the priority of all loads. A priority above low counts as low.
    public nonisolated func setPriority(_ priority: RequestPriority) {
        soon { prefetcher in
            prefetcher.loadPriority = min(priority, .low)
            for load in prefetcher.loads.values { load.control.setPriority(prefetcher.loadPriority) }
        }
    }

    // MARK: Progress

    /// The current progress.
    public var progress: Progress {
        carryOutOrders()
        return list.progress
    }

    /// The current progress, and then each change. Slow readers get only the latest value. Ends when the prefetcher is
    /// released.
    public nonisolated var progressUpdates: AsyncStream<Progress> {
        let (stream, continuation) = AsyncStream.makeStream(of: Progress.self, bufferingPolicy: .bufferingNewest(1))
        let id = UUID()
        soon {
            $0.observers[id] = continuation
            continuation.yield($0.list.progress)
        }
        // Orders are carried out in sequence, so a reader that ends immediately is removed after it was added.
        continuation.onTermination = { [weak self] _ in self?.soon { $0.observers[id] = nil } }
        return stream
    }

    /// The outcome of each load that ends from now on, in order, except for loads that are stopped. Outcomes are kept
    /// until they are read. Ends when the prefetcher is released.
    public nonisolated var outcomes: AsyncStream<Outcome> {
        let (stream, continuation) = AsyncStream.makeStream(of: Outcome.self)
        let id = UUID()
        soon { $0.outcomeReaders[id] = continuation }
        continuation.onTermination = { [weak self] _ in self?.soon { $0.outcomeReaders[id] = nil } }
        return stream
    }

    // MARK: Orders

    /// Carries out `order` on the actor, after all earlier orders.
    private nonisolated func soon(_ order: @escaping @Sendable (isolated ImagePrefetcher) -> Void) {
        let isFirst = orders.withLock { orders in
            orders.append(order)
            return orders.count == 1
        }
        if isFirst { Task.detached { await self.carryOutOrders() } }
    }

    private func carryOutOrders() {
        for order in orders.withLock({ exchange(&$0, with: []) }) { order(self) }
    }

    // MARK: Loads

    private nonisolated func keyed(_ requests: [ImageRequest]) -> [(ImageKey, ImageRequest)] {
        requests.map { (loader.key(for: $0), $0) }
    }

    private func hold(_ change: (isolated ImagePrefetcher) -> Void) {
        change(self)
        list.isHeld = isPaused || isConstrained || isInLowDataMode
        goOn()
    }

    private func cancel(_ numbers: [UInt64]) {
        for number in numbers { loads.removeValue(forKey: number)?.cancel() }
    }

    /// Begins the loads that may begin, and reports progress.
    private func goOn() {
        for item in list.next() {
            var request = item.value
            request.priority = loadPriority
            loads[item.number] = Load(request, destination, loader) { [weak self] result, end, bytes in
                self?.soon { $0.end(item, result, end, bytes) }
            }
        }
        guard told != list.progress else { return }
        told = list.progress
        for observer in observers.values { observer.yield(told) }
    }

    private func end(
        _ item: List.Item, _ result: Result<ImageSource, ImageLoaderError>?, _ end: List.End, _ bytes: Int
    ) {
        loads[item.number] = nil
        if list.end(item.key, item.number, end, bytes: bytes), let result, end != .dropped {
            for reader in outcomeReaders.values { reader.yield(Outcome(request: item.value, result: result)) }
        }
        goOn()
    }

    /// A running load.
    private struct Load: Sendable {
        typealias WhenEnded = @Sendable (Result<ImageSource, ImageLoaderError>?, List.End, _ bytes: Int) -> Void

        let control: LoadControl
        let cancel: @Sendable () -> Void

        init(
            _ request: ImageRequest, _ destination: Destination, _ loader: ImageLoader,
            whenEnded act: @escaping WhenEnded
        ) {
            switch destination {
            case .memory: self.init(loader.imageTask(for: request), skipping: .memory, { $0.source }, act)
            case .disk: self.init(loader.prefetchTask(for: request), skipping: .disk, { $0 }, act)
            }
        }

        private init<Value>(
            _ task: LoadTask<Value>, skipping: ImageSource, _ source: @escaping @Sendable (Value) -> ImageSource,
            _ act: @escaping WhenEnded
        ) {
            (control, cancel) = (task.control, { task.cancel() })
            task.whenEnded {
                let result = task.result?.map(source)
                act(result, Self.end(result, skipping: skipping, task.control), task.control.receivedBytes)
            }
        }

        private static func end(
            _ source: Result<ImageSource, ImageLoaderError>?, skipping: ImageSource, _ control: LoadControl
        ) -> List.End {
            switch source {
            case .success(let source): source == skipping ? .skipped : .finished
            case .failure(.cancelled), .failure(.closed), nil: .dropped
            case .failure(let error) where error.isTransient: .failedForNow
            // The image may arrive complete the next time.
            case .failure(.corruptImage) where control.mayBeTruncated: .failedForNow
            // A network's login page may have been sent instead. The coordinator remembers that for a while.
            case .failure(.notAnImage), .failure(.redirectRefused): .failedForNow
            case .failure: .failed
            }
        }
    }
}
