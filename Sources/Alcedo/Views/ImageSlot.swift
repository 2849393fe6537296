public import Foundation
public import Observation

/// The content of a view: the picture of one request at a time, from the placeholder to the loaded image.
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
    /// The placeholders, and how to load images. Changes apply to loads that begin later.
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
    /// One of these, which looks for a stale image on disk.
    @ObservationIgnored private var staleLoad: Task<Void, Never>?
    @ObservationIgnored private var alarm: (due: Duration, task: Task<Void, Never>)?
    /// The callers of ``settled()`` that wait.
    @ObservationIgnored var settlers: [Int: AsyncStream<Void>.Continuation] = [:]

    /// Creates an empty slot.
    ///
    /// - Parameters:
    ///   - loader: Loads the images. It is retained.
    ///   - settings: The placeholders, and how to load images.
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

    /// Why the last load ended without the image; nil while one is under way, and if none failed.
    ///
    /// Also set if another picture is shown in its place, such as a stale one, and ``phase`` is a success.
    public var error: ImageLoaderError? { state.error }

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
    /// `slot.load(nil)` empties the slot, as ``clear()`` does.
    ///
    /// - Parameters:
    ///   - request: The image to load; nil to empty the slot.
    ///   - placeholder: Shown until there is a picture. Default: ``Settings/placeholder``.
    public func load(_ request: ImageRequest?, placeholder: Placeholder? = nil) {
        guard let request else { return clear() }
        let isSame = request == state.request
        if isSame, state.isLoading || state.isComplete { return setPriority(request.priority) }
        self.placeholder = placeholder
        let hasFailed = isSame && state.error != nil
        begin(request, sending: hasFailed ? request.retryingFailed : request, keepsPicture: isSame)
    }

    /// Loads and shows the image at `url`; see ``load(_:placeholder:)-(ImageRequest?,_)``.
    public func load(_ url: URL, placeholder: Placeholder? = nil) {
        load(ImageRequest(url: url), placeholder: placeholder)
    }

    /// Loads and shows the image of `source`, such as a URL; see ``load(_:placeholder:)-(ImageRequest?,_)``.
    public func load(_ source: (some ImageRequestConvertible)?, placeholder: Placeholder? = nil) {
        load(source?.imageRequest, placeholder: placeholder)
    }

    /// Ends the load, and keeps the picture. The image isn't requested any more, unless others wait for it.
    public func cancel() {
        endLoads()
        change { $0.cancel() }
    }

    /// Loads the image again, and keeps the picture until then. Does nothing in an empty slot.
    ///
    /// After a failure, the load is tried again even if the failure is remembered, and the placeholder of the failure
    /// stays until then. Otherwise the server is asked whether the image has changed; see
    /// ``CacheReadPolicy/revalidate``. Requests that ask only the caches, or never, keep their policy.
    public func reload() {
        guard let request = state.request else { return }
        var sent = request
        if state.error != nil {
            sent = request.retryingFailed
        } else if ![.cachedOnly, .reload].contains(loader.readPolicy(for: request)) {
            sent.readPolicy = .revalidate
        }
        begin(request, sending: sent, keepsPicture: true)
    }

    /// Empties the slot: ends the load, and shows nothing. Does nothing in an empty slot.
    public func clear() {
        guard state.request != nil else { return }
        endLoads()
        state.clear()
        endLoads()
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
        var sent = sent
        var cached = loader.memoryResponse(for: sent)
        let isComplete = cached != nil
        if cached == nil, currentSettings.values.showsStale, loader.readPolicy(for: sent) != .reload {
            cached = loader.cachedResponse(for: sent)
            // Otherwise a stale image that may be used while it is revalidated would be all that comes.
            if cached != nil { sent.readPolicy = .revalidate }
        }
        state.begin(
            request, currentSettings, placeholder: placeholder, cached: cached, isComplete: isComplete,
            keepsPicture: keepsPicture, at: currentSettings.usesTime ? time.now() : .zero)
        // An observer may have started a load just before. It isn't the one that counts.
        endLoads()
        let generation = state.generation
        notify()
        // The program may have started another load in onChange.
        guard generation == state.generation, state.isLoading else { return }
        sent.priority = priority
        let hasPicture = keepsPicture && state.shown.picture.image != nil
        if cached == nil, settings.showsStale, !hasPicture { loadStale(sent, generation) }
        load(sent, generation)
    }

    /// Loads the image, and follows the load until it ends. From now on, a download of it counts the slot as a waiter.
    private func load(_ request: ImageRequest, _ generation: UInt64) {
        let load = loader.imageTask(for: request)
        loads.append(load)
        followers.append(
            Task { [weak self] in
                for await event in load.events { self?.take(event, of: request, generation) }
                // The load has ended, as its events have.
                guard let result = load.result else { return }
                // Without a connection, this may be known before the disk has answered.
                if case .failure = result, let stale = self?.staleLoad { await stale.value }
                if !Task.isCancelled { self?.take(result, of: request, generation) }
            })
        guard settings.showsPreviews else { return }
        followers.append(
            Task { [weak self] in
                for await preview in load.previews { self?.take(preview, generation) }
            })
    }

    /// Shows the image that the disk has, if the server has to confirm it.
    private func loadStale(_ request: ImageRequest, _ generation: UInt64) {
        var cached = request
        cached.readPolicy = .cachedOnly
        cached.fallbacks = []
        let mustConfirm = loader.readPolicy(for: request) == .revalidate
        let key = loader.key(for: request).original
        let task = Task { [weak self, loader] in
            let entry = await loader.diskCache?.entry(for: key)
            // A fresh one is about to be loaded anyway.
            let now = loader.path.time.secondsSince1970()
            guard let entry, mustConfirm || entry.freshness?.isFresh(at: now) == false else { return }
            do throws(ImageLoaderError) {
                self?.take(early: try await loader.response(for: cached).unconfirmed, generation)
            } catch {
                // There is nothing to show, and the load reports its own error.
            }
        }
        followers.append(task)
        staleLoad = task
    }

    /// Loads the smaller version of an image whose download has begun.
    private func loadLowResolution(_ request: ImageRequest, _ generation: UInt64) {
        guard let url = request.lowResolution, generation == state.generation, loads.count == 1,
            state.phase.response == nil
        else { return }
        let fields = loader.downloads.settings.redirects.secretFields
        let load = loader.imageTask(for: request.fallingBack(to: url, without: fields))
        loads.append(load)
        followers.append(
            Task { [weak self] in
                await load.end()
                guard case .success(var response) = load.result else { return }
                response.isLowResolution = true
                self?.take(early: response, generation)
            })
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

    /// A picture has come before the image.
    private func take(early response: ImageResponse, _ generation: UInt64) {
        // A stale image is better than a smaller one.
        if response.isLowResolution, state.phase.response != nil { return }
        change { $0.succeed(response, isLast: false, generation, at: time.now()) }
    }

    private func take(
        _ result: Result<ImageResponse, ImageLoaderError>, of request: ImageRequest, _ generation: UInt64
    ) {
        guard generation == state.generation else { return }
        endLoads()
        switch result {
        case .success(let response):
            // The server's answer goes to the caches; the slot wants it as well.
            let isLast = !(settings.showsStale && response.staleReason == .whileRevalidating)
            change { $0.succeed(response, isLast: isLast, generation, at: time.now()) }
            if response.staleReason == .afterError { settings.connectivity?.add(self) }
            guard !isLast, generation == state.generation else { return }
            var again = request
            again.readPolicy = .revalidate
            load(again, generation)
        case .failure(let error):
            if error.isConnectionFailure { settings.connectivity?.add(self) }
            change { $0.end(error, generation, at: time.now()) }
        }
    }

    private func endLoads() {
        if loads.isEmpty, followers.isEmpty { return }
        for load in loads { load.cancel() }
        for follower in followers { follower.cancel() }
        (loads, followers, staleLoad) = ([], [], nil)
    }

    // MARK: Changes

    /// Applies an event that may change nothing.
    private func change(_ event: (inout SlotState) -> Bool) {
        let generation = state.generation
        var next = state
        guard event(&next) else { return }
        withMutation(keyPath: \.state) {
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

    /// Retries a load that has failed for want of a connection.
    func connectivityReturned() {
        let isStale = state.phase.response?.staleReason == .afterError
        if state.error?.isConnectionFailure == true || isStale { reload() }
    }
}

extension ImageLoaderError {
    /// Whether the load may succeed once there is a connection again.
    fileprivate var isConnectionFailure: Bool { kind == .connectionFailed || kind == .timedOut }
}

extension ImageResponse {
    /// A response of the caches alone, which the server is asked to confirm.
    fileprivate var unconfirmed: ImageResponse {
        ImageResponse(
            image: image, source: source, freshness: freshness, staleReason: isStale ? .unconfirmed : nil,
            timings: timings)
    }
}

extension ImageRequest {
    fileprivate var retryingFailed: ImageRequest {
        var request = self
        request.retriesFailed = true
        return request
    }
}
