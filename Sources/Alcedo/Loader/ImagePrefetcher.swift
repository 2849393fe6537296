import Foundation
import Synchronization

/// Loads images before they are needed, such as those of the cells that come next.
///
/// ```swift
/// let prefetcher = ImagePrefetcher(loader)
/// prefetcher.start(urls)  // of cells that come near
/// prefetcher.stop(others)  // of cells that went away
/// ```
///
/// A few images are loaded at a time, in the order in which they were started, at a low priority: downloads of low
/// priority never take more than half of the slots, in total and of each host. A view that loads one of them joins its
/// load, which then has the view's priority.
///
/// All functions may be called from everywhere, don't suspend, and take effect in the order of their calls. An image
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

    /// The numbers of images that a prefetcher has loaded and has yet to load.
    public struct Progress: Sendable, Hashable {
        /// The images that were loaded.
        public internal(set) var finished = 0
        /// The images that needn't be loaded: those in memory, or on disk if that is the destination.
        public internal(set) var skipped = 0
        /// The images that couldn't be loaded.
        ///
        /// After transient failures, those that ``FailureLifetimes`` doesn't remember either, such as timeouts, lost
        /// connections and statuses from 500 on, an image is tried again when it is started again, and then counts
        /// again. `update(to:)` starts it again only if it was stopped or missing from a list in the meantime. A
        /// damaged image whose length the server didn't announce is tried again too, because it may be truncated. So
        /// are a body that isn't an image and a redirect that isn't followed, which may come from a network's login
        /// page; their server is asked again once ``FailureLifetimes`` permits it. Others, such as status 404, other
        /// damaged images and failing processors, aren't tried again before ``ImagePrefetcher/forgetFailures()`` or
        /// ``ImagePrefetcher/stopAll()``, even if they are stopped and started again. A thousand are remembered; with
        /// one more, the others are forgotten.
        public internal(set) var failed = 0
        /// All images that were started, without those that were stopped.
        public internal(set) var total = 0
        /// The bytes that the downloads of all loads have received, including those that were stopped.
        public internal(set) var receivedBytes = 0

        /// The images that are being loaded or wait.
        public var remaining: Int { total - finished - skipped - failed }
    }

    /// The outcome of an image's load.
    public struct Outcome: Sendable {
        /// The request as it was started.
        public let request: ImageRequest
        /// Where the image came from, or why it couldn't be loaded.
        public let result: Result<ImageSource, ImageLoaderError>
    }

    private let loader: ImageLoader
    private let destination: Destination
    /// The program's calls that the actor hasn't carried out yet, in order.
    private nonisolated let orders = Mutex<[@Sendable (isolated ImagePrefetcher) -> Void]>([])

    typealias List = PrefetchList<ImageKey, ImageRequest>

    private(set) var list: List
    private var loads: [UInt64: Load] = [:]
    private var loadPriority: RequestPriority
    private var isPaused = false
    private var isConstrained = false
    private var isInLowDataMode = false
    private let lowDataMode = LowDataMode()
    private(set) var observers: [Int: AsyncStream<Progress>.Continuation] = [:]
    private var observerCount = 0
    private var outcomeReaders: [UUID: AsyncStream<Outcome>.Continuation] = [:]
    /// The progress that the observers know.
    private var told = Progress()

    /// Creates a prefetcher. It loads nothing before the first call of `start` or `update`.
    ///
    /// - Parameters:
    ///   - loader: Loads the images. It is retained.
    ///   - destination: Where they are prefetched to. Default: memory.
    ///   - window: How many images are being loaded at a time; at least 1. Default: 12, as many as the downloads that
    ///     run at once.
    ///   - priority: That of the loads. Default: low. A higher one counts as low.
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

    /// Prefetches images, after those that were started before. Those that are already on the list, or have failed and
    /// would fail again, are left out; see ``Progress/failed``. Images are compared by their keys: of several URLs with
    /// one key, as a ``CacheKeyPolicy`` makes them, all are left out if one has failed.
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

    /// Stops prefetching images. Their loads end unless somebody else waits for them.
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

    /// Stops prefetching, and forgets what has failed.
    public nonisolated func stopAll() {
        soon { prefetcher in
            prefetcher.cancel(prefetcher.list.stopAll())
            prefetcher.goOn()
        }
    }

    /// Makes these the images to prefetch, in this order: those that aren't among them are stopped, the loads of the
    /// others go on, and what is new is started. An image that occurs again is left out.
    ///
    /// For a list that changes or is scrolled: pass what comes next, the nearest first. The same list again starts
    /// nothing: an image whose load has ended, even with a failure, isn't new until it has been stopped or missing
    /// from a list. `start` loads it again. So does `update(to:)` after ``forgetFailures()``, if it failed.
    public nonisolated func update(to requests: [ImageRequest]) {
        let keyed = keyed(requests)
        soon { prefetcher in
            prefetcher.cancel(prefetcher.list.update(to: keyed))
            prefetcher.goOn()
        }
    }

    /// Makes the images of these sources, such as URLs, the ones to prefetch; see ``update(to:)-([ImageRequest])``.
    public nonisolated func update(to sources: some Sequence<some ImageRequestConvertible>) {
        update(to: sources.map(\.imageRequest))
    }

    /// Lets images that failed be started again, also by an ``update(to:)-([ImageRequest])`` with the same list.
    public nonisolated func forgetFailures() { soon { $0.list.forgetFailures() } }

    // MARK: Pausing and priorities

    /// Begins no more loads until ``resume()``. Those that run go on.
    public nonisolated func pause() { soon { $0.hold { $0.isPaused = true } } }

    /// Goes on after ``pause()``.
    public nonisolated func resume() { soon { $0.hold { $0.isPaused = false } } }

    /// Says whether the network is constrained, for example because the user saves data. If it is, loads that run are
    /// cancelled and wait, and none begins. Initially it isn't.
    ///
    /// Call it when that changes. On Apple's systems, Low Data Mode constrains prefetching as well.
    public nonisolated func setConstrained(_ isConstrained: Bool) { constrain { $0.isConstrained = isConstrained } }

    private nonisolated func constrain(_ change: @escaping @Sendable (isolated ImagePrefetcher) -> Void) {
        soon { prefetcher in
            change(prefetcher)
            if prefetcher.isConstrained || prefetcher.isInLowDataMode { prefetcher.cancel(prefetcher.list.putBack()) }
            prefetcher.hold { _ in }
        }
    }

    /// Changes the priority of all loads. One above low counts as low.
    public nonisolated func setPriority(_ priority: RequestPriority) {
        soon { prefetcher in
            prefetcher.loadPriority = min(priority, .low)
            for load in prefetcher.loads.values { load.setPriority(prefetcher.loadPriority) }
        }
    }

    // MARK: Progress

    /// The progress now.
    public var progress: Progress {
        carryOutOrders()
        return list.progress
    }

    /// The progress now, and then whenever it has changed. Slow readers get only the latest. Ends when the prefetcher
    /// is released.
    public nonisolated var progressUpdates: AsyncStream<Progress> {
        let (stream, continuation) = AsyncStream.makeStream(of: Progress.self, bufferingPolicy: .bufferingNewest(1))
        soon { $0.add(continuation) }
        return stream
    }

    private func add(_ observer: AsyncStream<Progress>.Continuation) {
        observerCount += 1
        let id = observerCount
        observer.onTermination = { [weak self] _ in
            guard let self else { return }
            soon { $0.observers[id] = nil }
        }
        // One that has ended before this turn doesn't say so again.
        if case .terminated = observer.yield(list.progress) { return }
        observers[id] = observer
    }

    /// The outcome of each load that ends from now on, in order, except of those that are stopped. Outcomes that aren't
    /// read are kept. Ends when the prefetcher is released.
    public nonisolated var outcomes: AsyncStream<Outcome> {
        let (stream, continuation) = AsyncStream.makeStream(of: Outcome.self)
        let id = UUID()
        soon { $0.outcomeReaders[id] = continuation }
        // Orders are carried out in turn, so that a reader that ends at once isn't kept.
        continuation.onTermination = { [weak self] _ in self?.soon { $0.outcomeReaders[id] = nil } }
        return stream
    }

    // MARK: Orders

    /// Does `order` on the actor, after those that were given before.
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

    /// Begins what may begin.
    private func goOn() {
        for item in list.next() {
            var request = item.value
            request.priority = loadPriority
            let load = Load(request, destination, loader)
            loads[item.number] = load
            Task { [weak self] in
                let (result, end, bytes) = await load.end()
                await self?.end(item, result, end, bytes)
            }
        }
        guard told != list.progress else { return }
        told = list.progress
        for observer in observers.values { observer.yield(told) }
    }

    private func end(
        _ item: List.Item, _ result: Result<ImageSource, ImageLoaderError>?, _ end: List.End, _ bytes: Int
    ) {
        carryOutOrders()
        loads[item.number] = nil
        if list.end(item.key, item.number, end, bytes: bytes), let result, end != .dropped {
            for reader in outcomeReaders.values { reader.yield(Outcome(request: item.value, result: result)) }
        }
        goOn()
    }

    /// A load under way.
    private enum Load: Sendable {
        case image(LoadTask<ImageResponse>)
        case bytes(LoadTask<ImageSource>)

        init(_ request: ImageRequest, _ destination: Destination, _ loader: ImageLoader) {
            switch destination {
            case .memory: self = .image(loader.imageTask(for: request))
            case .disk: self = .bytes(loader.prefetchTask(for: request))
            }
        }

        func cancel() {
            switch self {
            case .image(let task): task.cancel()
            case .bytes(let task): task.cancel()
            }
        }

        func setPriority(_ priority: RequestPriority) {
            switch self {
            case .image(let task): task.priority = priority
            case .bytes(let task): task.priority = priority
            }
        }

        func end() async -> (result: Result<ImageSource, ImageLoaderError>?, end: List.End, bytes: Int) {
            switch self {
            case .image(let task):
                await task.end()
                let result = task.result?.map(\.source)
                return (result, Self.end(result, skipping: .memory, task.control), task.control.receivedBytes)
            case .bytes(let task):
                await task.end()
                return (task.result, Self.end(task.result, skipping: .disk, task.control), task.control.receivedBytes)
            }
        }

        private static func end(
            _ source: Result<ImageSource, ImageLoaderError>?, skipping: ImageSource, _ control: LoadControl
        ) -> List.End {
            switch source {
            case .success(let source): source == skipping ? .skipped : .finished
            case .failure(.cancelled), .failure(.closed), nil: .dropped
            case .failure(let error) where error.isTransient: .failedForNow
            // It may arrive complete the next time.
            case .failure(.corruptImage) where control.mayBeTruncated: .failedForNow
            // A network's login page may have answered in its place. The downloads remember that for a while.
            case .failure(.notAnImage), .failure(.redirectRefused): .failedForNow
            case .failure: .failed
            }
        }
    }
}
