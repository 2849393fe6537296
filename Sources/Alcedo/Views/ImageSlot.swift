public import Foundation
public import Observation

/// What a view shows: the picture of one request at a time, from the placeholder to the loaded image.
///
/// ```swift
/// let slot = ImageSlot(loader)
/// slot.load(url)  // again for each new picture: a reused cell needs nothing else
/// slot.onChange = { slot in draw(slot.shown.picture) }
/// ```
///
/// An image in memory is there when ``load(_:placeholder:)-(ImageRequest?,_)`` returns. Otherwise the slot shows a
/// placeholder while it loads, and previews if ``Settings/showsPreviews`` is set. A new load ends the previous one, and
/// nothing of that one is shown any more. When the slot is released, its load is cancelled.
///
/// ``phase`` and ``shown`` are observable, so a view that reads them is updated. Code without Observation uses
/// ``onChange``.
@MainActor @Observable
public final class ImageSlot {
    /// Loads the images.
    public let loader: ImageLoader
    /// What to show besides the image, and how to load it. Changes apply to loads that begin later.
    @ObservationIgnored public var settings: Settings {
        get { currentSettings.values }
        set { currentSettings = SlotSettings(newValue) }
    }
    /// Called after each change of ``phase`` or ``shown``. Default: nil.
    @ObservationIgnored public var onChange: (@MainActor (ImageSlot) -> Void)?

    @ObservationIgnored private var currentSettings: SlotSettings
    /// All that can be observed, so that each change is one notification.
    private var state: SlotState
    /// That of the last call of ``load(_:placeholder:)-(ImageRequest?,_)``.
    @ObservationIgnored private var placeholder: Placeholder?
    @ObservationIgnored private let time: TimeSource
    /// The handles of the running loads, and the Tasks that follow them.
    @ObservationIgnored private var loads: [LoadTask<ImageResponse>] = []
    @ObservationIgnored private var followers: [Task<Void, Never>] = []
    @ObservationIgnored private var alarm: (due: Duration, task: Task<Void, Never>)?

    /// Creates an empty slot.
    ///
    /// - Parameters:
    ///   - loader: Loads the images. It is retained.
    ///   - settings: What to show besides the image, and how to load it.
    ///   - clock: Measures ``Settings/placeholderDelay`` and ``Settings/minimumInterval``.
    public init(
        _ loader: ImageLoader = .shared, settings: Settings = Settings(),
        clock: any Clock<Duration> = ContinuousClock()
    ) {
        self.loader = loader
        currentSettings = SlotSettings(settings)
        state = SlotState(currentSettings)
        time = TimeSource(clock)
    }

    deinit {
        for load in loads { load.cancel() }
        for follower in followers { follower.cancel() }
        alarm?.task.cancel()
    }

    // MARK: State

    /// The request whose picture the slot shows or loads; nil if it is empty.
    public var request: ImageRequest? { state.request }

    /// How far the load is.
    public var phase: Phase { state.phase }

    /// The picture to draw.
    public var shown: Shown { state.shown }

    /// Whether an image is being loaded, which may be a better one than the one shown.
    public var isLoading: Bool { state.isLoading }

    /// Whether the slot is on the screen, or about to be. Decides the priority of its load. Default: true.
    @ObservationIgnored public var isVisible = true {
        didSet {
            guard isVisible != oldValue else { return }
            for load in loads { load.priority = priority }
        }
    }

    private var priority: RequestPriority {
        isVisible ? request?.priority ?? .normal : settings.hiddenPriority
    }

    // MARK: Loading

    /// Loads and shows the image of `request`, in place of the previous one. An image in memory is shown at once.
    ///
    /// Does nothing if the slot shows that image already or is loading it. A load of it that has failed is tried again.
    ///
    /// - Parameters:
    ///   - request: The image to load; nil to empty the slot.
    ///   - placeholder: Shown until there is a picture. Default: ``Settings/placeholder``.
    public func load(_ request: ImageRequest?, placeholder: Placeholder? = nil) {
        guard let request else { return clear() }
        let isSame = request == state.request
        if isSame, state.isLoading || state.phase.response != nil { return setPriority(request.priority) }
        self.placeholder = placeholder
        let hasFailed = isSame && state.phase.error != nil
        begin(request, sending: hasFailed ? request.retryingFailed : request, keepsPicture: isSame)
    }

    /// Loads and shows the image at `url`; see ``load(_:placeholder:)-(ImageRequest?,_)``.
    public func load(_ url: URL?, placeholder: Placeholder? = nil) {
        load(url.map { ImageRequest(url: $0) }, placeholder: placeholder)
    }

    /// Ends the load. What is shown stays. Nothing is requested any more, unless others wait for the same image.
    public func cancel() {
        endLoads()
        change { $0.cancel() }
    }

    /// Loads the image again, and keeps the picture until then. Does nothing in an empty slot.
    ///
    /// After a failure, the load is tried again even if the failure is remembered. Otherwise the server is asked
    /// whether the image has changed; see ``CacheReadPolicy/revalidate``.
    public func reload() {
        guard let request = state.request else { return }
        var sent = request
        if state.phase.error != nil {
            sent = request.retryingFailed
        } else if request.readPolicy != .cachedOnly {
            sent.readPolicy = .revalidate
        }
        begin(request, sending: sent, keepsPicture: true)
    }

    private func clear() {
        guard state.request != nil else { return }
        endLoads()
        state.clear()
        notify()
    }

    private func setPriority(_ priority: RequestPriority) {
        guard priority != state.request?.priority else { return }
        state.setPriority(priority)
        for load in loads { load.priority = self.priority }
    }

    /// - Parameter sent: The request with the policies of this load.
    private func begin(_ request: ImageRequest, sending sent: ImageRequest, keepsPicture: Bool) {
        endLoads()
        var cached = loader.memoryResponse(for: sent)
        let isComplete = cached != nil
        if cached == nil, currentSettings.values.showsStale, sent.readPolicy != .reload {
            cached = loader.cachedResponse(for: sent)
        }
        state.begin(
            request, currentSettings, placeholder: placeholder, cached: cached, isComplete: isComplete,
            keepsPicture: keepsPicture, at: currentSettings.usesTime ? time.now() : .zero)
        notify()
        // The program may have started another load in onChange.
        guard state.isLoading, loads.isEmpty, followers.isEmpty else { return }
        var sent = sent
        sent.priority = priority
        if cached == nil, settings.showsStale || sent.lowResolution != nil {
            loadSeveral(sent, state.generation)
        } else {
            load(sent, state.generation)
        }
    }

    private func load(_ request: ImageRequest, _ generation: UInt64) {
        let load = loader.imageTask(for: request)
        follow(load, generation) { slot in
            // The load has ended, as its events have.
            switch load.result {
            case .success(let response): slot.take(response, isLast: true, generation)
            case .failure(let error): slot.end(error, generation)
            case nil: break
            }
        }
    }

    /// Loads an image before which another one may come: a stale one, or one of low resolution.
    private func loadSeveral(_ request: ImageRequest, _ generation: UInt64) {
        let responses = loader.responses(for: request)
        followers.append(
            Task { [weak self] in
                var iterator = responses.makeAsyncIterator()
                iterator.onLoad = { [weak self] load in self?.follow(load, generation) { _ in } }
                do throws(ImageLoaderError) {
                    while let response = try await iterator.next() {
                        let isLast = !response.isStale && !response.isLowResolution
                        guard let self, take(response, isLast: isLast, generation) else { return }
                    }
                    self?.endConfirmed(request, generation)
                } catch {
                    self?.end(error, generation)
                }
            })
    }

    /// Follows the progress of a load until it ends.
    private func follow(
        _ load: LoadTask<ImageResponse>, _ generation: UInt64, _ end: @escaping @MainActor (ImageSlot) -> Void
    ) {
        guard generation == state.generation else { return load.cancel() }
        loads.append(load)
        followers.append(
            Task { [weak self] in
                for await case .progress(let received, let expected) in load.events {
                    self?.change { $0.receive(received, of: expected, generation) }
                }
                if !Task.isCancelled, let self { end(self) }
            })
        guard settings.showsPreviews else { return }
        followers.append(
            Task { [weak self] in
                for await preview in load.previews { self?.take(preview, generation) }
            })
    }

    private func take(_ preview: ImagePreview, _ generation: UInt64) {
        change { $0.preview(preview, generation, at: time.now()) }
    }

    @discardableResult
    private func take(_ response: ImageResponse, isLast: Bool, _ generation: UInt64) -> Bool {
        let isCurrent = generation == state.generation
        if isCurrent, isLast { forgetLoads() }
        change { $0.succeed(response, isLast: isLast, generation, at: time.now()) }
        return isCurrent && !isLast
    }

    /// The sequence has ended after a stale image, which may have been confirmed.
    private func endConfirmed(_ request: ImageRequest, _ generation: UInt64) {
        if let response = loader.memoryResponse(for: request) {
            take(response, isLast: true, generation)
        } else {
            end(nil, generation)
        }
    }

    private func end(_ error: ImageLoaderError?, _ generation: UInt64) {
        guard generation == state.generation else { return }
        forgetLoads()
        if let error, error.isConnectionFailure { settings.connectivity?.add(self) }
        change { $0.end(error, generation, at: time.now()) }
    }

    private func endLoads() {
        if loads.isEmpty, followers.isEmpty { return }
        for load in loads { load.cancel() }
        for follower in followers { follower.cancel() }
        forgetLoads()
    }

    private func forgetLoads() {
        loads = []
        followers = []
    }

    // MARK: Changes

    /// Applies an event that may change nothing.
    private func change(_ event: (inout SlotState) -> Bool) {
        var next = state
        guard event(&next) else { return }
        state = next
        notify()
    }

    private func notify() {
        setAlarm()
        onChange?(self)
    }

    private func setAlarm() {
        guard state.wakeTime != alarm?.due else { return }
        alarm?.task.cancel()
        alarm = state.wakeTime.map { due in
            let task = Task { [weak self, time] in
                if await time.sleep(for: due - time.now()) { self?.wake(due) }
            }
            return (due, task)
        }
    }

    private func wake(_ due: Duration) {
        guard alarm?.due == due else { return }
        alarm = nil
        change { $0.wake(at: due) }
    }

    /// Retries what has failed for want of a connection.
    func connectivityReturned() {
        if state.phase.error?.isConnectionFailure == true { reload() }
    }
}

extension ImageLoaderError {
    /// Whether the load may succeed once there is a connection again.
    fileprivate var isConnectionFailure: Bool { kind == .connectionFailed || kind == .timedOut }
}

extension ImageRequest {
    fileprivate var retryingFailed: ImageRequest {
        var request = self
        request.retriesFailed = true
        return request
    }
}
