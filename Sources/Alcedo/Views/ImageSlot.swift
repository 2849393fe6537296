public import Observation

/// Provides the content of a view: the placeholder, the previews and the image of one request at a time.
///
/// ```swift
/// let slot = ImageSlot(loader)
/// slot.onChange = { slot in draw(slot.shown.picture.bitmap) }
/// slot.load(url)  // again for each new picture: a reused cell needs nothing else
/// ```
///
/// An image in memory is shown before ``load(_:placeholder:)-(ImageRequest?,_)`` returns. Otherwise, the slot shows a
/// placeholder while it loads, and previews if ``Settings/showsPreviews`` is set. A new load ends the previous one,
/// whose late results are never shown. When the slot is released, its load is cancelled.
///
/// ``phase`` and ``shown`` are observable, so a view that reads them is updated. Code without Observation uses
/// ``onChange``.
@MainActor @Observable
public final class ImageSlot {
    /// The loader of the images.
    public let loader: ImageLoader
    /// The settings of the slot. Changes apply to loads that begin later.
    @ObservationIgnored public var settings: Settings {
        get { currentSettings.values }
        set { currentSettings = SlotSettings(newValue) }
    }
    /// Called after each change of ``phase`` or ``shown``. Default: nil.
    @ObservationIgnored public var onChange: (@MainActor (ImageSlot) -> Void)?

    @ObservationIgnored private var currentSettings: SlotSettings
    /// The entire observable state, so that each change is one notification. The slot itself reads it unobserved, so
    /// that a view that starts a load while it is drawn isn't drawn again because of that.
    private var state: SlotState
    /// The placeholder of the last call of ``load(_:placeholder:)-(ImageRequest?,_)``.
    @ObservationIgnored private var placeholder: Placeholder?
    @ObservationIgnored private let time: TimeSource
    @ObservationIgnored private var running = Running()
    @ObservationIgnored private var alarm: (due: Duration, task: Task<Void, Never>)?
    /// The waiting callers of ``settled()``.
    @ObservationIgnored var settlers: [Int: AsyncStream<Void>.Continuation] = [:]

    /// The loads and Tasks of the current request.
    private struct Running {
        /// The load of the image.
        var image: LoadFollower?
        /// The load of the image's smaller version.
        var lowResolution: LoadFollower?
        /// The Tasks that wait for previews and for the disk.
        var tasks: [Task<Void, Never>] = []
        /// The Task that looks for a stale image on disk.
        var staleTask: Task<Void, Never>?
        /// The stale image's load from disk.
        var staleLoad: LoadTask<ImageResponse>?

        var isEmpty: Bool { image == nil && tasks.isEmpty }

        func cancel() {
            image?.load.cancel()
            lowResolution?.load.cancel()
            for task in tasks { task.cancel() }
        }
    }

    /// Creates an empty slot.
    ///
    /// - Parameters:
    ///   - loader: The loader of the images. It is retained.
    ///   - settings: The settings of the slot.
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
        running.cancel()
        alarm?.task.cancel()
    }

    // MARK: State

    /// The request whose image the slot shows or loads; nil if the slot is empty.
    public var request: ImageRequest? { state.request }

    /// The state of the load.
    public var phase: Phase { state.phase }

    /// The error of the last load; nil while a load is running, and if the last load didn't fail.
    ///
    /// It is also set if ``phase`` is a success because another image is shown instead, such as a stale one.
    public var error: ImageLoaderError? { state.error }

    /// The content to draw.
    public var shown: Shown { state.shown }

    /// Whether an image is being loaded, possibly a better version of the one shown.
    public var isLoading: Bool { state.isLoading }

    /// Counts the loads that ended with the requested image or an error.
    package var endedLoads: Int { _state.endedLoads }

    /// Whether the slot is on the screen, or about to be. Determines the priority of its load. Default: true.
    @ObservationIgnored public var isVisible = true {
        didSet {
            if isVisible != oldValue { passPriority() }
        }
    }

    private var priority: RequestPriority {
        isVisible ? _state.request?.priority ?? .normal : _state.settings.values.hiddenPriority
    }

    // MARK: Loading

    /// Loads and shows the image of `request`, in place of the previous one. An image in memory is shown immediately.
    ///
    /// Does nothing if the slot already shows that image or is loading it. A failed load is tried again.
    ///
    /// `slot.load(nil)` empties the slot, as ``clear()`` does.
    ///
    /// - Parameters:
    ///   - request: The image to load; nil to empty the slot.
    ///   - placeholder: The placeholder shown until there is an image. Default: ``Settings/placeholder``.
    public func load(_ request: ImageRequest?, placeholder: Placeholder? = nil) {
        guard let request else { return clear() }
        let isSame = request == _state.request
        if isSame, _state.isLoading || _state.isComplete { return setPriority(request.priority) }
        self.placeholder = placeholder
        let hasFailed = isSame && _state.error != nil
        begin(request, sending: hasFailed ? request.retryingFailed : request, keepsPicture: isSame)
    }

    /// Ends the load, and keeps the content. The request is cancelled unless other callers wait for the image.
    public func cancel() {
        endLoads()
        change { $0.cancel() }
    }

    /// Loads the image again, and keeps the content in the meantime. Does nothing in an empty slot.
    ///
    /// After a failure, the load is tried again even if the failure is remembered, and the failure placeholder stays
    /// until the new load ends. Otherwise the server is asked whether the image has changed; see
    /// ``CacheReadPolicy/revalidate``. Requests with ``CacheReadPolicy/cachedOnly`` or ``CacheReadPolicy/reload`` keep
    /// their policy.
    public func reload() {
        guard let request = _state.request else { return }
        var sent = request
        if _state.error != nil {
            sent = request.retryingFailed
        } else if ![.cachedOnly, .reload].contains(loader.readPolicy(for: request)) {
            sent.readPolicy = .revalidate
        }
        begin(request, sending: sent, keepsPicture: true)
    }

    /// Empties the slot: ends the load, and shows nothing. Does nothing in an empty slot.
    public func clear() {
        guard _state.request != nil else { return }
        endLoads()
        mutate { _state.clear() }
        endLoads()
        notify()
    }

    private func setPriority(_ priority: RequestPriority) {
        guard priority != _state.request?.priority else { return }
        mutate { _state.setPriority(priority) }
        passPriority()
    }

    private func passPriority() {
        running.image?.load.priority = priority
        running.lowResolution?.load.priority = priority
        running.staleLoad?.priority = priority
    }

    /// - Parameter sent: The request with the policies of this load.
    private func begin(_ request: ImageRequest, sending sent: ImageRequest, keepsPicture: Bool) {
        endLoads()
        let settings = currentSettings
        let now = settings.usesTime ? time.now() : .zero
        if let cached = loader.memoryResponse(for: sent) {
            _ = begin {
                $0.begin(
                    request, settings, placeholder: placeholder, with: cached, isComplete: true,
                    keepsPicture: keepsPicture, at: now)
            }
            return
        }
        var sent = sent
        let showsStale = settings.values.showsStale
        let generation: UInt64?
        var needsStale = false
        if showsStale, loader.readPolicy(for: sent) != .reload, let stale = loader.cachedResponse(for: sent) {
            // Otherwise a stale image that may be used during revalidation would be the only response.
            sent = loader.revalidation(of: stale, for: sent)
            generation = begin {
                $0.begin(
                    request, settings, placeholder: placeholder, with: stale, isComplete: false,
                    keepsPicture: keepsPicture, at: now)
            }
        } else {
            generation = begin {
                $0.begin(request, settings, placeholder: placeholder, keepsPicture: keepsPicture, at: now)
            }
            needsStale = showsStale && !_state.hasImage
        }
        guard let generation else { return }
        sent.priority = priority
        if needsStale { loadStale(sent, generation) }
        load(sent, generation)
    }

    /// Begins a load's generation and returns it; nil if there is nothing to load, or the program has started another
    /// load in the meantime.
    private func begin(_ event: (inout SlotState) -> Void) -> UInt64? {
        mutate { event(&_state) }
        // An observer may have started a load just before. This load replaces it.
        endLoads()
        let generation = _state.generation
        notify()
        // The program may have started another load in onChange.
        return generation == _state.generation && _state.isLoading ? generation : nil
    }

    /// Loads the image, and follows the load until it ends. From now on, the slot counts as a waiter of its download.
    private func load(_ request: ImageRequest, _ generation: UInt64) {
        let load = loader.imageTask(for: request, revalidates: _state.settings.values.showsStale)
        running.image = LoadFollower(load) { [weak self] event in
            if let event { self?.take(event, of: request, generation) } else { self?.end(load, generation) }
        }
        guard _state.settings.values.showsPreviews else { return }
        running.tasks.append(
            Task { [weak self] in
                for await preview in load.previews { self?.take(preview, generation) }
            })
    }

    /// Shows the image on disk, if the server must confirm it.
    private func loadStale(_ request: ImageRequest, _ generation: UInt64) {
        var cached = request
        cached.readPolicy = .cachedOnly
        cached.fallbacks = []
        let task = Task { [weak self, loader] in
            // A fresh image is about to be loaded anyway.
            guard await loader.hasUnconfirmedBytes(of: request), let load = self?.loadFromDisk(cached) else { return }
            do throws(ImageLoaderError) {
                self?.take(early: try await load.value.unconfirmed, generation)
            } catch {
                // There is nothing to show, and the load reports its own error.
            }
        }
        running.tasks.append(task)
        running.staleTask = task
    }

    /// Begins to load a stale image, unless the Task that needs it was cancelled.
    private func loadFromDisk(_ request: ImageRequest) -> LoadTask<ImageResponse>? {
        if Task.isCancelled { return nil }
        var request = request
        request.priority = priority
        running.staleLoad = loader.imageTask(for: request)
        return running.staleLoad
    }

    /// Loads the smaller version of an image whose download has begun, unless an image of the request has already
    /// arrived.
    private func loadLowResolution(_ request: ImageRequest, _ generation: UInt64) {
        guard let url = request.lowResolution, request.region == nil, generation == _state.generation,
            running.lowResolution == nil, !_state.hasImage
        else { return }
        let fields = loader.downloads.settings.redirects.fieldsOfOrigin
        var small = request.fallingBack(to: url, without: fields)
        small.priority = priority
        let load = loader.imageTask(for: small)
        running.lowResolution = LoadFollower(load) { [weak self] event in
            guard event == nil, case .success(var response) = load.result else { return }
            response.isLowResolution = true
            self?.take(early: response, generation)
        }
    }

    // MARK: Arrivals

    private func take(_ event: DownloadEvent, of request: ImageRequest, _ generation: UInt64) {
        switch event {
        case .started: loadLowResolution(request, generation)
        case .progress(let received, let expected):
            change { $0.receive(received, of: expected, generation) }
        default: break
        }
    }

    private func take(_ preview: ImagePreview, _ generation: UInt64) {
        change { $0.preview(preview, generation, at: time.now()) }
    }

    /// Takes an image that arrives before the requested one.
    private func take(early response: ImageResponse, _ generation: UInt64) {
        change { $0.succeed(response, isLast: false, generation, at: time.now()) }
    }

    /// Takes the result of the image's load, which has ended.
    private func end(_ load: LoadTask<ImageResponse>, _ generation: UInt64) {
        guard let result = load.result else { return }
        guard case .failure = result, let staleTask = running.staleTask else {
            return take(result, of: load.request, generation)
        }
        // Without a connection, the failure may be known before the disk has answered.
        running.tasks.append(
            Task { [weak self] in
                await staleTask.value
                if !Task.isCancelled { self?.take(result, of: load.request, generation) }
            })
    }

    private func take(
        _ result: Result<ImageResponse, ImageLoaderError>, of request: ImageRequest, _ generation: UInt64
    ) {
        guard generation == _state.generation else { return }
        let settings = _state.settings.values
        endLoads()
        switch result {
        case .success(let response):
            // The slot needs the server's answer too, because no background load requests it.
            let isLast = !(settings.showsStale && response.staleReason == .whileRevalidating)
            change { $0.succeed(response, isLast: isLast, generation, at: time.now()) }
            if response.staleReason == .afterError { settings.connectivity?.add(self) }
            guard !isLast, generation == _state.generation else { return }
            var again = loader.revalidation(of: response, for: request)
            again.priority = priority
            load(again, generation)
        case .failure(let error):
            if error.isConnectionFailure { settings.connectivity?.add(self) }
            change { $0.end(error, generation, at: time.now()) }
        }
    }

    private func endLoads() {
        if running.isEmpty { return }
        let ended = exchange(&running, with: Running())
        ended.image?.stop()
        ended.lowResolution?.stop()
        ended.cancel()
    }

    // MARK: Changes

    /// A constant, because making a key path takes longer than the rest of a notification.
    @ObservationIgnored private static let statePath: KeyPath<ImageSlot, SlotState> = \.state

    private func mutate(_ body: () -> Void) { withMutation(keyPath: Self.statePath, body) }

    /// Applies an event that may change nothing.
    private func change(_ event: (inout SlotState) -> Bool) {
        let generation = _state.generation
        var next = _state
        guard event(&next) else { return }
        mutate {
            // An observer may have started another load just before.
            if _state.generation == generation { _state = next }
        }
        notify()
    }

    private func notify() {
        setAlarm()
        onChange?(self)
        settle()
    }

    private func setAlarm() {
        guard _state.wakeTime != alarm?.due else { return }
        alarm?.task.cancel()
        alarm = _state.wakeTime.map { due in
            let task = Task { [weak self, time] in
                if await time.sleep(until: due) { self?.wake(due) }
            }
            return (due, task)
        }
    }

    private func wake(_ due: Duration) {
        guard alarm?.due == due else { return }
        alarm = nil
        change { $0.wake(at: due) }
    }
}
