/// A load that runs by itself, with a handle to follow it, to change its priority and to cancel it.
///
/// ``ImageLoader/image(for:)-(URL)`` needs none; this is for who wants to know how far a download has come, or learns
/// later how urgent it is. To drop the handle does not cancel the load.
public final class LoadTask<Value: Sendable>: Sendable {
    /// What is loaded.
    public let request: ImageRequest

    let control: LoadControl
    private let previewMakers: WeakPreviewMakers
    private let task: Task<Result<Value, ImageLoaderError>, Never>

    /// - Parameters:
    ///   - arrival: where `loader` has announced the load.
    ///   - load: what the handle's Task does.
    init(
        _ request: ImageRequest, _ arrival: Arrival, on loader: ImageLoader, previews: PreviewMakers? = nil,
        load: @escaping @Sendable (LoadControl) async throws(ImageLoaderError) -> Value
    ) {
        let control = LoadControl(priority: request.priority, arrival: arrival)
        self.request = request
        self.control = control
        previewMakers = WeakPreviewMakers(makers: previews)
        task = Task {
            defer { control.finish() }
            let result: Result<Value, ImageLoaderError>
            do throws(ImageLoaderError) {
                result = .success(try await load(control))
            } catch {
                result = .failure(error)
            }
            await loader.path.withdraw(arrival)
            return result
        }
    }

    /// What was loaded, as soon as it is there; may be asked for any number of times.
    ///
    /// To cancel a Task that waits for it cancels the load.
    /// - Throws: what the load ended with.
    public var value: Value {
        get async throws(ImageLoaderError) {
            let result = await withTaskCancellationHandler {
                await task.value
            } onCancel: {
                task.cancel()
            }
            return try result.get()
        }
    }

    /// How urgent it is; the request's at first. Of all who wait for one download the highest counts, also while it
    /// waits for its turn. Does not suspend.
    public var priority: RequestPriority {
        get { control.priority }
        set { control.setPriority(newValue) }
    }

    /// Ends the load; when nobody else waits for the download, its connection is closed. Does nothing after its end.
    public func cancel() { task.cancel() }

    /// What happens to the downloads of this load, in order, until its end; from a cache or a file there is none.
    ///
    /// Each sequence tells all of it, a late one from the present state on. Of progress that is not read in time only
    /// the newest is told; the end always is.
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
    /// The picture as it comes, while it is downloaded: nothing for one from a cache or a file.
    ///
    /// Made only while somebody reads them, on the threads that decode and only while those have nothing else to do;
    /// the newest each time, so a reader that takes its time misses some. The sequence ends with the load, and when the
    /// calling Task is cancelled. Several may be read at once; those of loads that share a picture are made once.
    public var previews: ImagePreviews { ImagePreviews(request, control, previewMakers) }

    /// The picture, as soon as it is there; see ``value``.
    public var image: DecodedImage {
        get async throws(ImageLoaderError) { try await value.image }
    }
}
