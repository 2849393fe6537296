#if canImport(UIKit) && !os(watchOS) || canImport(AppKit)
public import Alcedo
public import Foundation

/// A place in a view that shows a loaded image.
///
/// `imageView.alcedo` is one. For another view or object, pass a function that sets its image:
///
/// - `ViewSlot(annotationView) { $0.image = $1 }` for a view on a map,
/// - `ViewSlot(attachment) { $0.image = $1 }` for an image in text.
///
/// This value only refers to the place. The view owns the loads, and its release ends them. A new image for the same
/// place ends the previous load, so a reused cell needs nothing else. While a view isn't in a window, its loads have a
/// low priority and its animations are paused.
@MainActor public struct ViewSlot<Owner: AnyObject> {
    let owner: Owner
    private let name: String
    private let show: @MainActor (Owner, PlatformImage?) -> Void

    /// Creates a reference to a place in a view.
    ///
    /// - Parameters:
    ///   - owner: A view, or any object that belongs to the main actor.
    ///   - name: Distinguishes the places in one view. Default: the main place.
    ///   - show: Sets the owner's image; nil for none. Only the first function passed for an owner and a name is used.
    public init(
        _ owner: Owner, named name: String = "image", show: @escaping @MainActor (Owner, PlatformImage?) -> Void
    ) {
        self.owner = owner
        self.name = name
        self.show = show
    }

    /// Loads and shows the image of a request. An image in memory is shown before this function returns.
    ///
    /// If the place already shows that image or is loading it, no load begins. Its current image is set again, without
    /// a transition, so you may clear a view before you reuse it.
    ///
    /// - Parameters:
    ///   - request: The image to load; nil for none.
    ///   - placeholder: The placeholder shown until there is an image. Default: that of the settings.
    ///   - settings: The settings for loading and showing the image.
    ///   - onChange: Called after each change of the slot's `phase` or `shown`: progress, previews, the image or the
    ///     error. Called at least once before this function returns, even if nothing has changed. Not called after the
    ///     place loads another image.
    public func setImage(
        with request: ImageRequest?, placeholder: Placeholder? = nil,
        settings: ViewImageSettings = ViewImageSettings(), onChange: (@MainActor (ImageSlot) -> Void)? = nil
    ) {
        let show = show
        let store = SlotStore.of(owner)
        if name == "image" { store.endSequence() }
        store.binding(name, of: owner, settings) { owner, image in
            if let owner = owner as? Owner { show(owner, image) }
        }.load(request, placeholder: placeholder, settings: settings, onChange: onChange)
    }

    /// Loads and shows the image of `source`, such as a URL; see
    /// ``setImage(with:placeholder:settings:onChange:)-(ImageRequest?,_,_,_)``.
    public func setImage(
        with source: (some ImageRequestConvertible)?, placeholder: Placeholder? = nil,
        settings: ViewImageSettings = ViewImageSettings(), onChange: (@MainActor (ImageSlot) -> Void)? = nil
    ) {
        setImage(with: source?.imageRequest, placeholder: placeholder, settings: settings, onChange: onChange)
    }

    /// Ends the load. The content shown stays.
    public func cancel() { slot?.cancel() }

    /// Ends the loads of all places of the view. The content shown stays.
    public func cancelAll() { SlotStore.existing(of: owner)?.cancel() }

    /// Loads the image again: after a failure, or to ask the server whether it has changed.
    public func reload() { slot?.reload() }

    /// The state of the load; empty before the first request.
    public var phase: ImageSlot.Phase { slot?.phase ?? .empty }

    /// Whether an image is being loaded.
    public var isLoading: Bool { slot?.isLoading ?? false }

    /// The request whose image the place shows or loads.
    public var request: ImageRequest? { slot?.request }

    /// The URL whose image the place shows or loads.
    public var url: URL? { request?.url }

    /// The player of the animation that the place shows; nil for a still image. Each animation has a player of its own.
    public var player: AnimationPlayer? { binding?.player }

    private var slot: ImageSlot? { binding?.slot }

    private var binding: SlotBinding? { SlotStore.existing(of: owner)?[name] }
}
#endif
