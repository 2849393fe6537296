/// Determines the content that a slot shows.
///
/// Each load has a generation. Results of other generations are ignored, so late results are never shown. All functions
/// that take a generation return whether anything has changed.
struct SlotState {
    typealias Picture = ImageSlot.Picture

    /// The request whose image is being loaded or is shown.
    private(set) var request: ImageRequest?
    private(set) var phase = ImageSlot.Phase.empty
    private(set) var shown = ImageSlot.Shown()
    /// Whether a load is running.
    private(set) var isLoading = false
    /// Whether the requested image has arrived and no better one can follow.
    private(set) var isComplete = false
    /// Counts the loads that ended with the requested image or an error, and so weren't cancelled.
    private(set) var endedLoads = 0
    /// The error with which the load ended without the requested image.
    private(set) var error: ImageLoaderError?
    /// The time at which to call ``wake(at:)``; nil if there is nothing to wait for.
    private(set) var wakeTime: Duration?
    /// Counts the loads.
    private(set) var generation: UInt64 = 0

    /// The settings of the current load.
    private(set) var settings: SlotSettings
    private var placeholder: Placeholder?
    /// The time at which the placeholder is due; nil if it was shown or isn't needed.
    private var placeholderTime: Duration?
    /// The time of the last change of the content; nil if it may be replaced at any time.
    private var changeTime: Duration?
    /// The content that follows when ``shown`` has been shown long enough.
    private var held: (picture: Picture, isTransition: Bool)?
    /// Whether the image shown is that of an earlier request; see ``ImageSlot/Settings/keepsCurrent``.
    private var isOfOther = false
    /// Whether the request's own image is or will be shown, at full size.
    private(set) var hasImage = false

    init(_ settings: SlotSettings = SlotSettings()) { self.settings = settings }

    /// Empties the slot.
    mutating func clear() {
        startOver(nil, settings, nil)
        hasImage = false
        phase = .empty
        show(.none)
    }

    /// Begins a load.
    ///
    /// - Parameters:
    ///   - placeholder: A placeholder that replaces that of the settings; nil for none.
    ///   - keepsPicture: Whether the request is the same, so that its content stays until there is new content,
    ///     whatever the settings say.
    mutating func begin(
        _ request: ImageRequest?, _ settings: SlotSettings, placeholder: Placeholder?, keepsPicture: Bool,
        at now: Duration
    ) {
        if !keepsPicture {
            isOfOther = settings.values.keepsCurrent && latestImage != nil
            hasImage = false
        }
        let keepsPicture = keepsPicture || isOfOther
        let held = held
        startOver(request, settings, placeholder)
        isLoading = true
        phase = .loading(ImageSlot.Loading())
        if keepsPicture, !(held?.picture ?? shown.picture).isNone {
            if let held { show(held.picture, isTransition: held.isTransition, at: now) }
            if isOfOther { changeTime = nil }
            return
        }
        guard let placeholder = self.placeholder else { return show(.none) }
        guard settings.values.placeholderDelay > .zero else { return show(.placeholder(placeholder), at: now) }
        show(.none)
        placeholderTime = now + min(settings.values.placeholderDelay, Self.endOfTime)
        setWakeTime()
    }

    /// Shows a cached image, and begins a load unless nothing more needs to be loaded.
    ///
    /// - Parameters:
    ///   - isComplete: Whether nothing more needs to be loaded.
    ///   - keepsPicture: Whether the request is the same, so that its image isn't drawn again.
    mutating func begin(
        _ request: ImageRequest?, _ settings: SlotSettings, placeholder: Placeholder?, with cached: ImageResponse,
        isComplete: Bool, keepsPicture: Bool, at now: Duration
    ) {
        let isDrawn = keepsPicture && isShown(cached.image)
        startOver(request, settings, placeholder)
        (self.isComplete, isLoading) = (isComplete, !isComplete)
        if isComplete { endedLoads += 1 }
        (isOfOther, hasImage) = (false, true)
        phase = .success(cached)
        if isDrawn { return }
        show(.image(cached.image), isTransition: settings.values.transition == .always, at: now)
    }

    /// Changes the priority of the request.
    mutating func setPriority(_ priority: RequestPriority) { request?.priority = priority }

    /// Ends the load, and keeps the content.
    mutating func cancel() -> Bool {
        guard isLoading || held != nil || placeholderTime != nil else { return false }
        let (held, wasComplete) = (held, isComplete)
        startOver(request, settings, nil)
        isComplete = wasComplete
        if case .loading = phase { phase = .empty }
        if let held { show(held.picture, isTransition: held.isTransition) }
        return true
    }

    /// Records the number of bytes that have arrived.
    mutating func receive(_ received: Int, of expected: Int?, _ generation: UInt64) -> Bool {
        guard generation == self.generation, case .loading(var loading) = phase else { return false }
        (loading.receivedBytes, loading.expectedBytes) = (received, expected)
        phase = .loading(loading)
        return true
    }

    /// Takes a new preview.
    mutating func preview(_ preview: ImagePreview, _ generation: UInt64, at now: Duration) -> Bool {
        guard generation == self.generation, case .loading(var loading) = phase else { return false }
        loading.preview = preview
        phase = .loading(loading)
        // An image of the same request is better than a part of it.
        if latestImage == nil || isOfOther { replace(with: .preview(preview), isTransition: false, at: now) }
        return true
    }

    /// Takes a loaded image.
    ///
    /// - Parameter isLast: Whether no better image follows.
    mutating func succeed(
        _ response: ImageResponse, isLast: Bool, _ generation: UInt64, at now: Duration
    ) -> Bool {
        guard generation == self.generation, isLoading else { return false }
        // The smaller version is no better than the image, even if the image is stale.
        if response.isLowResolution, hasImage { return false }
        hasImage = !response.isLowResolution
        (isLoading, isComplete) = (!isLast, isLast)
        if isLast { endedLoads += 1 }
        phase = .success(response)
        // The server has confirmed the image that is shown.
        if isShown(response.image) { return true }
        isOfOther = false
        let isTransition =
            switch settings.values.transition {
            case .never: false
            case .unlessFromMemory: response.source != .memory
            case .always: true
            }
        replace(with: .image(response.image), isTransition: isTransition, at: now)
        return true
    }

    /// Takes the end of a load without another image: with an error, or because the image shown is the latest.
    mutating func end(_ error: ImageLoaderError?, _ generation: UInt64, at now: Duration) -> Bool {
        guard generation == self.generation, isLoading else { return false }
        isLoading = false
        self.error = error == .cancelled ? nil : error
        if error != .cancelled { endedLoads += 1 }
        guard phase.response == nil else {
            isComplete = error == nil
            return true
        }
        guard let error = self.error else {
            phase = .empty
            placeholderTime = nil
            setWakeTime()
            return true
        }
        phase = .failure(error)
        let isReplaced = isOfOther && settings.values.failurePlaceholder != nil
        if latestImage == nil || isReplaced {
            let picture = (settings.values.failurePlaceholder ?? placeholder).map(Picture.placeholder) ?? .none
            replace(with: picture, isTransition: false, at: now)
        }
        return true
    }

    /// Shows the content that had to wait until now.
    mutating func wake(at now: Duration) -> Bool {
        guard let wakeTime, wakeTime <= now else { return false }
        if let held = held.take() {
            show(held.picture, isTransition: held.isTransition, at: now)
        } else if placeholderTime != nil, let placeholder {
            show(.placeholder(placeholder), at: now)
        }
        setWakeTime()
        return true
    }

    /// Adding any longer time to the current one could overflow.
    private static let endOfTime = Duration.seconds(100 * 365 * 86_400)

    /// The image that is or will be shown.
    private var latestImage: DecodedImage? { held?.picture.image ?? shown.picture.image }

    /// Whether this image is shown for the current request. The image of an earlier request doesn't count, because a
    /// view may not have drawn it for this one.
    private func isShown(_ image: DecodedImage) -> Bool {
        held == nil && !isOfOther && shown.picture.image?.bitmap === image.bitmap
    }

    private mutating func startOver(
        _ request: ImageRequest?, _ settings: SlotSettings, _ placeholder: Placeholder?
    ) {
        generation += 1
        self.request = request
        self.settings = settings
        self.placeholder = placeholder ?? settings.values.placeholder
        error = nil
        (isLoading, isComplete) = (false, false)
        (held, placeholderTime, wakeTime) = (nil, nil, nil)
    }

    /// Shows content of the current load as soon as the previous content has been shown long enough.
    private mutating func replace(with picture: Picture, isTransition: Bool, at now: Duration) {
        let interval = settings.values.minimumInterval
        if let changeTime, interval > .zero, now - changeTime < interval {
            held = (picture, isTransition)
            // The new content precedes the placeholder or takes its place.
            placeholderTime = nil
        } else {
            held = nil
            show(picture, isTransition: isTransition, at: now)
        }
        setWakeTime()
    }

    /// - Parameter now: Nil for content that may be replaced at any time.
    private mutating func show(_ picture: Picture, isTransition: Bool = false, at now: Duration? = nil) {
        placeholderTime = nil
        changeTime = now
        if picture.isNone, shown.picture.isNone { return }
        shown.picture = picture
        shown.isTransition = isTransition
        shown.number += 1
    }

    private mutating func setWakeTime() {
        let due = changeTime.map { $0 + min(settings.values.minimumInterval, Self.endOfTime) }
        wakeTime = held == nil ? placeholderTime : due
    }
}

/// The settings of a slot. A class, because each copy of the state has them.
final class SlotSettings: Sendable {
    let values: ImageSlot.Settings

    init(_ values: ImageSlot.Settings = ImageSlot.Settings()) { self.values = values }

    /// Whether anything depends on the time.
    var usesTime: Bool { values.minimumInterval > .zero || values.placeholderDelay > .zero }
}
