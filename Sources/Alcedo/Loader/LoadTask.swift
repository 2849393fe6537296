import Synchronization

/// A handle to follow a running load, change its priority or cancel it.
///
/// ``ImageLoader/image(for:)-(URL)`` needs no handle. Use one to follow a download's progress, or to change the
/// priority later. Dropping the handle doesn't cancel the load.
public final class LoadTask<Value: Sendable>: Sendable {
    /// The request being loaded.
    public let request: ImageRequest

    let control: LoadControl
    /// The handle may outlive the load and its loader.
    private weak let previewMakers: PreviewMakers?
    private let shared: Shared

    /// The work that loads the value.
    private enum Work {
        case task(Task<Void, Never>)
        /// A caller that waits for a flight, without a Task.
        case caller(ImageFlights.Caller, ImageFlights)
    }

    /// The state that the handle and its work share, because the work begins before the handle is created.
    private final class Shared: Sendable {
        typealias Outcome = Result<Value, ImageLoaderError>

        private struct State {
            var outcome: Outcome?
            /// Called when the load ends.
            var readers: [Int: @Sendable () -> Void] = [:]
            var lastReader = 0
            /// Nil once the load has ended, so that a handle doesn't retain the loader's owners after that.
            var work: Work?
        }

        private let state = Mutex(State())

        var outcome: Outcome? { state.withLock { $0.outcome } }

        func begin(_ work: Work) { state.withLock { if $0.outcome == nil { $0.work = work } } }

        func cancel(_ control: LoadControl) {
            switch state.withLock({ $0.work }) {
            case .caller(let caller, let flights): flights.leave(caller)
            case .task(let task):
                task.cancel()
                // The Task may take some time to end.
                end(.failure(.cancelled), control)
            case nil: break
            }
        }

        /// Ends the load, unless it has already ended.
        func end(_ outcome: Outcome, _ control: LoadControl) {
            let before = state.withLock { $0.outcome == nil ? exchange(&$0, with: State(outcome: outcome)) : $0 }
            if before.outcome != nil { return }
            control.finish()
            for (_, read) in before.readers.sorted(by: { $0.key < $1.key }) { read() }
        }

        @discardableResult
        func whenEnded(_ act: @escaping @Sendable () -> Void) -> Int? {
            let reader: Int? = state.withLock { state in
                if state.outcome != nil { return nil }
                state.lastReader += 1
                state.readers[state.lastReader] = act
                return state.lastReader
            }
            if reader == nil { act() }
            return reader
        }

        /// Waits for the end on the caller's actor; see ``Promise/value(isolation:after:onCancel:)``.
        func end(
            isolation: isolated (any Actor)? = #isolation, onCancel: @Sendable (Promise<Void>) -> Void
        ) async {
            let promise = Promise<Void>()
            var reader: Int?
            await promise.value(after: { reader = whenEnded { promise.end(()) } }) { onCancel(promise) }
            // A wait that was cancelled must not stay until the load ends.
            if let reader { _ = state.withLock { $0.readers.removeValue(forKey: reader) } }
        }
    }

    private init(_ request: ImageRequest, _ control: LoadControl, _ shared: Shared, _ previews: PreviewMakers?) {
        self.request = request
        self.control = control
        self.shared = shared
        previewMakers = previews
    }

    convenience init(
        _ request: ImageRequest, on loader: ImageLoader, previews: PreviewMakers? = nil,
        revalidates: Bool = false,
        load: @escaping @Sendable (LoadControl) async throws(ImageLoaderError) -> Value
    ) {
        let control = LoadControl(
            priority: request.priority, loader: loader.path.identity, revalidates: revalidates)
        let shared = Shared()
        let cancellations = loader.path.cancellationCount
        loader.path.hold(request, for: control)
        let task = Task {
            let result: Result<Value, ImageLoaderError>
            do throws(ImageLoaderError) {
                // All loads may have been cancelled before the Task began.
                if loader.path.cancellationCount != cancellations { throw .cancelled }
                result = .success(try await load(control))
            } catch {
                result = .failure(error)
            }
            shared.end(result, control)
        }
        shared.begin(.task(task))
        self.init(request, control, shared, previews)
    }

    /// Identifies the load in the loader's events.
    public var id: LoadID { control.id }

    /// The result of the load; nil while it runs. An image in memory is available immediately, and so is the error
    /// after ``cancel()``. Doesn't suspend.
    public var result: Result<Value, ImageLoaderError>? { shared.outcome }

    /// The loaded value. Suspends until the load ends, and may be read any number of times.
    ///
    /// Cancelling a Task that waits for it cancels the load; to wait without that, use ``end()``.
    /// - Throws: The error that the load failed with.
    public var value: Value {
        get async throws(ImageLoaderError) {
            await shared.end { _ in cancel() }
            return try (shared.outcome ?? .failure(.cancelled)).get()
        }
    }

    /// Waits until the load has ended, with or without success. Cancelling the calling Task ends the wait, but not the
    /// load.
    public func end() async {
        await shared.end { $0.end(()) }
    }

    /// Calls `act` when the load ends, on the thread that ends it, or immediately if it has ended. Needs no Task.
    func whenEnded(_ act: @escaping @Sendable () -> Void) { shared.whenEnded(act) }

    /// The priority of the load; initially that of its request. A download has the highest priority of its waiters,
    /// even while it waits for a slot. Doesn't suspend.
    public var priority: RequestPriority {
        get { control.priority }
        set { control.setPriority(newValue) }
    }

    /// Cancels the load. If no other caller waits for the download, its connection is closed. Does nothing once the
    /// load has ended.
    public func cancel() {
        shared.cancel(control)
    }

    /// The events of this load's downloads, in order, until the load ends. Empty for a load from a cache or a file.
    ///
    /// Each sequence delivers all events; one that is created late starts with the current state. If progress isn't
    /// read in time, only the latest value is delivered. The end is always delivered.
    public var events: Events { Events(control: control) }

    /// The events of a ``LoadTask``.
    public struct Events: AsyncSequence, Sendable {
        fileprivate let control: LoadControl

        public func makeAsyncIterator() -> Iterator { Iterator(control: control) }

        /// Reads the events of a ``LoadTask``.
        public struct Iterator: AsyncIteratorProtocol {
            fileprivate let control: LoadControl
            private var cursor = DownloadProgress.Cursor()

            fileprivate init(control: LoadControl) { self.control = control }

            /// The next event; nil at the end, and when the calling Task is cancelled.
            public mutating func next() async -> DownloadEvent? { await control.next(after: &cursor) }

            public mutating func next(
                isolation actor: isolated (any Actor)?
            ) async throws(Never) -> DownloadEvent? {
                await control.next(after: &cursor)
            }
        }
    }
}

extension LoadTask<ImageResponse> {
    /// Creates the handle of a load that needs no Task, because its outcome is known or a single flight can answer it.
    convenience init(
        _ request: ImageRequest, _ known: LoadPath.Outcome?, since start: Duration, on loader: ImageLoader,
        revalidates: Bool
    ) {
        let shared = Shared()
        // This closure retains the loader until the load ends.
        let (caller, control) = loader.path.begin(request, known, revalidates: revalidates) { result, control in
            shared.end(result.map { loader.response($0, to: request, since: start) }, control)
        }
        shared.begin(.caller(caller, loader.path.flights))
        self.init(request, control, shared, loader.path.previews)
    }

    /// Previews of the image while it is downloaded. Empty for an image from a cache or a file.
    ///
    /// Previews are made only while they are read, on the decoding threads and only while those are idle. Each preview
    /// is the latest one, so a slow reader misses some. The sequence ends with the load, and when the calling Task is
    /// cancelled. Several sequences may be read at once; loads that share an image share its previews.
    public var previews: ImagePreviews { ImagePreviews(request, control, previewMakers) }

    /// The loaded image. Suspends until the load ends; see ``value``.
    public var image: DecodedImage {
        get async throws(ImageLoaderError) { try await value.image }
    }
}
