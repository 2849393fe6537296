#if canImport(UIKit) && !os(watchOS) || canImport(AppKit)
import Alcedo

#if canImport(UIKit) && !os(watchOS)
import UIKit
#elseif canImport(AppKit)
import AppKit
#endif

/// Shows the content of a slot in one place of a view.
@MainActor final class SlotBinding {
    typealias Show = @MainActor (_ owner: AnyObject, _ image: PlatformImage?) -> Void

    private(set) var slot: ImageSlot
    private weak var owner: AnyObject?
    private let show: Show
    private var settings: ViewImageSettings
    private var onChange: (@MainActor (ImageSlot) -> Void)?
    /// The number of the content that is drawn; nil before the first.
    private var drawn: Int?
    /// Whether the content is drawn again even if it hasn't changed.
    private var mustDraw = false
    /// Counts the calls of `onChange`.
    private var reports = 0
    /// The image that is drawn; for an animation, its current frame.
    private var image: PlatformImage?
    private(set) var player: AnimationPlayer?
    private var activity: ActivityView?

    /// Whether the view is in a window.
    var isVisible: Bool {
        didSet {
            slot.isVisible = isVisible
            player?.isVisible = isVisible
        }
    }

    init(_ owner: AnyObject, isVisible: Bool, settings: ViewImageSettings, show: @escaping Show) {
        self.owner = owner
        self.isVisible = isVisible
        self.settings = settings
        self.show = show
        slot = ImageSlot(settings.loader, settings: settings.slot)
    }

    func load(
        _ request: ImageRequest?, placeholder: Placeholder?, settings: ViewImageSettings,
        onChange: (@MainActor (ImageSlot) -> Void)?
    ) {
        slot.onChange = nil
        if settings.loader !== slot.loader {
            slot = ImageSlot(settings.loader, settings: settings.slot)
            drawn = nil
        }
        self.settings = settings
        self.onChange = onChange
        slot.settings = settings.slot
        // The slot reports when a placeholder is due only if it has one.
        if settings.failureImage != nil { slot.settings.failurePlaceholder = .color(.clear) }
        slot.isVisible = isVisible
        slot.onChange = { [weak self] slot in
            self?.update()
            self?.report(slot)
        }
        // The program may have changed the view's image itself, for example before it reuses a cell. The slot doesn't
        // know that, so the image that it shows for this request is drawn again. An image kept from another request
        // isn't.
        mustDraw = request == slot.request
        let earlierReports = reports
        let image = settings.placeholderImage.map { _ in Placeholder.color(.clear) }
        slot.load(request, placeholder: placeholder ?? image)
        update()
        if reports == earlierReports { report(slot) }
    }

    private func report(_ slot: ImageSlot) {
        reports += 1
        onChange?(slot)
    }

    private func update() {
        let shown = slot.shown
        let (isNew, isFirst) = (shown.number != drawn, drawn == nil)
        if isNew || mustDraw {
            (drawn, mustDraw) = (shown.number, false)
            draw(shown, isNew: isNew, isFirst: isFirst)
        }
        showActivity()
    }

    /// - Parameters:
    ///   - isNew: Whether other content was drawn before. If not, there is no transition, and an animation continues.
    ///   - isFirst: Whether nothing was drawn before.
    private func draw(_ shown: ImageSlot.Shown, isNew: Bool, isFirst: Bool) {
        if isNew { image = nil }
        if isNew || !settings.setsImage || !settings.playsAnimations { player = nil }
        guard settings.setsImage, let owner else { return }
        // There is nothing to show yet, so the image that the program set before stays.
        let isWaiting = slot.request != nil && (isFirst || !isNew)
        if case .none = shown.picture, isWaiting, settings.slot.keepsCurrent { return }
        // The failure image stays while the load is tried again, although the new load has another placeholder.
        let image = image ?? platformImage(of: shown.picture)
        self.image = image
        if isNew, shown.isTransition, let view = owner as? PlatformView {
            settings.transition.run(on: view) { [weak self, weak owner, weak slot, show] in
                // A custom transition may call this after other content has been drawn.
                if let owner, let self, self.slot === slot, drawn == shown.number { show(owner, image) }
            }
        } else {
            show(owner, image)
        }
        if player == nil, settings.playsAnimations, let image = shown.picture.image { play(image) }
    }

    private func platformImage(of picture: ImageSlot.Picture) -> PlatformImage? {
        switch picture {
        case .none: nil
        case .placeholder: placeholderImage ?? picture.bitmap?.platformImage(scale: 1)
        case .preview(let preview):
            preview.bitmap.platformImage(scale: slot.request?.pixelsPerPoint ?? 1)
        case .image(let image): image.platformImage
        }
    }

    /// The program's own image for the placeholder that is due.
    private var placeholderImage: PlatformImage? {
        guard slot.phase.error != nil, slot.settings.failurePlaceholder != nil else { return settings.placeholderImage }
        return settings.failureImage
    }

    /// Plays an image if it is an animation.
    private func play(_ image: DecodedImage) {
        guard let animation = image.animation else { return }
        let (loops, budget) = (settings.loopCount, slot.loader.frameBudget)
        let player = AnimationPlayer(animation, firstFrame: image.bitmap, loopCount: loops, budget: budget) {
            [weak self, profile = animation.profile] frame in
            guard let self, let owner else { return }
            let picture = frame.bitmap.platformImage(scale: image.scale, profile: profile)
            self.image = picture
            show(owner, picture)
        }
        player.isVisible = isVisible
        self.player = player
    }

    private func showActivity() {
        guard settings.showsActivity, slot.isLoading, let view = owner as? PlatformView else {
            activity?.removeFromSuperview()
            activity = nil
            return
        }
        if activity == nil { activity = ActivityView.shown(in: view, settings.activityStyle) }
    }
}
#endif
