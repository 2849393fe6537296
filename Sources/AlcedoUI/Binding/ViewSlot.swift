#if canImport(UIKit) && !os(watchOS) || canImport(AppKit)
public import Alcedo
public import Foundation

/// A place in a view that shows a loaded picture.
///
/// `imageView.alcedo` is one. For another view or object, pass a function that sets its picture:
///
/// - `ViewSlot(annotationView) { $0.image = $1 }` for a view on a map,
/// - `ViewSlot(attachment) { $0.image = $1 }` for a picture in a text.
///
/// This value only refers to the place. The view owns the loads, and its release ends them. A new picture for the same
/// place ends the previous load, so a reused cell needs nothing else. While a view isn't in a window, its loads have a
/// low priority and its animations stand still.
@MainActor public struct ViewSlot<Owner: AnyObject> {
    let owner: Owner
    private let name: String
    private let show: @MainActor (Owner, PlatformImage?) -> Void

    /// Refers to a place in a view.
    ///
    /// - Parameters:
    ///   - owner: A view, or any object that belongs to the main actor.
    ///   - name: Distinguishes the places in one view. Default: the main place.
    ///   - show: Sets the owner's picture; nil for none. The first function passed for an owner and a name is used.
    public init(
        _ owner: Owner, named name: String = "image", show: @escaping @MainActor (Owner, PlatformImage?) -> Void
    ) {
        self.owner = owner
        self.name = name
        self.show = show
    }

    /// Loads the picture of a request and shows it. A picture in memory is shown before this returns.
    ///
    /// If the place shows that picture already or is loading it, no load begins. Its current picture is set again,
    /// without a transition, so a program may clear a view before it reuses it.
    ///
    /// - Parameters:
    ///   - request: Nil for no picture.
    ///   - placeholder: Shown until there is a picture. Default: that of the settings.
    ///   - settings: How the picture is loaded and shown.
    ///   - onChange: Called after each change of the slot's `phase` or `shown`: progress, previews, the picture or the
    ///     error. Called at least once before this call returns, so also if nothing has changed. Not called after the
    ///     place loads another picture.
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

    /// Loads and shows the picture of `source`, such as a URL; see
    /// ``setImage(with:placeholder:settings:onChange:)-(ImageRequest?,_,_,_)``.
    public func setImage(
        with source: (some ImageRequestConvertible)?, placeholder: Placeholder? = nil,
        settings: ViewImageSettings = ViewImageSettings(), onChange: (@MainActor (ImageSlot) -> Void)? = nil
    ) {
        setImage(with: source?.imageRequest, placeholder: placeholder, settings: settings, onChange: onChange)
    }

    /// Ends the load. What is shown stays.
    public func cancel() { slot?.cancel() }

    /// Ends the loads of all places of the view. What is shown stays.
    public func cancelAll() { SlotStore.existing(of: owner)?.cancel() }

    /// Loads the picture again: after a failure, or to ask the server whether it has changed.
    public func reload() { slot?.reload() }

    /// The state of the load; empty before the first picture.
    public var phase: ImageSlot.Phase { slot?.phase ?? .empty }

    /// Whether a picture is being loaded.
    public var isLoading: Bool { slot?.isLoading ?? false }

    /// The request whose picture the place shows or loads.
    public var request: ImageRequest? { slot?.request }

    /// The URL whose picture the place shows or loads.
    public var url: URL? { request?.url }

    /// Plays the animation that the place shows; nil for a still picture. Each picture has a player of its own.
    public var player: AnimationPlayer? { binding?.player }

    private var slot: ImageSlot? { binding?.slot }

    private var binding: SlotBinding? { SlotStore.existing(of: owner)?[name] }
}
#endif
