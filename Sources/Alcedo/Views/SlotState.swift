/// Decides which picture a slot shows.
///
/// Each load has a generation. Results of other generations are ignored, so late results are never shown. All functions
/// that take a generation return whether anything changed.
struct SlotState {
    typealias Picture = ImageSlot.Picture

    /// The request whose image is loaded or shown.
    private(set) var request: ImageRequest?
    private(set) var phase = ImageSlot.Phase.empty
    private(set) var shown = ImageSlot.Shown()
    /// Whether a load is under way.
    private(set) var isLoading = false
    /// Whether the requested image is there and no better one can come.
    private(set) var isComplete = false
    /// Why the load has ended without the requested image.
    private(set) var error: ImageLoaderError?
    /// When ``wake(at:)`` is to be called; nil if there is nothing to wait for.
    private(set) var wakeTime: Duration?
    /// Counts the loads.
    private(set) var generation: UInt64 = 0

    /// The settings of the current load.
    private(set) var settings: SlotSettings
    private var placeholder: Placeholder?
    /// When the placeholder is due; nil if it was shown or isn't needed.
    private var placeholderTime: Duration?
    /// When the picture changed last; nil if it may be replaced at any time.
    private var changeTime: Duration?
    /// The picture that follows when ``shown`` has been shown long enough.
    private var held: (picture: Picture, isTransition: Bool)?
    /// Whether the picture shown is of an earlier request; see ``ImageSlot/Settings/keepsCurrent``.
    private var isOfOther = false
    /// Whether the request's own image is shown or will be, in its full size.
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
    ///   - placeholder: Replaces the placeholder of the settings.
    ///   - keepsPicture: Whether the request is the same, so that its picture stays until another one is there,
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

    /// Shows an image that a cache has, and begins a load unless it is all there is to load.
    ///
    /// - Parameters:
    ///   - isComplete: Whether it is.
    ///   - keepsPicture: Whether the request is the same, so that its image isn't drawn again.
    mutating func begin(
        _ request: ImageRequest?, _ settings: SlotSettings, placeholder: Placeholder?, with cached: ImageResponse,
        isComplete: Bool, keepsPicture: Bool, at now: Duration
    ) {
        let isDrawn = keepsPicture && isShown(cached.image)
        startOver(request, settings, placeholder)
        (self.isComplete, isLoading) = (isComplete, !isComplete)
        (isOfOther, hasImage) = (false, true)
        phase = .success(cached)
        if isDrawn { return }
        show(.image(cached.image), isTransition: settings.values.transition == .always, at: now)
    }

    /// The request has another priority now.
    mutating func setPriority(_ priority: RequestPriority) { request?.priority = priority }

    /// Ends the load, and keeps the picture.
    mutating func cancel() -> Bool {
        guard isLoading || held != nil || placeholderTime != nil else { return false }
        let (held, wasComplete) = (held, isComplete)
        startOver(request, settings, nil)
        isComplete = wasComplete
        if case .loading = phase { phase = .empty }
        if let held { show(held.picture, isTransition: held.isTransition) }
        return true
    }

    /// Bytes have arrived.
    mutating func receive(_ received: Int, of expected: Int?, _ generation: UInt64) -> Bool {
        guard generation == self.generation, case .loading(var loading) = phase else { return false }
        (loading.receivedBytes, loading.expectedBytes) = (received, expected)
        phase = .loading(loading)
        return true
    }

    /// A preview was made.
    mutating func preview(_ preview: ImagePreview, _ generation: UInt64, at now: Duration) -> Bool {
        guard generation == self.generation, case .loading(var loading) = phase else { return false }
        loading.preview = preview
        phase = .loading(loading)
        // An image of the same request is better than a part of it.
        if latestImage == nil || isOfOther { replace(with: .preview(preview), isTransition: false, at: now) }
        return true
    }

    /// An image was loaded.
    ///
    /// - Parameter isLast: Whether no better one follows.
    mutating func succeed(
        _ response: ImageResponse, isLast: Bool, _ generation: UInt64, at now: Duration
    ) -> Bool {
        guard generation == self.generation, isLoading else { return false }
        // Its smaller version is no better than the image, even if that is stale.
        if response.isLowResolution, hasImage { return false }
        hasImage = !response.isLowResolution
        (isLoading, isComplete) = (!isLast, isLast)
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

    /// The load has ended without another image: with an error, or because the image shown is the latest.
    mutating func end(_ error: ImageLoaderError?, _ generation: UInt64, at now: Duration) -> Bool {
        guard generation == self.generation, isLoading else { return false }
        isLoading = false
        self.error = error == .cancelled ? nil : error
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

    /// Shows the picture that had to wait until now.
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

    /// The image that is shown or will be.
    private var latestImage: DecodedImage? { held?.picture.image ?? shown.picture.image }

    /// Whether the current request's picture is this one. A view may not have drawn that of another request for it.
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

    /// Shows a picture of the current load as soon as the last one was shown long enough.
    private mutating func replace(with picture: Picture, isTransition: Bool, at now: Duration) {
        let interval = settings.values.minimumInterval
        if let changeTime, interval > .zero, now - changeTime < interval {
            held = (picture, isTransition)
            // It comes before the placeholder, or in its place.
            placeholderTime = nil
        } else {
            held = nil
            show(picture, isTransition: isTransition, at: now)
        }
        setWakeTime()
    }

    /// - Parameter now: Nil for a picture that may be replaced at any time.
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

/// The settings of a slot, in an object because each copy of the state has them.
final class SlotSettings: Sendable {
    let values: ImageSlot.Settings

    init(_ values: ImageSlot.Settings = ImageSlot.Settings()) { self.values = values }

    /// Whether anything depends on the time.
    var usesTime: Bool { values.minimumInterval > .zero || values.placeholderDelay > .zero }
}
